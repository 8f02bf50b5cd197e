import type { Change, Stored, Memory } from "../../src/core/memory.ts";
import type { IndexedPage } from "../../src/storage/search-index.ts";
import type { TurnRow } from "../../src/storage/rows.ts";
import type { Storage } from "../../src/storage/port.ts";
import type { Scope } from "../../src/core/identity.ts";
import type { NewEntry, Session, SessionChange } from "../../src/core/history.ts";

export const NOW = 1_768_000_000_000;
export const ADA: Scope = "user:ada";
export const BOB: Scope = "user:bob";

export const stored = (
  id: string,
  content: string,
  more: Partial<Memory> & Partial<Omit<Stored, "memory">> = {},
): Stored => {
  const { statedAt = NOW, usedAt, validFrom = NOW, same = content, sorted, ...traits } = more;
  return {
    memory: {
      id,
      content,
      scope: ADA,
      kind: "fact",
      category: "general",
      importance: 0.5,
      source: "manual",
      origin: "host",
      tags: [],
      at: NOW,
      updatedAt: NOW,
      uses: 0,
      version: 1,
      ...traits,
    },
    statedAt,
    ...(usedAt === undefined ? {} : { usedAt }),
    validFrom,
    same,
    ...(sorted === true ? { sorted } : {}),
  };
};

export const insert = (...given: Parameters<typeof stored>): Change => ({
  do: "insert",
  row: stored(...given),
});

/** One way to say what a contract often asks. */
export const shorthands = (store: () => Storage) => ({
  put: (memories: readonly Change[]) => store().commit({ memories }),
  write: (session: SessionChange) => store().commit({ session }),
  say: (session: Session, from: number, entries: NewEntry[], more: Partial<SessionChange> = {}) =>
    store().commit({ session: { session, from, entries, ...more } }),
  add: (rows: readonly TurnRow[]) => store().commit({ turns: { rows } }),
  index: (pages: readonly IndexedPage[]) => store().commit({ pages }),
  idsOf: async (which: Parameters<Storage["sessions"]>[0]) =>
    (await store().sessions(which)).map(({ id }) => id),
  get: async (id: string, scopes: readonly Scope[]) => (await store().find({ id, scopes }))[0],
});

export const weighted = (...terms: string[]) => terms.map((term) => ({ term, weight: 1 }));

export const session = (revision: number, more: Partial<Session> = {}): Session => ({
  id: "s",
  root: '["r"]',
  imported: false,
  at: 1,
  updatedAt: 1,
  confirmed: 0,
  watermark: 0,
  noted: 0,
  state: {},
  revision,
  ...more,
});
export const entry = (text: string, more: Partial<NewEntry> = {}): NewEntry => ({
  chain: `chain of ${text}`,
  content: text,
  said: more.role === "assistant" ? "" : text,
  role: "user",
  reply: false,
  at: 1,
  body: { role: "user", content: text },
  ...more,
});

/** How a store is asked for what holds any of the terms: it answers their ids. */
export const holding =
  (store: () => Storage) =>
  async (
    terms: string[],
    scopes: Scope[] = [ADA],
    more: { asOf?: number; ever?: true; category?: string; limit?: number; now?: number } = {},
  ): Promise<string[]> =>
    (
      await store().candidates("memories", {
        scopes,
        now: NOW,
        limit: 10,
        ...more,
        terms: weighted(...terms),
      })
    ).map(({ memory }) => memory.id);
