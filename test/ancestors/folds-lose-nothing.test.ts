// What the five systems that Tidemark learnt from lose, do twice or let through, by the name of the defect (and what others'
// users report of the same design). Those about memory itself stand in ranked-kept-and-ended.test.ts and vectors-in-step.test.ts.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { distiller, messageOf, replyOf, requestOf, tagsIn } from "../../drill/host.ts";
import type { Complete, Message } from "../../src/core/request.ts";
import type { Options, Turn } from "../../src/session/options/tidemark-api.ts";
import { modelInfo, refusalOf } from "../support/messages-server/index.ts";
import { assistant, call, leaveRooms, openRoom, result, type Room, user } from "../support/talk.ts";

afterEach(leaveRooms);

const SMALL: Partial<Options> = { window: { tokens: 8_000, reserve: 500, patience: 1 } };
const workspaceOf = (room: Room): string => dirname(dirname(room.file));
const all = (value: unknown): string => JSON.stringify(value);

/** The drill's distiller, and all that it was shown. */
function reader(): { complete: Complete; shown: Set<number>; facts: number[]; text: () => string } {
  const [shown, facts]: [Set<number>, number[]] = [new Set(), []];
  let text = "";
  const complete: Complete = async (request) => {
    const said = all(request.messages);
    text += said;
    for (const tag of tagsIn(said)) shown.add(tag);
    const reply = await distiller(request);
    for (const { content } of (JSON.parse(reply.text) as { facts: { content: string }[] }).facts)
      facts.push(Number(/\d+/.exec(content)?.[0]));
    return reply;
  };
  return { complete, shown, facts, text: () => text };
}

/** Has `messages` said one after the other, each of the user's as a turn; answers the last turn. */
async function converse(room: Room, messages: readonly Message[]): Promise<Turn> {
  let last: Turn | undefined;
  for (let at = 0; at < messages.length; at += 1) {
    if (messages[at]?.role !== "user" || messages[at + 1]?.role === "user") continue;
    last = await room.tidemark.begin(requestOf(messages.slice(0, at + 1)));
    expect(
      refusalOf(last.request, modelInfo("claude-sonnet-5-5", { max_input_tokens: 1e9 }), {
        reusedIds: true,
      }),
    ).toBeUndefined();
    const reply = messages[at + 1];
    if (reply) await last.end(replyOf(reply, Math.ceil(last.window.used)));
    await room.tidemark.idle();
  }
  if (last === undefined) throw new Error("nothing was said");
  return last;
}

const talk = (length: number): Message[] => Array.from({ length }, (_, at) => messageOf(at));
const foldsOf = (room: Room) => room.tidemark.history.folds();

