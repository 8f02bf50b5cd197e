import { describe, expect, it } from "vitest";
import { dialectFor } from "../../src/providers/detect.ts";
import type { Format, Message } from "../../src/core/request.ts";
import type { Tidemark, Turn } from "../../src/session/options/tidemark-api.ts";
import { seededHistory, validAnthropic, validOpenAI } from "../support/histories.ts";
import { chance } from "../support/histories-random.ts";
import { asReply, assistant, copied, openRoom, play, requestOf, user } from "../support/talk.ts";

const words = (count: number, name: string): string =>
  Array.from({ length: count }, (_, index) => `${name}${index}`).join(" ");
const config = expect.objectContaining({ code: "config" }) as unknown;

/** A loop that goes on with a conversation until Tidemark folds; how it ended. */
const untilFold = (
  tidemark: Tidemark,
  messages: Message[],
  { turns = 60, size = 60 }: { turns?: number; size?: number } = {},
): Promise<Turn> =>
  play(tidemark, {
    messages,
    turns,
    calls: () => `Question ${messages.length}: ${words(size, `q${messages.length}x`)}`,
    reply: () => `Answer ${messages.length}: ${words(size, `a${messages.length}x`)}`,
    until: ({ folded }) => folded,
  });

// What is tested is what an undo does, not how fast this machine is: who waits for a summary waits until it is there.
const window = { tokens: 8_000, reserve: 100, patience: 60_000 };
const bare = { window, inject: false } as const;

describe("history.undo", () => {
  it("brings them back in another process, too", async () => {
    const room = await openRoom(bare);
    const messages: Message[] = [];
    const { folded } = await untilFold(room.tidemark, messages);
    const kept = [...messages, user("And now?")];
    const before = (await room.tidemark.begin(requestOf(kept))).request;
    const reopened = await room.reopen();
    expect((await reopened.begin(requestOf(copied(kept)))).request).toEqual(before);
    expect(await reopened.history.undo(folded!.id)).toEqual({
      messages: folded!.messages,
      folds: [folded!.id],
    });
    const again = await room.reopen();
    expect((await again.begin(requestOf(copied(kept)))).request.messages).toEqual(kept);
  });

  it("keeps the facts, and distils nothing a second time", async () => {
    const asked: string[] = [];
    const complete = ({ messages }: { messages: readonly Message[] }) => {
      const { content } = messages.at(-1) as { content: string };
      asked.push(/^Facts: .*$/m.exec(content)?.[0] ?? "");
      return Promise.resolve({
        text: JSON.stringify({
          facts: [
            { content: `Fact ${asked.length}.`, category: "daily", importance: 0.5, from: [1] },
          ],
          summary: "They asked and answered.",
        }),
      });
    };
    const room = await openRoom({ ...bare, distil: complete as never, window });
    const messages: Message[] = [];
    const { folded } = await untilFold(room.tidemark, messages);
    await room.tidemark.idle();
    const facts = (await room.tidemark.memory.list()).map(({ content }) => content);
    expect(facts.length).toBeGreaterThan(0);
    const calls = asked.length;
    await room.tidemark.history.undo(folded!.id);
    await untilFold(room.tidemark, messages);
    await room.tidemark.idle();
    expect((await room.tidemark.memory.list()).map(({ content }) => content)).toEqual(
      expect.arrayContaining(facts),
    );
    // What was distilled before the undo is shown for the summary's sake, not asked for facts again.
    expect(asked.slice(calls).length).toBeGreaterThan(0);
    for (const line of asked.slice(calls))
      expect(Number(/from messages (\d+)/.exec(line)?.[1] ?? Infinity)).toBeGreaterThan(1);
  });

  it("is not folded over before the request has grown by a twentieth of the limit, restarts in between or not", async () => {
    const room = await openRoom(bare);
    const messages: Message[] = [];
    const { folded } = await untilFold(room.tidemark, messages);
    await room.tidemark.history.undo(folded!.id);
    const first = await play(room.tidemark, { messages, calls: ["Go on."] });
    expect(first.window.mark).toBe("compact");
    expect(room.events.at(-1)).toEqual({
      type: "fold-refused",
      reason: expect.stringMatching(/was undone/) as string,
    });
    await room.reopen();
    const begun = await play(room.tidemark, {
      messages,
      turns: 20,
      calls: (turn) => `And? ${words(20, `w${turn}x`)}`,
      until: ({ folded: again }) => again,
    });
    const grown = (begun.folded?.before ?? 0) - first.window.used;
    expect(grown).toBeGreaterThanOrEqual(0.05 * first.window.limit);
    expect(grown).toBeLessThan(0.08 * first.window.limit);
  });

  it("folds at the brim all the same, and on demand", async () => {
    const { tidemark } = await openRoom(bare);
    const messages: Message[] = [];
    const { folded } = await untilFold(tidemark, messages);
    await tidemark.history.undo(folded!.id);
    await play(tidemark, { messages, calls: ["Go on."] });
    messages.push(user(words(900, "long")));
    const brim = await tidemark.begin(requestOf(messages));
    expect(brim.folded).toBeDefined();
    await brim.end(asReply(assistant("Done.")));
    await tidemark.history.undo(brim.folded!.id);
    expect(await tidemark.fold()).toMatchObject({ id: expect.any(String) as string });
  });

  it("takes back the folds made on top of it, and leaves those before it", async () => {
    const { tidemark } = await openRoom(bare);
    const messages: Message[] = [];
    const folds: string[] = [];
    for (let fold = 0; fold < 3; fold++)
      folds.push((await untilFold(tidemark, messages)).folded!.id);
    const stood = (await tidemark.begin(requestOf([...messages, user("Now?")]))).folded;
    expect(stood).toBeUndefined();
    const counts = (await tidemark.history.folds()).map(({ messages: many }) => many).toReversed();
    const undone = await tidemark.history.undo(folds[1]!);
    expect(undone?.folds).toEqual(folds.slice(1));
    expect(undone?.messages).toBe(counts[2]! - counts[0]!);
    expect(
      (await tidemark.history.folds()).map(({ id, undoneAt }) => [id, undoneAt !== undefined]),
    ).toEqual([
      [folds[2], true],
      [folds[1], true],
      [folds[0], false],
    ]);
    expect(await tidemark.history.undo(folds[0]!)).toMatchObject({
      messages: counts[0],
      folds: [folds[0]],
    });
  });

  it("brings a fold back in the branches that inherited it, and not in conversations of others", async () => {
    const room = await openRoom(bare);
    const [ada, bob] = [room.tidemark.as({ user: "ada" }), room.tidemark.as({ user: "bob" })];
    const messages: Message[] = [];
    const { folded } = await untilFold(ada, messages);
    const branch = [...messages.slice(0, -2), user("Or rather?")];
    const begun = await ada.begin(requestOf(branch));
    await begun.end(asReply(assistant("Rather.")));
    expect(begun.request.messages.length).toBeLessThan(branch.length);
    expect(await bob.history.undo(folded!.id)).toBeUndefined();
    expect(await bob.history.diff(folded!.id)).toBeUndefined();
    expect(await bob.history.folds()).toEqual([]);
    expect(await ada.history.undo(folded!.id)).toEqual({
      messages: folded!.messages,
      folds: [folded!.id],
    });
    for (const line of [
      [...messages, user("Go on.")],
      [...branch, assistant("Rather."), user("Go on.")],
    ]) {
      expect((await ada.begin(requestOf(line))).request.messages).toEqual(line);
    }
  });

  it("knows nothing of folds that are not there or undone already, and refuses what cannot be meant", async () => {
    const { tidemark } = await openRoom(bare);
    const messages: Message[] = [];
    const { folded } = await untilFold(tidemark, messages);
    expect(await tidemark.history.undo("nowhere")).toBeUndefined();
    expect(await tidemark.history.undo(folded!.id)).toBeDefined();
    expect(await tidemark.history.undo(folded!.id)).toBeUndefined();
    for (const fold of [undefined, null, "", 7, {}]) {
      await expect(tidemark.history.undo(fold as never)).rejects.toEqual(config);
      await expect(tidemark.history.diff(fold as never)).rejects.toEqual(config);
    }
    const [listed] = await tidemark.history.list();
    await tidemark.history.forget({ conversation: listed!.id });
    expect(await tidemark.history.folds()).toEqual([]);
    expect(await tidemark.history.diff(folded!.id)).toBeUndefined();
  });
});

