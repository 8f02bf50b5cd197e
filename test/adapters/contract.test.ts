// What every way in promises, with the real package against a strict server.
import { MockMemory } from "@mastra/core/memory";
import { describe, expect, it, vi } from "vitest";
import type { Tidemark } from "../../src/index.ts";
import { afterwards, freshFolder, freshTidemark, prose, typesOf } from "../support/anthropic.ts";
import { said, startResponsesServer } from "../support/responses-server.ts";
import { agentOf, mastraTalk } from "./stacks/ai-sdk-and-mastra.ts";
import { STACKS } from "./stacks/all.ts";
import { serveResponses } from "./stacks/servers.ts";
import { type Api, type Json, resetCalls, type ServerOptions } from "./stacks/stack.ts";

const SMALL = { window: { tokens: 8_000, reserve: 1 } };
const line = (turn: number): string =>
  `${turn % 3 === 1 ? "Read both" : "Turn"} ${turn}: my boat is Zephyrine. ${prose(150, turn)}`;
const isDistilling = (body: Json): boolean => JSON.stringify(body).includes("[tidemark] distil");

describe.each(STACKS)("$name", ({ serve, talk }) => {
  async function served(options?: ServerOptions): Promise<Api> {
    const api = await serve(options);
    afterwards(() => api.close());
    return api;
  }
  const conversations = (tidemark: Tidemark, user = "nobody") =>
    Promise.all([tidemark.history.list(), tidemark.as({ user }).history.list()]).then((lists) =>
      lists.flat(),
    );

  it("folds a long conversation with calls, every second one streamed", async () => {
    const api = await served();
    const { tidemark } = await freshTidemark(SMALL);
    const one = talk(api, tidemark);
    for (let turn = 0; turn < 20; turn++) {
      const before = JSON.stringify(one.history);
      await one.say(line(turn), { stream: turn % 2 === 1 });
      expect(JSON.stringify(one.history).startsWith(before.slice(0, -1))).toBe(true);
      await tidemark.idle();
    }
    expect(api.refusals).toEqual([]);
    const [conversation, ...others] = await conversations(tidemark);
    expect(others).toEqual([]);
    expect(conversation!.folds).toBeGreaterThan(0);
    const last = JSON.stringify(api.requests.findLast((body) => !isDistilling(body)));
    expect(last).toContain("The user told of a boat");
    expect(last.length).toBeLessThan(JSON.stringify(one.history).length);
    expect(await tidemark.as({ user: "nobody" }).memory.list()).not.toEqual([]);
  });

  it.each([false, true])("sends once more what was too long (streamed: %s)", async (stream) => {
    const api = await served({ window: 3_000 });
    const { tidemark, events } = await freshTidemark({ window: { tokens: 6_000, reserve: 1 } });
    const one = talk(api, tidemark);
    for (let turn = 0; turn < 12; turn++) {
      await one.say(`Turn ${turn}. ${prose(190, turn)}`, { stream });
      await tidemark.idle();
    }
    expect(
      api.refusals.filter(
        (refusal) => !/too long|context (?:length|limit)|token count/.test(refusal),
      ),
    ).toEqual([]);
    expect(typesOf(events)).toContain("overflow-recovered");
    expect(await conversations(tidemark)).toHaveLength(1);
  });

  it("goes on after a stream that broke off, a 429, and a caller who hung up", async () => {
    const fails = (count: number) => (count === 1 ? 429 : count === 3 ? "cut" : undefined);
    const api = await served({ fails });
    const { tidemark } = await freshTidemark();
    const one = talk(api, tidemark);
    await one.say("Hello, I moor at pier 7.");
    await one.say("And the gull?");
    const whole = [...one.history];
    await one.say("And the tide?", { stream: true }).catch(() => undefined);
    one.history.splice(0, one.history.length, ...whole);
    await one.say("And the tide?", { stream: true });
    const kept = [...one.history];
    const gone = AbortSignal.abort(new Error("hung up"));
    await expect(one.say("And the moon?", { signal: gone })).rejects.toThrow();
    one.history.splice(0, one.history.length, ...kept);
    await one.say("And the sun?");
    expect(api.refusals).toEqual([]);
    expect(await conversations(tidemark)).toHaveLength(1);
  });

  it("knows a conversation again after a restart, from JSON", async () => {
    const [api, workspace] = [await served(), freshFolder()];
    let history: unknown[] = [];
    for (const words of ["Hello, I moor at pier 7.", "And the gull?", "Read both of them."]) {
      const { tidemark } = await freshTidemark({ workspace });
      const one = talk(api, tidemark, history);
      await one.say(words);
      history = JSON.parse(JSON.stringify(one.history)) as unknown[];
      await tidemark.close();
    }
    const { tidemark } = await freshTidemark({ workspace });
    const [conversation, ...others] = await conversations(tidemark);
    expect(others).toEqual([]);
    expect(conversation!.messages).toBeGreaterThanOrEqual(8);
  });

  it("takes an edit for a branch, and two talks at once for two", async () => {
    const api = await served();
    const { tidemark } = await freshTidemark();
    const [one, two] = [talk(api, tidemark), talk(api, tidemark)];
    await Promise.all([one.say("My boat is Zephyrine."), two.say("My boat is Marigold.")]);
    await Promise.all([one.say("What is it called?"), two.say("What is it called?")]);
    const edited = talk(api, tidemark, [
      { role: "user", content: "My boat is Nautilus." },
      ...one.history.slice(1),
    ]);
    await edited.say("Where does it lie?");
    expect(api.refusals).toEqual([]);
    expect(await conversations(tidemark)).toHaveLength(3);
  });

  it("sends the bytes it would send without, where it is off or observes", async () => {
    const bodies: Json[][] = [];
    for (const way of ["off", "observe", "bare"]) {
      resetCalls();
      const api = await served();
      if (way === "off") vi.stubEnv("TIDEMARK", "off");
      const observes = way === "observe" && ({ mode: "observe" } as const);
      const small = { window: { tokens: 1_600, reserve: 1 }, distil: "extractive" } as const;
      const { tidemark } = await freshTidemark({ ...small, ...observes });
      vi.unstubAllEnvs();
      const one = talk(api, way === "bare" ? undefined : tidemark);
      for (let turn = 0; turn < 8; turn++) {
        await one.say(line(turn), { stream: turn % 2 === 0 });
        await tidemark.idle();
      }
      bodies.push(api.requests.filter((body) => !isDistilling(body)));
      expect(await conversations(tidemark)).toHaveLength(way === "observe" ? 1 : 0);
    }
    expect(bodies[0]).toEqual(bodies[2]);
    expect(bodies[1]).toEqual(bodies[2]);
  });
});

