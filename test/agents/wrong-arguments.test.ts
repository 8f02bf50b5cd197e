import { describe, expect, it } from "vitest";
import { isTidemarkError, openTidemark } from "../../src/index.ts";
import type { Tidemark } from "../../src/session/options/tidemark-api.ts";
import { assistant, openRoom, requestOf, user } from "../support/talk.ts";

const circle: Record<string, unknown> = {};
circle.self = circle;
const trap = new Proxy(
  {},
  {
    get: () => {
      throw new Error("do not look");
    },
  },
);
/** What no method takes, as JavaScript callers pass it all the same. */
const JUNK: readonly unknown[] = [
  null,
  1n,
  NaN,
  Symbol("s"),
  () => 1,
  [null],
  {},
  circle,
  trap,
  new Date(NaN),
  "x".repeat(100_000),
  "\ud800",
];

type Loose = Record<string, (...given: unknown[]) => Promise<unknown>>;

/** Every call a caller may get wrong, by name. */
function calls(tidemark: Tidemark, junk: unknown): Record<string, () => Promise<unknown>> {
  const all = tidemark as unknown as Loose;
  const [memory, history] = [
    tidemark.memory as unknown as Loose,
    tidemark.history as unknown as Loose,
  ];
  return {
    begin: () => all.begin!(junk),
    "begin options": () => all.begin!(requestOf([user("hi")]), junk),
    "begin message": () => all.begin!(requestOf([junk as never])),
    "begin content": () => all.begin!(requestOf([user(junk)])),
    "begin input": () =>
      all.begin!(
        requestOf([
          user("a"),
          assistant([{ type: "tool_use", id: junk, name: junk, input: junk }]),
          user("b"),
        ]),
      ),
    "begin system": () => all.begin!(requestOf([user("a")], { system: junk, tools: junk })),
    fold: () => all.fold!(junk),
    "fold conversation": () => all.fold!({ conversation: junk }),
    pin: () => all.pin!(junk),
    as: async () => (all.as as unknown as (given: unknown) => unknown)(junk),
    "as user": async () => (all.as as unknown as (given: unknown) => unknown)({ user: junk }),
    save: () => memory.save!(junk),
    "save fields": () => memory.save!({ content: "c", key: junk, tags: junk, importance: junk }),
    recall: () => memory.recall!(junk),
    "recall category": () => memory.recall!("deploy", { category: junk, kind: junk }),
    "search options": () => memory.search!("deploy", junk),
    list: () => memory.list!({ category: junk, kind: junk }),
    get: () => memory.get!(junk),
    update: () => memory.update!(junk, junk, junk),
    forget: () => memory.forget!(junk),
    "import message": () => history.import!({ id: "i", messages: [junk] }),
    read: () => history.read!({ conversation: junk }),
    "history forget": () => history.forget!({ conversation: junk }),
  };
}

const RAW = /SQLite|at file:|is not a function|Cannot read|Cannot destructure|Too few parameter/i;

describe("wrong arguments", () => {
  it("are answered by one short TidemarkError or not at all, never by an error of the engine or the database", async () => {
    const { tidemark, events } = await openRoom({ window: { tokens: 100_000 } });
    const wrong: string[] = [];
    for (const [index, junk] of JUNK.entries()) {
      for (const [name, run] of Object.entries(calls(tidemark, junk))) {
        await run().catch((thrown: unknown) => {
          if (!isTidemarkError(thrown) || thrown.message.length > 400 || RAW.test(thrown.message))
            wrong.push(`${name} of junk ${index}: ${String(thrown).slice(0, 200)}`);
        });
      }
    }
    expect(wrong).toEqual([]);
    expect(
      events.filter((event) => event.type === "degraded" && !event.where.startsWith("begin")),
    ).toEqual([]);
  });

  it("are named by openTidemark, values included that JSON cannot say", async () => {
    for (const given of [
      { cache: circle },
      { identity: { user: 1n } },
      { inject: "x".repeat(10_000) },
      trap,
    ]) {
      const thrown = await openTidemark(
        (given === trap ? trap : { workspace: false, ...given }) as never,
      ).catch((error: unknown) => error);
      expect(thrown).toMatchObject({ name: "TidemarkError", code: "config" });
      expect((thrown as Error).message.length).toBeLessThan(300);
    }
  });

  it("to recover and end do not reject", async () => {
    const { tidemark } = await openRoom();
    const turn = await tidemark.begin(requestOf([user("hi")]));
    expect(await turn.recover(trap)).toBeUndefined();
    const hidden = new Proxy(
      {},
      {
        has: () => {
          throw new Error("do not ask");
        },
      },
    );
    expect(await turn.recover(hidden)).toBeUndefined();
    await turn.end(trap);
    await turn.end(1n);
  });
});