describe("an undo in any conversation", () => {
  const RUNS = 8;
  const conversationOf = (format: Format, messages: readonly Message[]) =>
    messages.slice(dialectFor({ messages }, format).preamble(messages));
  const judged = (format: Format, messages: readonly Message[]) =>
    format === "anthropic" ? validAnthropic(messages) : validOpenAI(messages);

  it(`sends exactly the caller's messages again below the brim, and the next fold is valid (${RUNS} random ones)`, async () => {
    let undone = 0;
    let refolded = 0;
    for (let seed = 0; seed < RUNS; seed++) {
      const random = chance(seed ^ 0x0d0);
      const format: Format = random.maybe(0.6) ? "anthropic" : "openai-chat";
      const all = seededHistory(format, seed, {
        turns: 24,
        text: random.pick([100, 500]),
        long: random.pick([1_000, 6_000]),
      });
      const { tidemark } = await openRoom({
        workspace: false,
        inject: random.maybe(0.5) ? false : "context",
        window: { tokens: random.pick([3_000, 6_000]), reserve: 50, keepLast: 1 + random.nat(5) },
      });
      let last: string | undefined;
      for (let upTo = 1; upTo <= all.length; upTo++) {
        if (all[upTo]?.role !== "assistant" && upTo < all.length) continue;
        const request = { model: "m", messages: all.slice(0, upTo) };
        let turn = await tidemark.begin(request, { format }).catch(() => undefined);
        if (turn === undefined) break;
        if (turn.folded && last !== undefined) {
          refolded += 1;
          expect(
            judged(format, turn.request.messages) === undefined ||
              judged(format, request.messages) !== undefined,
            `seed ${seed}: ${judged(format, turn.request.messages)}`,
          ).toBe(true);
        }
        if (turn.folded) {
          last = turn.folded.id;
          const [, ...earlier] = (await tidemark.history.folds())
            .toReversed()
            .filter(({ undoneAt }) => undoneAt === undefined);
          const first = (await tidemark.history.folds())
            .toReversed()
            .find(({ undoneAt }) => undoneAt === undefined);
          const back = await tidemark.history.undo(first!.id);
          expect(back?.folds).toHaveLength(earlier.length + 1);
          turn = await tidemark.begin(request, { format });
          if (turn.window.mark !== "brim" && turn.folded === undefined) {
            const sent = conversationOf(format, turn.request.messages);
            const given = conversationOf(format, request.messages);
            const thinks = given.some((message) =>
              dialectFor({ messages: given }, format).thinks(message),
            );
            if (!thinks) expect(sent, `seed ${seed}`).toEqual(given);
            else expect(sent).toHaveLength(given.length);
            undone += 1;
          }
        }
        const reply = all[upTo];
        if (reply) await turn.end(asReply(reply, format));
      }
    }
    expect(undone).toBeGreaterThan(1);
    expect(refolded).toBeGreaterThan(1);
  });
});
