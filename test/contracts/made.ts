import type { Scope } from "../../src/model/identity.ts";
import type { Memory } from "../../src/model/memory.ts";
import type { Stored } from "../../src/model/store.ts";

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
