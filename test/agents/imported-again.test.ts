import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Complete, openTidemark } from "../../src/index.ts";
import { openRoom } from "../support/talk.ts";
import { NOON } from "../support/workspace.ts";

const said = (text: string, more: object = {}, role = "user") => ({ role, text, ...more });
const CHAT = [
  said("Where is the key?"),
  said("Under the mat.", {}, "assistant"),
  said("And the lamp?"),
  said("In the hall.", {}, "assistant"),
];
const room = async () => (await openRoom({ workspace: false })).tidemark.history;
const texts = async (history: Awaited<ReturnType<typeof room>>) =>
  (await history.read({ conversation: "old" })).messages.map(({ text }) => text);

describe("a conversation that is imported again", () => {
  it.each([
    ["in the middle", 1],
    ["at its beginning", 0],
    ["at its end", 3],
  ])("with a message changed %s has it in its place; how it was is kept beside", async (_, at) => {
    const history = await room();
    await history.import({ id: "old", messages: CHAT });
    const changed = { ...CHAT[at], role: CHAT[at]?.role ?? "", text: "Something else." };
    const messages = CHAT.with(at, changed);
    expect(await history.import({ id: "old", messages })).toBe(1);
    expect(await texts(history)).toEqual(messages.map(({ text }) => text));
    expect((await history.read({ conversation: "old" })).earlier).toMatchObject([
      { at, message: { text: CHAT[at]?.text } },
    ]);
    expect(await history.import({ id: "old", messages })).toBe(0);
    expect(await history.import({ id: "old", messages: [...messages, said("Thanks.")] })).toBe(1);
    expect((await texts(history)).at(-1)).toBe("Thanks.");
  });

  it("knows a message by its reference, though it is told alone", async () => {
    const history = await room();
    const named = CHAT.map((message, at) => ({ ...message, ref: `m${at}` }));
    await history.import({ id: "old", messages: named });
    const again = [said("In the cellar.", { ref: "m3" }, "assistant")];
    expect(await history.import({ id: "old", messages: again })).toBe(1);
    expect(await texts(history)).toEqual([
      ...CHAT.slice(0, 3).map(({ text }) => text),
      "In the cellar.",
    ]);
  });

  it("by two programs at once is one conversation", async () => {
    const { tidemark, file } = await openRoom();
    const { history, close } = await openTidemark({ workspace: join(file, "..", "..") });
    const all = [tidemark.history, tidemark.history, history];
    const added = await Promise.all(all.map((one) => one.import({ id: "old", messages: CHAT })));
    expect(added.toSorted()).toEqual([0, 0, CHAT.length]);
    expect(await history.list()).toHaveLength(1);
    await close();
  });

  it("in part adds what is new behind", async () => {
    const history = await room();
    await history.import({ id: "old", messages: CHAT });
    await history.import({ id: "old", messages: [...CHAT.slice(2), said("Thanks.")] });
    await history.import({ id: "old", messages: [said("Bye.")] });
    expect(await texts(history)).toEqual([...CHAT.map(({ text }) => text), "Thanks.", "Bye."]);
  });
});

describe("the moment of an imported message", () => {
  it("may be seconds, with parts of them; before 2000 and in the future it is asked about", async () => {
    const history = await room();
    for (const at of [1_767_000_000.25, 1_767_000_000]) {
      await history.import({ id: `${at}`, messages: [said("Hello", { at })] });
      const { messages } = await history.read({ conversation: `${at}` });
      expect(messages[0]?.at).toBe(at * 1_000);
    }
    for (const at of [0, 12, "1999-12-31T00:00:00Z", NOON + 100 * 86_400_000 * 365, 4e9]) {
      const refused = history.import({ id: "odd", messages: [said("Hello", { at })] });
      await expect(refused).rejects.toThrow(
        /^history\.import: [^\n]*(before 2000|in the future); [^\n]*leave "at" out\.$/,
      );
    }
  });
});

interface Word {
  readonly id: number;
  readonly text: string;
  readonly role: string;
}
const edit = fc.record({
  at: fc.nat({ max: 30 }),
  what: fc.constantFrom("insert", "remove", "change"),
  count: fc.integer({ min: 1, max: 3 }),
});
type Edit = typeof edit extends fc.Arbitrary<infer Made> ? Made : never;

/** The transcript behind some edits of it; each new message says what none has said. */
function edited(before: readonly Word[], edits: readonly Edit[], next: () => number): Word[] {
  const after = [...before];
  for (const { at, what, count } of edits) {
    const from = at % (after.length + 1);
    const made = Array.from({ length: what === "remove" ? 0 : count }, (_, nth) => {
      const id = next();
      const { role } = after[from + nth] ?? { role: id % 2 === 0 ? "user" : "assistant" };
      return { id, role, text: `Crate ${id} stands in shed ${id}.` };
    });
    after.splice(from, what === "insert" ? 0 : count, ...made);
  }
  return after;
}

/** A model that remembers each message it is shown, and of which of them it was shown how often. */
function reader() {
  const shown = new Map<string, number>();
  const complete: Complete = async ({ messages }) => {
    // What is known already stands before the transcript.
    const [, transcript] = JSON.stringify(messages.at(-1)).split(
      /<tidemark-transcript|<transcript/,
    );
    const said = new Set(transcript?.match(/Crate \d+ stands in shed \d+\./g));
    for (const one of said) shown.set(one, (shown.get(one) ?? 0) + 1);
    const facts = [...said].map((content) => ({ content, category: "fact", importance: 0.8 }));
    return { text: JSON.stringify({ summary: "", facts }) };
  };
  return { shown, complete };
}

describe("a transcript that was edited anywhere and is imported again", () => {
  it("reads as it does now; what stayed is the same to the search, and nothing is distilled twice", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 6, max: 24 }),
        fc.array(fc.array(edit, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        async (length, rounds, named) => {
          const { shown, complete } = reader();
          const { tidemark } = await openRoom({ workspace: false, distil: complete });
          let last = 0;
          let words = edited([], [{ at: 0, what: "insert", count: length }], () => ++last);
          const told = (some: readonly Word[]) =>
            some.map(({ id, role, text }) => ({ role, text, ...(named && { ref: `m${id}` }) }));
          const bring = async (): Promise<void> => {
            await tidemark.history.import({ id: "old", messages: told(words) });
            await tidemark.idle();
          };
          await bring();
          for (const edits of rounds) {
            const before = await tidemark.memory.list({ limit: 100 });
            const next = edited(words, edits, () => ++last);
            const kept = next.filter((one) => words.includes(one)).length;
            const isPart = words
              .map(({ id }) => id)
              .join()
              .includes(next.map(({ id }) => id).join());
            // Of a part, and of a text of which little stayed, it is not known what is to go.
            if (isPart || kept * 2 < words.length || next[0] !== words[0]) continue;
            if (next.at(-1) !== words.at(-1) && words.includes(next.at(-1) as Word)) continue;
            words = next;
            await bring();
            const { messages } = await tidemark.history.read({ conversation: "old" });
            expect(messages).toEqual(told(words));
            const ids = new Set((await tidemark.memory.list({ limit: 100 })).map(({ id }) => id));
            expect(before.filter(({ id }) => !ids.has(id))).toEqual([]);
          }
          expect([...shown].filter(([, times]) => times > 1)).toEqual([]);
          for (const { text } of words.slice(0, 2)) {
            const hits = await tidemark.memory.search(text, { in: ["history"] });
            expect(hits.filter((hit) => hit.text === text)).toHaveLength(1);
          }
        },
      ),
      { numRuns: 25 },
    );
  });
});