it.each(STACKS.filter(({ name }) => !/chat|proxy/.test(name)))(
  "$name keeps two users apart",
  async ({ serve, talk }) => {
    const api = await serve();
    afterwards(() => api.close());
    const { tidemark } = await freshTidemark();
    for (const user of ["ada", "bob"])
      await talk(api, tidemark).say(`My boat is ${user}'s.`, { user });
    for (const user of ["ada", "bob"])
      expect(await tidemark.as({ user }).history.list()).toHaveLength(1);
  },
);

it("Mastra's thread is the conversation, and its resource the user", async () => {
  const api = await serveResponses();
  afterwards(() => api.close());
  const { tidemark } = await freshTidemark();
  const agent = agentOf(api, tidemark, new MockMemory());
  for (const words of ["My boat is Zephyrine.", "What is it called?"])
    for (const [thread, resource] of [
      ["spring", "ada"],
      ["autumn", "ada"],
      ["spring of bob", "bob"],
    ] as const)
      await agent.generate(words, { memory: { thread, resource } });
  const labels = async (user: string) =>
    (await tidemark.as({ user }).history.list()).map(({ label }) => label).sort();
  expect(await labels("ada")).toEqual(["autumn", "spring"]);
  expect(await labels("bob")).toEqual(["spring of bob"]);
  expect(await tidemark.history.list()).toEqual([]);
  expect(api.refusals).toEqual([]);
});

it("Mastra's tool steps, which come back joined, are one conversation, archived once", async () => {
  let calls = 0;
  const call = () => ({
    ...{ type: "function_call", name: "read", status: "completed" },
    ...{ call_id: `call_${(calls += 1)}`, arguments: JSON.stringify({ path: "a" }) },
  });
  const api = await startResponsesServer({
    reply: ({ input }) => {
      const items = input as Json[];
      const asked = items.findLastIndex(({ role }) => role === "user");
      const done = items.slice(asked).filter(({ type }) => type === "function_call_output").length;
      return done === 0 ? [call()] : done === 1 ? [call(), call()] : [said("Aye.")];
    },
  });
  afterwards(() => api.close());
  const { tidemark } = await freshTidemark();
  const one = mastraTalk(api, tidemark);
  for (let turn = 0; turn < 6; turn++) await one.say(`Turn ${turn}: my boat is Zephyrine.`);
  expect(api.refusals).toEqual([]);
  const [conversation, ...others] = await tidemark.history.list();
  expect(others).toEqual([]);
  const { messages } = await tidemark.history.read({ conversation: conversation!.id });
  expect(messages.map(({ role }) => role)).toEqual(one.history.map((said) => (said as Json).role));
  const ids = (all: unknown) => JSON.stringify(all).match(/call_\d+/g);
  expect(ids(messages)).toEqual(ids(one.history));
});
