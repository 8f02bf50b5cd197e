import { describe, expect, it } from "vitest";
import type { Format, Message } from "../../src/core/request.ts";
import { seededHistory } from "../support/histories.ts";
import { chance } from "../support/histories-random.ts";
import {
  asReply,
  assistant,
  call,
  openRoom,
  play,
  requestOf,
  result,
  tell,
  user,
} from "../support/talk.ts";

const words = (count: number, name: string): string =>
  Array.from({ length: count }, (_, index) => `${name}${index}`).join(" ");
const window = { tokens: 8_000, reserve: 100 };

/** Facts of its own, one a call. */
function distiller() {
  let calls = 0;
  return () => {
    calls += 1;
    return Promise.resolve({
      text: JSON.stringify({
        facts: [
          {
            content: `The ${calls}. harbour gate opens at ${calls} o'clock.`,
            category: "decision",
            importance: 0.9,
            from: [1],
          },
        ],
        summary: `They asked and answered, part ${calls}.`,
      }),
    });
  };
}

async function talked(options: Parameters<typeof openRoom>[0] = {}, folds = 1) {
  const room = await openRoom({
    distil: distiller(),
    window: { ...window, patience: 5_000 },
    ...options,
  });
  const messages: Message[] = [];
  const made: string[] = [];
  await play(room.tidemark, {
    messages,
    turns: 60,
    calls: (turn) => `Question ${turn}: ${words(60, `q${turn}x`)}`,
    reply: (turn) => `Answer ${turn}: ${words(60, `a${turn}x`)}`,
    until: ({ folded }) => {
      if (folded) made.push(folded.id);
      return made.length === folds;
    },
  });
  await room.tidemark.idle();
  return { room, messages, folds: made };
}

describe("history.diff", () => {
  it("says which messages were kept and dropped, by ordinal and first words, and what it saved", async () => {
    const { room, messages, folds } = await talked();
    const diff = await room.tidemark.history.diff(folds[0]!);
    const [info] = await room.tidemark.history.folds();
    expect(diff?.fold).toEqual(info);
    expect(info).toEqual({
      id: folds[0],
      conversation: expect.any(String) as string,
      at: expect.any(Number) as number,
      messages: diff!.dropped.length,
      before: diff!.tokens.before,
      after: diff!.tokens.after,
    });
    // The fold was made when the last answer was not given yet.
    const there = messages.slice(0, -1);
    expect([...diff!.dropped, ...diff!.kept].map(({ ordinal }) => ordinal)).toEqual(
      there.map((_, index) => index + 1),
    );
    expect(diff!.kept.length).toBeGreaterThanOrEqual(4);
    for (const { ordinal, role, words: first } of [...diff!.dropped, ...diff!.kept]) {
      expect(role).toBe(there[ordinal - 1]?.role);
      expect((there[ordinal - 1]!.content as string).startsWith(first.replace(/…$/, ""))).toBe(
        true,
      );
      expect(first.length).toBeLessThanOrEqual(80);
    }
    expect(diff!.earlier).toBe(0);
    expect(diff!.tokens.after).toBeLessThan(diff!.tokens.before);
    expect(diff!.remembered.summary).toMatch(/^They asked and answered, part \d\.$/);
  });

  it("names what was remembered, and in which scope", async () => {
    const { room, folds } = await talked();
    const { remembered } = (await room.tidemark.history.diff(folds[0]!))!;
    expect(remembered.memories.length).toBeGreaterThan(0);
    for (const memory of remembered.memories) {
      expect(await room.tidemark.memory.get(memory.id)).toMatchObject({
        content: memory.content,
        scope: memory.scope,
        kind: memory.kind,
        category: memory.category,
      });
    }
    expect(remembered.gone).toBe(0);
    await room.tidemark.memory.forget(remembered.memories[0]!.id);
    const after = (await room.tidemark.history.diff(folds[0]!))!.remembered;
    expect(after.gone).toBe(1);
    expect(JSON.stringify(after.memories)).not.toContain(remembered.memories[0]!.content);
  });

  it("shows the pins that stood beside the summary, and messages that were sent shortened", async () => {
    const room = await openRoom({ window: { tokens: 6_000, reserve: 100 } });
    const pin = await room.tidemark.pin("Invoices are always in euro.");
    await room.tidemark.as({ user: "bob" }).pin("Bob's own.");
    const tools = [{ name: "read", input_schema: { type: "object" } }];
    const messages = [
      ...Array.from({ length: 6 }, (_, turn) => [
        user(`Question ${turn}: ${words(40, "q")}`),
        assistant(`Answer ${turn}: ${words(40, "a")}`),
      ]).flat(),
      user("Read it."),
      call("t1", "read", {}),
      result("t1", words(6_000, "r")),
    ];
    const turn = await tell(room.tidemark, messages, undefined, { request: { tools } });
    const diff = await room.tidemark.history.diff(turn.folded!.id);
    expect(diff!.remembered.pins).toEqual([
      { id: pin, text: "Invoices are always in euro.", pinned: true },
    ]);
    expect(diff!.kept.find(({ ordinal }) => ordinal === messages.length)).toMatchObject({
      role: "tool",
      shortened: true,
      words: expect.stringMatching(/^result: r0 r1/) as string,
    });
    expect([...diff!.kept, ...diff!.dropped].filter(({ shortened }) => shortened)).toHaveLength(1);
  });

  it("lists the folds of one conversation, by id or label, latest first", async () => {
    const { room, folds } = await talked({}, 2);
    const [conversation] = await room.tidemark.history.list();
    expect(
      (await room.tidemark.history.folds({ conversation: conversation!.id })).map(({ id }) => id),
    ).toEqual(folds.toReversed());
    expect(await room.tidemark.history.folds({ conversation: "another" })).toEqual([]);
    expect(await room.tidemark.as({ user: "ada" }).history.folds()).toEqual([]);
    expect(await room.tidemark.as({ user: "ada" }).history.diff(folds[0]!)).toBeUndefined();
  });

  it("is whole for any fold of random conversations: kept and dropped are all messages, each once", async () => {
    let looked = 0;
    for (let seed = 0; seed < 8; seed++) {
      const random = chance(seed ^ 0xd1ff);
      const format: Format = random.maybe(0.6) ? "anthropic" : "openai-chat";
      const all = seededHistory(format, seed, {
        turns: 14,
        text: random.pick([100, 500]),
        long: 3_000,
      });
      const { tidemark } = await openRoom({
        workspace: false,
        window: { tokens: random.pick([3_000, 6_000]), reserve: 50 },
      });
      for (let upTo = 1; upTo < all.length; upTo++) {
        if (all[upTo]?.role !== "assistant") continue;
        const turn = await tidemark
          .begin({ ...requestOf(all.slice(0, upTo)) }, { format })
          .catch(() => undefined);
        if (turn === undefined) break;
        if (turn.folded) {
          const diff = (await tidemark.history.diff(turn.folded.id))!;
          const [conversation] = await tidemark.history.list();
          expect(
            [...diff.dropped, ...diff.kept].map(({ ordinal }) => ordinal),
            `seed ${seed}`,
          ).toEqual(Array.from({ length: conversation!.messages }, (_, index) => index + 1));
          expect(diff.dropped).toHaveLength(turn.folded.messages);
          expect(diff.tokens).toEqual({ before: turn.folded.before, after: turn.folded.after });
          looked += 1;
        }
        await turn.end(asReply(all[upTo]!, format));
      }
    }
    expect(looked).toBeGreaterThan(5);
  });
});
