import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, describe, expect, it } from "vitest";
import { httpEmbedder } from "../../src/adapters/embedders.ts";
import {
  isTidemarkError,
  openTidemark,
  type ErrorCode,
  type Options,
  type TidemarkEvent,
} from "../../src/index.ts";
import { ERROR_CODES, reasonOf } from "../../src/model/errors.ts";
import { isUnreached } from "../../src/base/thrown.ts";
import { embeddingsServer } from "../support/embeddings-server.ts";
import { leaveRooms, openRoom, play, requestOf, user } from "../support/talk.ts";

const home = mkdtempSync(join(tmpdir(), "tidemark-errors-"));
afterAll(async () => {
  await leaveRooms();
  rmSync(home, { recursive: true, force: true });
});
let made = 0;
const folder = (): string => join(home, `${(made += 1)}`);

/** What a work rejects with, as a program would see it. */
const rejection = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
};
const codeOf = (thrown: unknown): string =>
  isTidemarkError(thrown) && thrown.message !== "" && !thrown.message.includes("\n")
    ? thrown.code
    : `not one of ours, or more than a line: ${String(thrown)}`;

/** Opens, works, closes; what the work rejects with. */
const within = async (
  options: Options,
  work: (tidemark: Awaited<ReturnType<typeof openTidemark>>) => unknown,
): Promise<unknown> => {
  const tidemark = await openTidemark({ distil: "extractive", ...options });
  try {
    return await rejection(() => work(tidemark));
  } finally {
    await tidemark.close();
  }
};

/** A conversation long enough to be distilled, and what was said of it. */
async function distilledBy(distil: Options["distil"]): Promise<TidemarkEvent[]> {
  const room = await openRoom({ distil: distil!, window: { tokens: 1_000, keepLast: 2 } });
  await play(room.tidemark, {
    calls: (turn) =>
      turn === 0
        ? `Harbour rules: ${"Boats moor at the north quay. ".repeat(60)}`
        : `And the tide table ${turn}? ${"Ebb and flood. ".repeat(20)}`,
    turns: 4,
    reply: (turn) => `Noted ${turn}.`,
  });
  await room.tidemark.idle();
  return room.events;
}
const failed = (events: readonly TidemarkEvent[]): (ErrorCode | undefined)[] =>
  events.flatMap((event) => (event.type === "distil-failed" ? [event.code] : []));

