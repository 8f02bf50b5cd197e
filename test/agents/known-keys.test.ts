import { beforeAll, describe, expect, it } from "vitest";
import { anthropicMiddleware } from "../../src/adapters/anthropic.ts";
import { openTidemark, type Tidemark } from "../../src/index.ts";

let tidemark: Tidemark;
beforeAll(async () => {
  tidemark = await openTidemark({ workspace: false, identity: { user: "ada" }, listen: false });
});
const rejected = (work: () => unknown): Promise<{ code?: string; message?: string }> =>
  Promise.resolve()
    .then(work)
    .then(
      () => ({}),
      (error: { code?: string; message?: string }) => error,
    );

/** As a program in plain JavaScript would call it. */
const SLIPS: readonly (readonly [
  what: string,
  call: (memory: Tidemark) => unknown,
  says: string,
])[] = [
  ["as", (t) => t.as({ usr: "bob" } as never), 'as knows no "usr"; did you mean "user"?'],
  [
    "memory.save",
    (t) => t.memory.save({ content: "tea", catgory: "drink" } as never),
    'memory.save knows no "catgory"; did you mean "category"?',
  ],
  [
    "memory.recall",
    (t) => t.memory.recall("tea", { limti: 3 } as never),
    'memory.recall knows no "limti"; did you mean "limit"?',
  ],
  [
    "memory.search",
    (t) => t.memory.search("tea", { from: ["memory"] } as never),
    'memory.search knows no "from"; it knows limit, in, shared, except.',
  ],
  [
    "workspace.search without scopes",
    (t) => t.workspace.search("tea", undefined as never),
    "workspace.search takes an object with scopes, limit, got undefined.",
  ],
  [
    "memory.update",
    (t) => t.memory.update("id", { scope: "user:bob" } as never),
    'memory.update knows no "scope"',
  ],
  [
    "memory.forget of nothing named",
    (t) => t.memory.forget({ key: undefined } as never),
    "memory.forget takes an id, { key } or { source }, got {}.",
  ],
  [
    "history.import",
    (t) => t.history.import({ id: "x", messages: [{ role: "user", txt: "hi" }] } as never),
    'knows no "messages.0.txt"; did you mean "messages.0.text"?',
  ],
  [
    "begin",
    (t) => t.begin({ model: "m", messages: [] }, { conversaton: "x" } as never),
    'begin knows no "conversaton"; did you mean "conversation"?',
  ],
  ["tools", (t) => t.tools({ onyl: [] } as never), 'did you mean "only"?'],
  [
    "anthropicMiddleware",
    (t) => anthropicMiddleware(t, { identiy: () => ({ user: "bob" }) } as never),
    'knows no option "identiy"; did you mean "identity"?',
  ],
  ["openTidemark", () => openTidemark({ identiy: {} } as never), 'did you mean "identity"?'],
  [
    "a number for options",
    (t) => t.memory.recall("tea", 5 as never),
    "memory.recall takes an object with limit, category, kind, scope, type, since, until, tags, shared, except, tokens, asOf, got 5.",
  ],
  [
    "openTidemark's store at an address of another kind",
    () => openTidemark({ store: "mysql://x" as never }),
    'must be a Storage or "postgres://…"',
  ],
];

describe("a name that nothing reads", () => {
  it.each(SLIPS)("is refused by %s, which says what was meant", async (_, call, says) => {
    const error = await rejected(() => call(tidemark));
    expect(error.code).toBe("config");
    expect(error.message).toContain(says);
  });

  it("of a provider's request passes, whatever it is", async () => {
    const request = {
      model: "claude-sonnet-5-5",
      max_tokens: 10,
      messages: [{ role: "user", content: "hi", cach_control: 1 }],
      tempratur: 0.5,
    };
    const turn = await tidemark.begin(request);
    expect(turn.request).toMatchObject({ tempratur: 0.5 });
  });

  it("of a tool's input is one sentence for the model", async () => {
    const [search] = tidemark.tools({ only: ["memory_search"] });
    const said = await search?.run({ query: "tea", limt: 3 });
    expect(said?.split("\n")).toHaveLength(1);
    expect(said).toBe("Error: memory_search takes an object with query, in, category and limit.");
  });
});

describe("a user who is there and undefined", () => {
  it("is refused: nobody shares one memory with the next by a slip", async () => {
    for (const call of [
      () => tidemark.as({ user: undefined }),
      () => openTidemark({ workspace: false, identity: { user: undefined } }),
    ])
      expect(await rejected(call)).toMatchObject({
        code: "config",
        message: expect.stringContaining("identity.user is there and undefined") as string,
      });
    expect(
      (
        await rejected(() =>
          openTidemark({ workspace: false, identity: { agent: "a" }, listen: false }),
        )
      ).code,
    ).toBeUndefined();
  });
});
