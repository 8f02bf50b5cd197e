import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineOf, digestOf, replay } from "../../../src/memory/saving/replay.ts";
import type { KeptValue, Store } from "../../../src/model/store.ts";
import { openSqliteStore } from "../../../src/store/open-index.ts";
import {
  blanked,
  formatLogLine,
  type LogLine,
  parseLogLine,
} from "../../../src/workspace/log/daily-log.ts";
import { DAY, openRoom } from "../../support/memory-room.ts";
import { runs } from "../../support/runs.ts";

/** All that a store keeps, read in small pages. */
async function valuesOf(store: Store): Promise<KeptValue[]> {
  const found: KeptValue[] = [];
  for (;;) {
    const last = found.at(-1)?.stored.memory;
    const page = await store.values({
      limit: 3,
      ...(last === undefined ? {} : { after: { id: last.id, version: last.version } }),
    });
    if (page.length === 0) return found;
    found.push(...page);
  }
}

/** A memory room whose journal is text, as on disk. */
function openJournalled(store: Store = openSqliteStore(":memory:")) {
  const log = { text: "" };
  const room = openRoom({
    store,
    journal: async (events) => {
      log.text += events.map((event) => `${formatLogLine(lineOf(event))}\n`).join("");
      const gone = new Set(
        events.filter(({ event }) => event === "forgotten").map(({ row }) => row.memory.id),
      );
      if (gone.size > 0) log.text = blanked(log.text, ({ id }) => gone.has(id));
    },
  });
  return { ...room, log };
}

/** Without what is counted, and in one order. */
const plainly = (values: readonly KeptValue[]): unknown[] =>
  values
    .map(
      ({
        stored: {
          memory: { uses: _uses, ...memory },
          usedAt: _usedAt,
          ...stored
        },
        until,
      }) => ({ memory, ...stored, until }),
    )
    .sort((one, other) =>
      one.memory.id === other.memory.id
        ? one.memory.version - other.memory.version
        : one.memory.id < other.memory.id
          ? -1
          : 1,
    );

const linesOf = (text: string): LogLine[] =>
  text.split("\n").flatMap((raw) => parseLogLine(raw) ?? []);

