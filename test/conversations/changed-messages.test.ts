import { describe, expect, it } from "vitest";
import type { Complete, Message } from "../../src/core/request.ts";
import { assistant, call, openRoom, result, type Room, tell, user } from "../support/talk.ts";

const rain = "It rains on the crates of the quay. ".repeat(8);
const asks = (turn: number): Message =>
  user(`Question ${turn}: where does crate ${turn} stand? ${rain}`);
const answers = (turn: number): Message =>
  assistant(`Crate ${turn} stands in shed ${turn}, behind the scales. ${rain}`);

/** A distiller that keeps what it was shown, and answers well. */
function listening(): { complete: Complete; seen: () => string; factsOf: () => string } {
  const seen: string[] = [];
  const facts: string[] = [];
  const complete: Complete = ({ messages }) => {
    const { content } = messages.at(-1) as { content: string };
    seen.push(JSON.stringify(messages));
    facts.push(content.slice(content.search(/\[#\d+ /)));
    return Promise.resolve({
      text: JSON.stringify({ facts: [], summary: "They looked for crates." }),
    });
  };
  return { complete, seen: () => seen.join("\n"), factsOf: () => facts.join("\n") };
}

interface Way {
  /** The messages of the turn that changes, and the one of them that does, before and after. */
  readonly turn: readonly Message[];
  readonly at: number;
  readonly after: Message;
  readonly before: string;
  readonly word: string;
}

const called = call("job", "start", { path: "Anemone.txt" });
const ends = assistant("It was started, and I shall look again.");
const page = {
  type: "document",
  source: { type: "text", media_type: "text/plain", data: "The Zephyrine lies at berth nine." },
  title: "Harbour book",
};
const WAYS: Record<string, Way> = {
  "a result that came in later": {
    turn: [user("Start it."), called, result("job", "Anemone: started"), ends],
    at: 2,
    after: result("job", "Zephyrine came in with 40 crates"),
    before: "Anemone",
    word: "Zephyrine",
  },

  "a corrected call": {
    turn: [user("Start it."), called, result("job", "started"), ends],
    at: 1,
    after: call("job", "start", { path: "Zephyrine.txt" }),
    before: "Anemone",
    word: "Zephyrine",
  },
  "an added document": {
    turn: [user("Read the Anemone page."), ends],
    at: 0,
    after: user([{ type: "text", text: "Read the Anemone page." }, page]),
    before: "Anemone",
    word: "Zephyrine",
  },
};

/** Turns of talk in which one message is shown otherwise from turn `from` on; answers what was sent in each. */
async function playWay(
  room: Room,
  { turn, at, after }: Way,
  { from, to }: { from: number; to: number },
) {
  const first = [asks(0), answers(0)];
  const line: Message[] = [];
  const sent: { request: readonly Message[]; fold?: string }[] = [];
  for (let number = 0; number < to; number++) {
    if (number === from) line[first.length + at] = after;
    const [ask, ...rest] =
      number === 1 ? turn : number === 0 ? first : [asks(number), answers(number)];
    if (!ask) throw new Error("a turn begins with a question");
    line.push(ask);
    for (let next = 0; next < rest.length; next += 2) {
      const { request, folded } = await tell(room.tidemark, line, rest[next]);
      sent.push({ request: request.messages, ...(folded ? { fold: folded.id } : {}) });
      line.push(...rest.slice(next, next + 2));
      await room.tidemark.idle();
    }
  }
  return { line, sent, folds: sent.flatMap(({ fold }) => fold ?? []) };
}

const TIGHT = { window: { tokens: 3_000, patience: 0 } };

describe.each(Object.entries(WAYS))(
  "an earlier message that its caller shows otherwise: %s",
  (_name, way) => {
    it.each([
      ["before a fold reaches it", 3],
      ["after one has", 20],
    ])(
      "%s, is one message with two forms, both read and found, and the new one is distilled",
      async (_when, from) => {
        const { complete, seen } = listening();
        const room = await openRoom({ ...TIGHT, distil: complete });
        const { line, folds } = await playWay(room, way, { from, to: 32 });
        const [listed, ...others] = await room.tidemark.history.list();
        expect(others).toEqual([]);
        const { messages, earlier = [] } = await room.tidemark.history.read({
          conversation: listed?.id ?? "",
        });
        expect(messages).toEqual(line);
        expect(earlier).toEqual([{ at: 2 + way.at, message: way.turn[way.at] }]);
        // What a tool was asked, and a document, are read and not searched.
        for (const word of way.at === 2 ? [way.word, way.before] : [])
          expect(
            JSON.stringify(await room.tidemark.memory.search(word, { in: ["history"] })),
          ).toContain(word);
        // A distiller that reads the conversation written out is told of a document, and not what stands in it.
        if (way.at !== 0) expect(seen()).toContain(way.word);
        expect(folds.length).toBeGreaterThan(1);
        const read = async (fold?: string) =>
          JSON.stringify((await room.tidemark.history.read({ fold: fold ?? "" })).messages);
        expect(await read(folds.at(-1))).toContain(way.word);
        if (from > 10) expect(await read(folds[0])).toContain(way.before);
        if (from > 10 && way.at !== 0) expect(await read(folds[0])).not.toContain(way.word);
      },
    );
  },
);

describe("folds of a conversation some message of which has changed", () => {
  const way = WAYS["a result that came in later"]!;

  const worded = (messages: readonly Message[]): boolean =>
    JSON.stringify(messages).includes(way.word);

  it("go where they speak for its old form: the model reads the new one", async () => {
    const room = await openRoom({ ...TIGHT, distil: listening().complete });
    const { line, folds } = await playWay(room, way, { from: 99, to: 8 });
    const [{ id } = { id: "" }] = await room.tidemark.history.list();
    const fold = await room.tidemark.fold({ conversation: id });
    expect([folds, "id" in fold]).toEqual([[], true]);
    line[2 + way.at] = way.after;
    expect(worded((await tell(room.tidemark, [...line, asks(8)])).request.messages)).toBe(true);
    expect(
      (await room.tidemark.history.folds()).map(({ undoneAt }) => undoneAt === undefined),
    ).toEqual([false]);
  });
});

describe("a caller's own summary in place of the head", () => {
  it("is read for the summary before it leaves, and never as facts", async () => {
    const { complete, seen, factsOf } = listening();
    const room = await openRoom({ ...TIGHT, distil: complete });
    const line: Message[] = [];
    const summary = user("My own summary: the Zephyrine lies at berth nine.");
    for (let turn = 0; turn < 40; turn++) {
      line.push(asks(turn));
      await tell(room.tidemark, turn < 8 ? line : [summary, ...line.slice(10)], answers(turn));
      line.push(answers(turn));
      await room.tidemark.idle();
    }
    expect(await room.tidemark.history.list()).toHaveLength(1);
    expect(seen()).toContain("Zephyrine");
    const asked = factsOf()
      .split(/(?=\[#\d+ )/)
      .filter((part) => part.includes("Zephyrine"));
    expect(asked.length).toBeGreaterThan(0);
    const instructions = seen().match(/Facts: (?:from messages \d+ to \d+|none are wanted)/g) ?? [];
    expect(instructions.length).toBeGreaterThan(0);
    for (const part of asked) expect(part).toMatch(/^\[#1 /);
  });
});
