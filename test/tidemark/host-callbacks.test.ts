import { trace } from "@opentelemetry/api";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openTidemark, type Options } from "../../src/index.ts";
import { clientOf, freshServer, freshTidemark, MODEL } from "../support/anthropic.ts";
import { play } from "../support/talk.ts";

const unhandled: unknown[] = [];
const note = (thrown: unknown): void => void unhandled.push(thrown);
beforeAll(() => void process.on("unhandledRejection", note).on("uncaughtException", note));
afterAll(() => void process.off("unhandledRejection", note).off("uncaughtException", note));
afterEach(() => trace.disable());

const breath = () => new Promise((resolve) => setImmediate(resolve));
const broken = (): never => {
  throw new Error("the host's own");
};
const unreadable: object = new Proxy({}, { get: broken, has: broken, ownKeys: broken });

/** What a host's function may do instead of its work. */
const FAILS: Readonly<Record<string, () => unknown>> = {
  throws: broken,
  "throws what cannot be read": () => {
    throw unreadable;
  },
  rejects: () => Promise.reject(new Error("the host's own")),
  "rejects with what cannot be read": () => Promise.reject(unreadable as Error),
  "rejects later": async () => {
    await breath();
    broken();
  },
  "answers a promise of its own that throws": () => ({ then: broken }),
  "answers what cannot be read": () => unreadable,
  "answers nothing": () => undefined,
  "answers junk": () => Symbol("junk"),
};

const CALLBACKS = ["listen", "distil", "embed", "tracer"] as const;
type Callback = (typeof CALLBACKS)[number];

function optionsWith(broken: readonly Callback[], fail: () => unknown): Options {
  const has = (name: Callback): boolean => broken.includes(name);
  if (has("tracer"))
    trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan: fail }) } as never);
  return {
    workspace: false,
    window: { tokens: 3_000, patience: 20 },
    recall: { tokens: 200 },
    ...(has("listen") ? { listen: fail as () => void } : {}),
    ...(has("distil") ? { distil: fail as never } : { distil: "extractive" }),
    ...(has("embed") ? { embed: { dimensions: 3, embed: fail as never } } : {}),
  };
}

const TURNS = 9;

/** A talk far past the window: how many of its requests were larger than their limit. */
async function talk(options: Options): Promise<{ sent: number; folded: number; tooLarge: number }> {
  const tidemark = await openTidemark(options);
  const count = { sent: 0, folded: 0, tooLarge: 0 };
  await tidemark.memory.save("The harbour master is called Zephyrine.");
  await play(tidemark, {
    calls: (at) => `${at}: ${"Who is the harbour master of today? ".repeat(35)}`,
    turns: TURNS,
    reply: (at) => `So be it, number ${at}.`,
    request: { model: MODEL },
    until: ({ folded, window }) => {
      count.sent += 1;
      if (folded) count.folded += 1;
      if (window.used > window.limit) count.tooLarge += 1;
    },
  });
  await tidemark.idle();
  await tidemark.close();
  await breath();
  return count;
}

describe("a host's function that fails", () => {
  it.each(CALLBACKS)("ends no process and breaks no turn: %s", async (name) => {
    for (const [how, fail] of Object.entries(FAILS)) {
      const { folded, ...count } = await talk(optionsWith([name], fail));
      expect({ how, ...count }).toEqual({ how, sent: TURNS, tooLarge: 0 });
      expect(folded).toBeGreaterThan(0);
      trace.disable();
    }
    expect(unhandled.splice(0)).toEqual([]);
  });
});

it("an identity that is promised is waited for, and one that rejects is nobody's", async () => {
  const server = await freshServer();
  const { tidemark } = await freshTidemark();
  const messages = [{ role: "user" as const, content: "Hello." }];
  const say = (identity: unknown) =>
    clientOf(server, tidemark, {
      maxRetries: 0,
      adapter: { identity: identity as never },
    }).messages.create({ model: MODEL, max_tokens: 50, messages });
  await say(async () => ({ user: "alice" }));
  expect(await tidemark.history.list()).toEqual([]);
  expect(await tidemark.as({ user: "alice" }).history.list()).toHaveLength(1);
  await expect(say(() => Promise.reject(new Error("no session")))).rejects.toThrow();
  expect(server.requests).toHaveLength(1);
  expect(await tidemark.history.list()).toEqual([]);
});
