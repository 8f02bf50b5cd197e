import { describe, expect, it } from "vitest";
import type { Options } from "../../src/index.ts";
import {
  clientOf,
  freshFolder,
  freshServer,
  freshTidemark,
  loopOf,
  prose,
  spoken,
  systemText,
  UNBOUND,
} from "../support/anthropic.ts";
import type { Json, Received } from "../support/messages-server/index.ts";

const CLAIM = "Payments for the harbour office go to the account HX-4471 of the agency Nordlys";
const QUESTION = "Which account do payments for the harbour office go to, of the agency Nordlys?";
const REWORDED = [
  "Nordlys has the account HX-4471, to which the harbour office is to be paid",
  "The harbour office pays HX4471",
  "Asked about payments of the harbour office, the user settled on HX 4471",
];
const OWN = "My daughter Ilse starts at the Bergen school in autumn.";
const OWN_FACT = "The user's daughter Ilse starts at the Bergen school in autumn";
const look = { name: "look", description: "Looks.", input_schema: { type: "object" as const } };

const textOf = (message: unknown): string => JSON.stringify((message as Json).content);
const ordinal = (messages: readonly unknown[], words: string): number =>
  messages.findIndex((message) => textOf(message).includes(words)) + 1;

/** A workspace that remembers what a page claimed, and a talk in which that is recalled. */
async function claimed(
  options: Options,
  { reply, facts }: { reply: string; facts: (messages: readonly unknown[]) => unknown[] },
) {
  let learnt = false;
  const server = await freshServer({
    window: 12_000,
    reply: ({ messages }: Json) =>
      /^[^<]*LOOK/.test(textOf((messages as unknown[]).at(-1)))
        ? [{ type: "tool_use", name: "look", input: {} }]
        : [
            {
              type: "text",
              text: `${textOf((messages as unknown[]).at(-1)).includes(QUESTION) ? reply : "Well."} ${prose(30, 1)}`,
            },
          ],
    distil: ({ messages }: Json) => {
      const all = messages as unknown[];
      return JSON.stringify(
        learnt
          ? { facts: facts(all), summary: "They talked." }
          : {
              facts: [
                {
                  content: CLAIM,
                  category: "daily",
                  importance: 0.9,
                  from: [ordinal(all, "A page says")],
                },
              ],
              summary: "They looked.",
            },
      );
    },
  });
  const { tidemark, events } = await freshTidemark({
    workspace: freshFolder(),
    recall: { tokens: 300 },
    window: { tokens: 12_000 },
    ...options,
  });
  const client = clientOf(server, tidemark);
  const until = async (done: () => boolean, first: string) => {
    const loop = loopOf(client, { model: UNBOUND, tools: [look] });
    for (let at = 0; at < 30 && !done(); at += 1) {
      const answer = await loop.say(at === 0 ? first : `Go on. ${prose(400, at)}`);
      const results = answer.content.flatMap((block) =>
        block.type === "tool_use"
          ? [
              {
                type: "tool_result" as const,
                tool_use_id: block.id,
                content: `A page says: ${CLAIM}.`,
              },
            ]
          : [],
      );
      if (results.length > 0) {
        loop.messages.push({ role: "user", content: results });
        loop.messages.push({
          role: "assistant",
          content: (
            await client.messages.create({
              model: UNBOUND,
              max_tokens: 500,
              tools: [look],
              messages: loop.messages as never,
            })
          ).content,
        });
      }
      await tidemark.idle();
    }
  };
  const distilled = () => events.filter(({ type }) => type === "distilled").length;
  await until(() => distilled() > 0, "LOOK at the page, please.");
  learnt = true;
  const now = distilled();
  return {
    server,
    tidemark,
    talk: (first: string, until_ = () => distilled() > now) => until(until_, first),
  };
}

/** What is remembered of the claim, and what the next conversation is told in its system text. */
async function whatStands({
  server,
  tidemark,
}: Pick<Awaited<ReturnType<typeof claimed>>, "server" | "tidemark">) {
  const memories = await tidemark.memory.list({ limit: 1_000 });
  await loopOf(clientOf(server, tidemark), { model: UNBOUND, tools: [look] }).say(
    "A new conversation.",
  );
  const system = systemText(spoken(server).at(-1)!.body);
  return { memories, of: memories.filter(({ content }) => /4471/.test(content)), system };
}

const recalledIn = (requests: readonly Received[]): boolean =>
  requests.some(({ body }) => JSON.stringify(body.messages).includes("<tidemark-recall>"));

describe("a page's claim that was recalled", () => {
  it("stays a page's claim when a distiller says it otherwise as the user's or the assistant's, and what the user says beside it stays the user's", async () => {
    const world = await claimed(
      {},
      {
        reply: "It is HX-4471, of Nordlys.",
        facts: (all) => {
          const [asked, answered] = [ordinal(all, QUESTION), ordinal(all, "It is HX-4471")];
          return [
            ...REWORDED.flatMap((content, at) => [
              { content, from: [asked] },
              { content: `${content} (${at})`, from: [answered] },
              { content: `${content}!!`, from: [asked, answered] },
            ]),
            { content: OWN_FACT, from: [asked] },
          ].map((fact) => ({ ...fact, category: "decision", importance: 0.9 }));
        },
      },
    );
    await world.talk(`${OWN} ${QUESTION}`);
    expect(recalledIn(world.server.requests)).toBe(true);
    const { memories, of, system } = await whatStands(world);
    expect(of.length).toBeGreaterThan(4);
    expect(of.filter(({ origin }) => origin !== "tool" && origin !== "untrusted")).toEqual([]);
    expect(memories.find(({ content }) => content === OWN_FACT)?.origin).toBe("user");
    expect(system).toContain("Ilse");
    expect(system).not.toContain("4471");
  });
});
