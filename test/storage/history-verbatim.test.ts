import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Format, Message } from "../../src/core/request.ts";
import { realHistories, seededHistory } from "../support/histories.ts";
import {
  asReply,
  assistant,
  conversations,
  copied,
  openRoom,
  requestOf,
  tell,
} from "../support/talk.ts";
import { runs } from "../support/runs.ts";
import { anyCharacter } from "../support/any-character.ts";

/** Plays a history: each reply is archived where it came, the rest is passed as the caller's. */
async function play(
  room: Awaited<ReturnType<typeof openRoom>>,
  history: readonly Message[],
  format: Format,
  preamble = 0,
): Promise<void> {
  for (const [index, message] of history.entries()) {
    if (message.role !== "assistant" || index <= preamble) continue;
    const turn = await room.tidemark.begin(requestOf(history.slice(0, index)), { format });
    await turn.end(asReply(message, format));
  }
  await room.tidemark.begin(requestOf(history), { format });
}

const instructions = (history: readonly Message[]): number => {
  const end = history.findIndex(({ role }) => role !== "system" && role !== "developer");
  return end < 0 ? history.length : end;
};

/** Any JSON, and what has broken archives before: keys that mean something, halves of characters, zero bytes, great numbers. */
const strings = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom(
    "\ud800",
    "\udc00a",
    "a\ud83d",
    "\u0000",
    "a\u0000b",
    "\ufeff",
    "\u2028",
    "\u202e",
    '<tidemark-summary fold="x">',
    "x".repeat(2_000),
  ),
  fc.integer({ min: 500, max: 2_000 }).map((length) => "A".repeat(length)),
);
// Without a backslash: V8 (Node 24.21) reads any key that begins with an escape as a lone backslash once it has met that key.
const keys = fc.oneof(
  strings.map((text) => text.replaceAll("\\", "/")),
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "length",
    "type",
    "data",
    "url",
    "file_data",
    "content",
    "text",
    "cache_control",
    "then",
  ),
);
// -0 is written as 0 by every JSON there is.
const numbers = fc
  .oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(1e308, 5e-324, 2 ** 53 + 2, -1e21, 12345678901234567890),
  )
  .map((number) => (number === 0 ? 0 : number));
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    strings,
    numbers,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("json"), { maxLength: 4 }),
    fc
      .array(fc.tuple(keys, tie("json")), { maxLength: 4 })
      .map(
        (entries) =>
          JSON.parse(
            `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",")}}`,
          ) as unknown,
      ),
  ),
}));

/** Anything a program could pass for a message. */
const oddMessage = fc
  .tuple(
    fc.constantFrom("user", "assistant", "tool", "system", "", "__proto__"),
    fc.oneof(json, fc.array(json, { maxLength: 4 })),
    fc.array(fc.tuple(keys, json), { maxLength: 3 }),
  )
  .map(
    ([role, content, more]) =>
      JSON.parse(
        `{"role":${JSON.stringify(role)},"content":${JSON.stringify(content)}${more.map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`).join("")}}`,
      ) as Message,
  );

describe("what is read from history", () => {
  it.each<Format>(["anthropic", "openai-chat"])(
    "is deep-equal to what was seen, over a restart, for random valid histories (%s)",
    async (format) => {
      const room = await openRoom();
      for (let seed = 0; seed < 24; seed++) {
        const history = seededHistory(format, seed, { turns: 5, long: 2_000 });
        const user = `user-${seed}`;
        const preamble = format === "openai-chat" ? instructions(history) : 0;
        await play({ ...room, tidemark: room.tidemark.as({ user }) }, history, format, preamble);
        if (seed % 10 === 9) await room.reopen();
        const lines = await conversations(room.tidemark.as({ user }));
        expect(lines[0]).toEqual(history.slice(preamble));
      }
      expect(room.events.filter(({ type }) => type === "degraded")).toEqual([]);
    },
  );

  it.each<Format>(["anthropic", "openai-chat"])(
    "is deep-equal to what was seen for any JSON, over a restart (%s)",
    async (format) => {
      const room = await openRoom({ inject: false });
      let user = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(oddMessage, { minLength: 1, maxLength: 6 }), async (history) => {
          const who = { user: `user-${++user}` };
          const copy = copied(history);
          const preamble = format === "openai-chat" ? instructions(history) : 0;
          await tell(room.tidemark.as(who), history, assistant("Well."), { format });
          if (user % 25 === 0) await room.reopen();
          const lines = await conversations(room.tidemark.as(who));
          // Node's comparison knows that a key may be called "constructor"; the JSON shows that the order of keys stayed too.
          const seen =
            preamble === history.length ? [] : [[...history.slice(preamble), assistant("Well.")]];
          expect(JSON.stringify(lines)).toBe(JSON.stringify(seen));
          expect(isDeepStrictEqual(lines, seen)).toBe(true);
          expect(isDeepStrictEqual(history, copy)).toBe(true);
        }),
        { numRuns: runs(40) },
      );
      expect(room.events.filter(({ type }) => type === "degraded")).toEqual([]);
    },
  );

  it("is whole for every real transcript, in the caller's order", async () => {
    const room = await openRoom({ workspace: false });
    for (const { name, format, messages } of realHistories()) {
      const tidemark = room.tidemark.as({ user: name });
      const preamble = format === "openai-chat" ? instructions(messages) : 0;
      const replies = messages.flatMap(({ role }, index) =>
        role === "assistant" && index > preamble ? [index] : [],
      );
      // A call at every reply would take minutes with the largest: a loop that was joined late looks the same.
      for (const index of replies.slice(-12)) {
        const turn = await tidemark.begin(requestOf(messages.slice(0, index)), { format });
        await turn.end(asReply(messages[index]!, format));
      }
      await tidemark.begin(requestOf(messages), { format });
      expect(await conversations(tidemark), name).toEqual([messages.slice(preamble)]);
    }
    expect(room.events.filter(({ type }) => type === "degraded")).toEqual([]);
  });
});
