import { type TidemarkEvent } from "../../src/model/events.ts";
import { type Scope } from "../../src/model/identity.ts";
import { type Store } from "../../src/model/store.ts";
import { type JournalEvent } from "../../src/memory/saving/commit.ts";
import { createMemories } from "../../src/memory/memories.ts";
import { type MemoryRoom } from "../../src/memory/saving/room.ts";
import { openSqliteStore } from "../../src/store/open-index.ts";

export const DAY = 86_400_000;
export const HOUR = 3_600_000;
export const START = Date.parse("2026-01-10T12:00:00Z");

/** A memory room over a database in memory, with a clock to turn and everything it told. */
export function openRoom(options: Partial<MemoryRoom> & { prefix?: string } = {}) {
  const store: Store = options.store ?? openSqliteStore(":memory:");
  const clock = { now: START };
  const events: TidemarkEvent[] = [];
  const journal: JournalEvent[] = [];
  let made = 0;
  const room: MemoryRoom = {
    store,
    scopes: ["agent:probe", "user:ada"] satisfies Scope[],
    home: "agent:probe",
    now: () => clock.now,
    newId: () => `${options.prefix ?? "m"}${String((made += 1)).padStart(6, "0")}`,
    journal: async (lines) => {
      journal.push(...lines);
    },
    listen: (event) => events.push(event),
    countTokens: (text) => Math.ceil(text.length / 4),
    ...options,
  };
  return { store, clock, events, journal, room, memories: createMemories(room) };
}