type Room = ReturnType<typeof openJournalled>;
const word = fc.constantFrom(
  "tea",
  "harbour 5432",
  "a\nb",
  "`code` <!-- x -->",
  "\\n",
  "käse 🧀",
  "The deploy key is blue.",
  "the deploy key is BLUE",
  "日本語",
  "a\u2028b",
);
const key = fc.option(fc.constantFrom("k1", "k2", "a b", "k=%"), { nil: undefined });
const step = fc.oneof(
  fc.record({
    do: fc.constant("save" as const),
    content: word,
    key,
    importance: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
    tags: fc.option(fc.array(fc.constantFrom("x", "y z", "ü")), { nil: undefined }),
    source: fc.option(fc.constantFrom("task_completion", "s t"), { nil: undefined }),
    scope: fc.option(fc.constantFrom("user:ada", "agent:probe"), { nil: undefined }),
    at: fc.option(fc.integer({ min: 0, max: 4 * 10 ** 12 }), { nil: undefined }),
  }),
  fc.record({
    do: fc.constant("facts" as const),
    facts: fc.array(
      fc.record({
        content: word,
        key,
        supersedes: fc.option(fc.constantFrom("k1", "tea", "harbour 5432"), { nil: undefined }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  fc.record({
    do: fc.constant("update" as const),
    which: fc.nat(),
    content: fc.option(word, { nil: undefined }),
    category: fc.option(fc.constantFrom("decision", "core"), { nil: undefined }),
  }),
  fc.record({ do: fc.constant("forget" as const), which: fc.nat() }),
  fc.record({
    do: fc.constant("promote" as const),
    which: fc.nat(),
    to: fc.constantFrom("user:ada" as const, "agent:probe" as const),
  }),
  fc.record({
    do: fc.constant("inject" as const),
    content: word,
    to: fc.constantFrom("user:ada" as const, "agent:probe" as const),
  }),
  fc.record({ do: fc.constant("clock" as const), by: fc.integer({ min: -2 * DAY, max: 3 * DAY }) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const given = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

async function play({ memories, clock }: Room, steps: readonly Step[]): Promise<void> {
  const ids: string[] = [];
  for (const one of steps) {
    clock.now += 1;
    switch (one.do) {
      case "save": {
        const { do: _what, ...input } = one;
        ids.push((await memories.save(given(input) as Parameters<typeof memories.save>[0])).id);
        break;
      }
      case "facts":
        ids.push(
          ...(
            await memories.saveAll(
              one.facts.map((fact) => ({ ...given(fact), origin: "user" as const })) as Parameters<
                typeof memories.saveAll
              >[0],
              "agent:probe",
            )
          ).saved.map(({ id }) => id),
        );
        break;
      case "update": {
        const id = ids[one.which % Math.max(1, ids.length)];
        const { content, category } = one;
        if (id !== undefined && (await memories.get(id)) !== undefined)
          await memories.update(
            id,
            given({ content, category }) as Parameters<typeof memories.update>[1],
          );
        break;
      }
      case "forget": {
        const id = ids[one.which % Math.max(1, ids.length)];
        if (id !== undefined) await memories.forget(id);
        break;
      }
      case "promote": {
        const id = ids[one.which % Math.max(1, ids.length)];
        const refused = (thrown: { code?: string }): void =>
          expect(["not-found", "conflict"]).toContain(thrown.code);
        if (id !== undefined) await memories.promote(id, one.to).then(() => undefined, refused);
        break;
      }
      case "inject":
        ids.push((await memories.inject({ to: one.to, content: one.content })).id);
        break;
      case "clock":
        clock.now += one.by;
    }
  }
}

describe("the journal", () => {
  it("adds up to what the store holds, whatever was saved, changed, promoted, superseded and forgotten, and whatever the clock did", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const room = openJournalled(openSqliteStore(":memory:"));
        await play(room, steps);
        const there = await valuesOf(room.store);
        const told = replay(linesOf(room.log.text));
        expect(
          told.map(({ stored: { memory } }) => [memory.id, memory.version, memory.content]).sort(),
        ).toEqual(
          there.map(({ stored: { memory } }) => [memory.id, memory.version, memory.content]).sort(),
        );
        expect(plainly(told)).toEqual(plainly(there));
        expect(digestOf(told)).toBe(digestOf(there));
        // And it is found again, in a store that never saw it happen.
        const fresh = openSqliteStore(":memory:");
        await fresh.restore(
          told.map(({ stored }) => stored.memory.id),
          told,
        );
        expect(digestOf(await valuesOf(fresh))).toBe(digestOf(there));
        await fresh.close();
        await room.store.close();
      }),
      { numRuns: runs(40) },
    );
  });

  it("leaves nothing of what was forgotten", async () => {
    const room = openJournalled();
    const { id } = await room.memories.save({
      content: "Xylophonist",
      key: "secret garden",
      tags: ["greenhouse"],
    });
    await room.memories.update(id, { content: "Quadrennial" });
    await room.memories.forget(id);
    expect(room.log.text).not.toMatch(/Xylophonist|Quadrennial|garden|greenhouse|sum=/);
    expect(replay(linesOf(room.log.text))).toEqual([]);
  });
});

describe("a journal edited by hand", () => {
  const told = (text: string) =>
    replay(linesOf(text))
      .filter(({ until }) => until === undefined)
      .map(({ stored: { memory } }) => memory.content);

  it("says what a person made of a line", async () => {
    const room = openJournalled();
    await room.memories.save("The port is 5432.");
    await room.memories.save("The port is 5432");
    expect(told(room.log.text.replace("5432.", "5433."))).toEqual(["The port is 5433."]);
    expect(told(room.log.text.replaceAll("5432", "5434"))).toEqual(["The port is 5434."]);
  });

  it("forgets what a person took out, and keeps what stands beside it", async () => {
    const room = openJournalled();
    await room.memories.save("One.");
    await room.memories.save("Two.");
    await room.memories.save("One!");
    const [first = "", ...rest] = room.log.text.split("\n");
    expect(told(rest.join("\n"))).toEqual(["Two."]);
    expect(told([first, rest[0]].join("\n")).sort()).toEqual(["One.", "Two."]);
  });

  it("keeps both when an edit meets a newer value, or another edit", async () => {
    const room = openJournalled();
    const { id } = await room.memories.save({ content: "The port is 5432.", key: "port" });
    await room.memories.save({ content: "The port is 6000.", key: "port" });
    expect(told(room.log.text.replace("5432", "5433")).sort()).toEqual([
      "The port is 5433.",
      "The port is 6000.",
    ]);
    expect(
      replay(linesOf(room.log.text.replace("5432", "5433"))).filter(
        ({ stored: { memory } }) => memory.key === "port" && memory.id === id,
      ),
    ).toHaveLength(2);
  });

  it("is not misled by a torn line", async () => {
    const room = openJournalled();
    await room.memories.save("One.");
    await room.memories.save("Two.");
    const whole = room.log.text.trimEnd();
    for (let cut = whole.lastIndexOf("\n") + 1; cut < whole.length; cut += 1)
      expect(told(whole.slice(0, cut)), whole.slice(0, cut)).toEqual(["One."]);
  });
});

describe("two processes on one journal", () => {
  it("withdraw what came to nothing: the journal adds up to the store all the same", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.boolean(), word, fc.constantFrom("k1", "k2", undefined)), {
          minLength: 2,
          maxLength: 12,
        }),
        async (writes) => {
          const store = openSqliteStore(":memory:");
          // Two rooms, each with a view of the store of its own: neither waits for the other, as two processes do not.
          const log = { text: "" };
          const journal: Room["room"]["journal"] = async (events) => {
            log.text += events.map((event) => `${formatLogLine(lineOf(event))}\n`).join("");
            const gone = new Set(
              events.filter(({ event }) => event === "forgotten").map(({ row }) => row.memory.id),
            );
            if (gone.size > 0) log.text = blanked(log.text, ({ id }) => gone.has(id));
            await new Promise(setImmediate);
          };
          const rooms = [
            openRoom({ store: { ...store }, journal, prefix: "a" }),
            openRoom({ store: { ...store }, journal, prefix: "b" }),
          ];
          await Promise.all(
            writes.map(([first, content, key]) =>
              rooms[first ? 0 : 1]?.memories.save({
                content,
                ...(key === undefined ? {} : { key }),
              }),
            ),
          );
          expect(plainly(replay(linesOf(log.text)))).toEqual(plainly(await valuesOf(store)));
          await store.close();
        },
      ),
      {
        numRuns: runs(20),
        // An amendment told twice, once in vain, with another between: the one told last is the one withdrawn.
        examples: [
          [
            [
              [false, "harbour 5432", undefined],
              [false, "tea", undefined],
              [false, "harbour 5432", "k1"],
              [true, "harbour 5432", undefined],
              [true, "harbour 5432", "k1"],
              [false, "tea", "k1"],
              [false, "tea", "k1"],
            ],
          ],
        ],
      },
    );
  });
});