const MET: Readonly<Record<ErrorCode, () => Promise<void>>> = {
  window: async () => {
    const error = await within({ workspace: false, window: { tokens: 2_000 } }, (tidemark) =>
      tidemark.begin({
        model: "m",
        max_tokens: 100,
        system: "rule ".repeat(5_000),
        messages: [user("hi")],
      }),
    );
    expect(codeOf(error)).toBe("window");
  },
  config: async () =>
    expect(codeOf(await rejection(() => openTidemark({ workspace: 7 } as never)))).toBe("config"),
  closed: async () => {
    const tidemark = await openTidemark({ workspace: false });
    await tidemark.close();
    expect(codeOf(await rejection(() => tidemark.memory.save("tea")))).toBe("closed");
    expect(codeOf(await rejection(() => tidemark.begin(requestOf([user("hi")]))))).toBe("closed");
  },
  connection: async () => {
    const server = await embeddingsServer();
    await server.close();
    expect(
      codeOf(
        await rejection(() =>
          httpEmbedder({ url: server.url, model: "small", retries: 0 }).embed(["tea"]),
        ),
      ),
    ).toBe("connection");
    const overloaded = Object.assign(new Error("529 overloaded"), { status: 529 });
    expect(failed(await distilledBy(() => Promise.reject(overloaded)))).toContain("connection");
  },
  conflict: async () => {
    const error = await within({ workspace: false }, async ({ memory }) => {
      const { id } = await memory.save("tea");
      await memory.update(id, { content: "green tea" }, { version: 1 });
      await memory.update(id, { content: "black tea" }, { version: 1 });
    });
    expect(codeOf(error)).toBe("conflict");
  },
  capability: async () => {
    const server = await embeddingsServer();
    server.whims.push({ size: 5 });
    expect(
      codeOf(
        await rejection(() =>
          httpEmbedder({
            url: server.url,
            apiKey: server.key,
            model: "small",
            dimensions: 4,
          }).embed(["tea"]),
        ),
      ),
    ).toBe("capability");
    await server.close();
  },
  store: async () => {
    const workspace = folder();
    mkdirSync(join(workspace, ".tidemark", "index.db"), { recursive: true });
    expect(codeOf(await rejection(() => openTidemark({ workspace })))).toBe("store");
  },
  retrieval: async () => {
    const workspace = folder();
    const events: TidemarkEvent[] = [];
    const error = await within(
      { workspace, listen: (event) => events.push(event) },
      async (tidemark) => {
        const { id } = await tidemark.memory.save("The tide turns at six.");
        const other = new Database(join(workspace, ".tidemark", "index.db"));
        other.exec("alter table memory rename to lost");
        other.close();
        try {
          expect(codeOf(await rejection(() => tidemark.memory.list()))).toBe("retrieval");
          expect(await tidemark.memory.recall("When does the tide turn?")).toEqual([]);
          await tidemark.memory.get(id);
        } finally {
          const again = new Database(join(workspace, ".tidemark", "index.db"));
          again.exec("alter table lost rename to memory");
          again.close();
        }
      },
    );
    expect(codeOf(error)).toBe("retrieval");
    expect((error as Error).cause).toMatchObject({ code: "store" });
    expect(events).toContainEqual(
      expect.objectContaining({ type: "degraded", where: "recall", code: "retrieval" }),
    );
  },
  workspace: async () => {
    const error = await within({ workspace: folder() }, (tidemark) =>
      tidemark.workspace.write("USER.md", "x".repeat(1_000_000), "agent:default"),
    );
    expect(codeOf(error)).toBe("workspace");
  },
  history: async () => {
    const workspace = folder();
    mkdirSync(join(workspace, ".tidemark", "history.db"), { recursive: true });
    expect(codeOf(await rejection(() => openTidemark({ workspace })))).toBe("history");
  },
  distil: async () =>
    expect(
      failed(await distilledBy(() => Promise.resolve({ text: "I would rather not." }))),
    ).toContain("distil"),
  embed: async () => {
    const events: TidemarkEvent[] = [];
    await within(
      {
        workspace: false,
        embed: { embed: () => Promise.resolve([]) },
        listen: (event) => events.push(event),
      },
      (tidemark) => tidemark.memory.save("tea"),
    );
    expect(events).toContainEqual(
      expect.objectContaining({ type: "degraded", where: "embed", code: "embed" }),
    );
  },
  "scope-denied": async () =>
    expect(
      codeOf(
        await within({ workspace: false }, (tidemark) =>
          tidemark.memory.save({ content: "tea", scope: "user:somebody" }),
        ),
      ),
    ).toBe("scope-denied"),
  "not-found": async () =>
    expect(
      codeOf(
        await within({ workspace: false }, (tidemark) =>
          tidemark.memory.update("nowhere", { content: "tea" }),
        ),
      ),
    ).toBe("not-found"),
};

describe("every error code is met by a program", () => {
  it.each(ERROR_CODES)("%s", (code) => MET[code]());
});

describe("an error that was not an answer", () => {
  it.each([
    [Object.assign(new Error("x"), { status: 503 }), true],
    [Object.assign(new Error("x"), { status: 429 }), true],
    [Object.assign(new Error("x"), { status: 400, cause: { code: "ECONNRESET" } }), false],
    [
      Object.assign(new TypeError("fetch failed"), {
        cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }),
      }),
      true,
    ],
    [Object.assign(new Error("gone"), { name: "APIConnectionError" }), true],
    [new DOMException("late", "TimeoutError"), true],
    [new Error("the model said no"), false],
    ["down", false],
    [undefined, false],
  ])("is told from one that was: %s %s", (thrown, is) => expect(isUnreached(thrown)).toBe(is));

  it("may hold itself", () => {
    const circle: { cause?: unknown } = {};
    circle.cause = circle;
    expect(isUnreached(circle)).toBe(false);
  });
});

describe("the words of what was thrown", () => {
  const circle: Record<string, unknown> = {};
  circle["itself"] = circle;
  it.each([
    ["an error's", new Error("The disk is full."), "The disk is full."],
    ["a text", "no more tokens", "no more tokens"],
    [
      "a provider's answer",
      { status: 400, error: { type: "invalid_request_error", message: "Unknown beta." } },
      "Unknown beta.",
    ],
    ["an answer of one line", { error: "model not found" }, "model not found"],
    ["an error of another realm", { name: "Error", message: "Gone." }, "Gone."],
    ["any object", { code: 7 }, '{"code":7}'],
    ["an object that is no JSON", circle, "a value of type object"],
    ["nothing", undefined, "undefined"],
  ])("are %s", (_of, thrown, words) => {
    expect(reasonOf(thrown)).toBe(words);
  });
});
