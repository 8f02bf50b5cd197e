import type { Scope } from "../../src/model/identity.ts";
import type { NewEntry, Session } from "../../src/model/history.ts";
import type { Memory } from "../../src/model/memory.ts";
import type { MemoryWords, Stored } from "../../src/model/store.ts";

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
  (store: () => MemoryWords) =>
  async (
    terms: string[],
    scopes: Scope[] = [ADA],
    more: { asOf?: number; category?: string; limit?: number; now?: number } = {},
  ): Promise<string[]> =>
    (
      await store().candidates({ scopes, now: NOW, limit: 10, ...more, terms: weighted(...terms) })
    ).map(({ memory }) => memory.id);
