import { type Scope } from "../model/identity.ts";
import { isTrusted, type Memory, type Origin } from "../model/memory.ts";
import { type Store, type Stored } from "../model/store.ts";
import { byId, recency, use } from "./rank.ts";

/** However old, a memory keeps this share of its weight: age alone does not make a decision unimportant. */
const FLOOR = 0.3;
const TRUSTED = (["host", "user", "agent", "tool", "untrusted"] satisfies Origin[]).filter(isTrusted);

/** How much a memory matters now, 0…1: importance, by recency (never below FLOOR of it), by use (up to 1.5), capped at 1. */
export const salience = ({ memory, statedAt, usedAt }: Stored, now: number): number =>
  Math.min(1, memory.importance * (FLOOR + (1 - FLOOR) * recency(statedAt, now)) * use(memory.uses, usedAt, now));

/** The memories of trusted origin that matter most, first first. A store orders by one trait, so each trait is asked. */
export async function salient(store: Store, scopes: readonly Scope[], { limit, now }: { limit: number; now: number }): Promise<Memory[]> {
  const ask = (order: "importance" | "stated" | "used"): Promise<Stored[]> => store.list({ scopes, now, origins: TRUSTED, order, limit: Math.max(100, 3 * limit) });
  const rows = (await Promise.all([ask("importance"), ask("stated"), ask("used")])).flat();
  return [...new Map(rows.map((row) => [row.memory.id, { memory: row.memory, weight: salience(row, now) }])).values()]
    .sort((one, other) => other.weight - one.weight || byId(one.memory.id, other.memory.id))
    .slice(0, limit)
    .map(({ memory }) => memory);
}
