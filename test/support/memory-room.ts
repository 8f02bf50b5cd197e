import type { VectorStorage } from "../../src/storage/port.ts";
import type { TidemarkEvent } from "../../src/core/errors-and-events.ts";
import type { Scope } from "../../src/core/identity.ts";
import type { MemoryEvent, MemoryRoom } from "../../src/memory/saving/commit.ts";
import { createMemories } from "../../src/memory/memories.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";

export const DAY = 86_400_000;
export const HOUR = 3_600_000;
export const START = Date.parse("2026-01-10T12:00:00Z");

/** Of what is salient: as much as there is, whatever stands elsewhere. */
export const ALL_SALIENT = {
  limit: 10,
  tokens: Promise.resolve(Infinity),
  around: 0,
  without: Promise.resolve(() => false),
};

/** A memory room over a database in memory, with a clock to turn and everything it told. */
export function openRoom(
  options: Partial<MemoryRoom> & { prefix?: string; store?: VectorStorage } = {},
) {
  const store: VectorStorage = options.store ?? openStorage(":memory:");
  const clock = { now: START };
  const events: TidemarkEvent[] = [];
  const journal: MemoryEvent[] = [];
  let made = 0;
  const scopes: readonly Scope[] = options.scopes ?? ["agent:probe", "user:ada"];
  const room: MemoryRoom = {
    store,
    scopes,
    rights: async () => ({
      may: (_act, scope) => scopes.includes(scope),
      where: () => [...scopes],
      ...{ role: "worker", isBound: false, agent: "agent:probe" },
      writersOf: () => undefined,
    }),
    home: "agent:probe",
    origin: "host",
    lifetimes: {},
    ranking: "tidemark",
    now: () => clock.now,
    newId: () => `${options.prefix ?? "m"}${String((made += 1)).padStart(6, "0")}`,
    owed: (events) => {
      journal.push(...events);
      return [];
    },
    late: () => undefined,
    pay: async () => undefined,
    listen: (event) => events.push(event),
    countTokens: (text) => Math.ceil(text.length / 4),
    ...options,
  };
  return { store, clock, events, journal, room, memories: createMemories(room) };
}
