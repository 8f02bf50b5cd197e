import { afterEach, describe, expect, it } from "vitest";
import { openTidemark, type TidemarkEvent } from "../../src/index.ts";
import { freshFolder, NOON } from "../support/workspace.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** A model that remembers of each conversation what its user said first. */
function model() {
  const asked: string[] = [];
  const complete = async (request: unknown): Promise<string> => {
    const text = JSON.stringify(request);
    // Those that wait together are read in one call.
    const boats = [...text.matchAll(/is boat (\d+)/g)].map(([, boat = "none"]) => boat);
    asked.push(...boats);
    return JSON.stringify({
      summary: "",
      facts: boats.map((boat) => ({
        content: `The user's boat is number ${boat}.`,
        category: "fact",
        importance: 0.8,
        origin: "user",
        quote: `My boat is boat ${boat}`,
      })),
    });
  };
  return { asked, complete };
}

const conversation = (number: number, more: object = {}) => ({
  id: `old-${number}`,
  messages: [0, 1, 2].flatMap((turn) => [
    {
      role: "user",
      text: turn === 0 ? `My boat is boat ${number}.` : `And what about day ${turn}?`,
      at: NOON - 90 * 86_400_000 + turn,
    },
    { role: "assistant", text: `Noted ${turn}.`, at: NOON - 90 * 86_400_000 + turn },
  ]),
  ...more,
});

async function room(workspace = freshFolder(), distil: unknown = "extractive") {
  const events: TidemarkEvent[] = [];
  const tidemark = await openTidemark({
    ...{
      workspace,
      embed: false,
      now: () => NOON,
      listen: (event: TidemarkEvent) => events.push(event),
    },
    distil: distil as "extractive",
  });
  open.push(tidemark);
  return { tidemark, events, workspace };
}

describe("imported conversations", () => {
  it("are all read behind by the model, old as they are, and those with learn: false are not", async () => {
    const { asked, complete } = model();
    const { tidemark } = await room(undefined, complete);
    for (const number of [1, 2, 3, 4]) await tidemark.history.import(conversation(number));
    await tidemark.history.import(conversation(5, { learn: false }));
    await tidemark.idle();
    expect(asked.sort()).toEqual(["1", "2", "3", "4"]);
  });

  it("without a model are read by rules, at once; a later process with a model reads them too", async () => {
    const { tidemark, workspace } = await room();
    await tidemark.history.import({
      id: "one",
      messages: [
        { role: "user", text: "I prefer metric units in all reports.", at: NOON - 90 * 86_400_000 },
        { role: "assistant", text: "Noted." },
      ],
    });
    await tidemark.history.import(conversation(7));
    await tidemark.idle();
    const known = (await tidemark.memory.list()).map(({ content }) => content).join("\n");
    expect(known).toContain("metric units");
    await tidemark.close();
    const { asked, complete } = model();
    const later = await room(workspace, complete);
    const turn = await later.tidemark.begin({
      model: "claude-sonnet-5",
      max_tokens: 100,
      messages: [{ role: "user", content: "Hello" }],
    });
    await turn.end({ reply: { role: "assistant", content: "Hi" } });
    await later.tidemark.idle();
    expect(asked).toEqual(["7"]);
  });
});