describe("folding does not repeat", () => {
  it("messages of the user's in a row in front of the tail that are in neither the summary's range nor the request (OpenLegion 1)", async () => {
    const model = reader();
    const room = await openRoom({ ...SMALL, distil: model.complete });
    const messages: Message[] = Array.from({ length: 46 }, (_, at) => ({
      role: at % 5 === 4 ? "assistant" : "user",
      content: `«m${at}» ${"on and on it goes ".repeat(30)}`,
    }));
    const turn = await converse(room, messages.slice(0, 44));
    expect((await foldsOf(room)).length).toBeGreaterThan(0);
    const seen = new Set([...model.shown, ...tagsIn(all(turn.request.messages))]);
    for (let at = 0; at < 44; at += 1) expect(seen).toContain(at);
  });

  it("a distiller that reads the oldest 20,000 characters only: ends of long messages, and the last of them, are read too (OpenLegion 2, #1104)", async () => {
    const model = reader();
    const room = await openRoom({
      window: { tokens: 60_000, reserve: 500, patience: 1 },
      distil: model.complete,
    });
    const messages: Message[] = Array.from({ length: 15 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: `${`Part ${at} of the long report goes on. `.repeat(400)}«m${at}»`,
    }));
    await converse(room, messages);
    const [fold] = await foldsOf(room);
    expect(fold).toBeDefined();
    for (let at = 0; at < (fold?.messages ?? 0); at += 1) expect(model.facts).toContain(at);
  });

  it("a fold though the flush failed: nothing leaves the request, and history has it (OpenLegion 5, Pynchy's archive, SynthOrg's removal before archiving)", async () => {
    const distil = () => Promise.reject(new Error("the model is away"));
    const room = await openRoom({ ...SMALL, distil });
    const messages = talk(33);
    const turn = await converse(room, messages);
    expect(turn.window.mark).toBe("compact");
    expect(room.events.some(({ type }) => type === "distil-failed")).toBe(true);
    expect(await foldsOf(room)).toEqual([]);
    const sent = all(turn.request.messages);
    for (let at = 0; at < 33; at += 1) expect(tagsIn(sent)).toContain(at);
    const [conversation] = await room.tidemark.history.list();
    expect(
      (await room.tidemark.history.read({ conversation: conversation?.id ?? "" })).messages.length,
    ).toBeGreaterThanOrEqual(33);
  });

  it("'compacted' at 1,714 % with nothing made smaller: few huge messages are cut down to fit (OpenLegion 6, #1087)", async () => {
    const room = await openRoom({ ...SMALL, distil: distiller });
    const huge: Message[] = Array.from({ length: 7 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: `«m${at}» ${"word after word ".repeat(6_500)}`,
    }));
    const turn = await room.tidemark.begin(requestOf(huge));
    expect(turn.window.used).toBeLessThan(turn.window.limit);
    const [conversation] = await room.tidemark.history.list();
    expect(
      (await room.tidemark.history.read({ conversation: conversation?.id ?? "" })).messages,
    ).toEqual(huge);
  });

  it("what calls were given left out of what is distilled (OpenLegion 7, Pynchy)", async () => {
    const model = reader();
    const room = await openRoom({ ...SMALL, distil: model.complete });
    const messages = [
      user("Write it down."),
      call("toolu_1", "look", { path: "notes/quisquilia.md", text: "the vault opens at 04:11" }),
      result("toolu_1", "done"),
      assistant("It is written."),
      ...talk(54).map((message, at) => (at === 0 ? user("«m0» Go on.") : message)),
    ];
    await converse(room, messages);
    expect((await foldsOf(room)).length).toBeGreaterThan(0);
    expect(model.text()).toContain("the vault opens at 04:11");
  });

  it("the same head extracted at 60 and again at 70 %: each message is asked for once, over many folds (OpenLegion 8)", async () => {
    const model = reader();
    const room = await openRoom({ ...SMALL, distil: model.complete });
    await converse(room, talk(121));
    expect((await foldsOf(room)).length).toBeGreaterThan(2);
    expect(model.facts.length).toBeGreaterThan(60);
    expect(model.facts).toEqual([...new Set(model.facts)]);
    const lines = readFileSync(join(workspaceOf(room), "MEMORY.md"), "utf8")
      .split("\n")
      .flatMap((line) => /Message number (\d+)/.exec(line)?.[1] ?? []);
    expect(lines).toEqual([...new Set(lines)]);
  });
});

describe("a distiller that fails does not repeat", () => {
  it("no second try: what a failed one left is asked for again, and all of it (OpenLegion 3)", async () => {
    const model = reader();
    let failures = 0;
    const room = await openRoom({
      ...SMALL,
      distil: async (request) => {
        if (failures < 2) {
          failures += 1;
          throw new Error("overloaded");
        }
        return model.complete(request);
      },
    });
    await converse(room, talk(81));
    expect(failures).toBe(2);
    const [fold] = await foldsOf(room);
    expect(fold).toBeDefined();
    for (let at = 0; at < (fold?.messages ?? 0); at += 1) expect(model.facts).toContain(at);
    expect(room.events.some(({ type }) => type === "distil-failed")).toBe(true);
  });
});

describe("two readers of one file do not repeat", () => {
  it("one snapshot of times for two caches, so that one of them stays stale (OpenLegion 0d30363d)", async () => {
    const room = await openRoom({});
    const path = join(workspaceOf(room), "USER.md");
    await room.tidemark.memory.search("harbour", { in: ["files"] });
    writeFileSync(path, "# User\n\nThe user keeps the harbour crane.\n");
    // The search looks first, then the prompt; after the next edit the other way round.
    expect(
      (await room.tidemark.memory.search("harbour crane", { in: ["files"] }))[0]?.text,
    ).toContain("keeps the harbour crane");
    expect(all((await room.tidemark.begin(requestOf([user("One.")]))).request)).toContain(
      "keeps the harbour crane",
    );
    writeFileSync(path, "# User\n\nThe user sold the harbour crane.\n");
    expect(all((await room.tidemark.begin(requestOf([user("Another.")]))).request)).toContain(
      "sold the harbour crane",
    );
    expect(
      (await room.tidemark.memory.search("harbour crane", { in: ["files"] }))[0]?.text,
    ).toContain("sold the harbour crane");
  });
});
