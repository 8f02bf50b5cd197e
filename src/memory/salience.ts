import { type Scope } from "../model/identity.ts";
import { isTrusted, type Memory, type Origin } from "../model/memory.ts";
import { type Store, type Stored } from "../model/store.ts";
import { byId, RANKING, type RankingRule, recency, use } from "./rank.ts";

/** However old, a memory keeps this share of its weight: age alone does not make a decision unimportant. */
const FLOOR = 0.3;
const TRUSTED = (["host", "user", "agent", "tool", "untrusted"] satisfies Origin[]).filter(isTrusted);

/** How much a memory matters now, 0…1: importance, by recency (never below FLOOR of it), by use (up to 1.5), capped at 1. */
export const salience = ({ memory, statedAt, usedAt }: Stored, now: number, rule: RankingRule = RANKING): number =>
  Math.min(1, memory.importance * (FLOOR + (1 - FLOOR) * recency(statedAt, now, rule)) * use(memory.uses, usedAt, now, rule));

export interface SalientOptions {
  readonly limit: number;
  /** Upper bound of their texts together, each with `around` tokens of what stands beside it. */
  readonly tokens?: number;
  readonly around?: number;
  /** What is shown elsewhere takes no room here. It may be known only while memories are already looked for. */
  readonly without?: Standing | Promise<Standing>;
}

type Standing = (memory: Memory) => boolean;

interface Weighed {
  readonly memory: Memory;
  readonly weight: number;
  readonly tokens: number;
}

/**
 * The memories of trusted origin that matter most, first first. Each scope has an equal share of the room, and what one
 * leaves goes to the weightiest of the others: a busy project does not push its user's own facts out.
 */
export async function salient(
  { store, countTokens, ranking }: { store: Store; countTokens: (text: string) => number; ranking?: RankingRule },
  scopes: readonly Scope[],
  { limit, tokens = Infinity, around = 0, without = () => false, now }: SalientOptions & { now: number },
): Promise<Memory[]> {
  const ranked = await Promise.all(scopes.map((scope) => weightiest(store, scope, { limit, now, ...(ranking === undefined ? {} : { ranking }) })));
  const stands = await without;
  const lists = ranked.map((list) => list.filter(({ memory }) => !stands(memory)).map((entry): Weighed => ({ ...entry, tokens: tokens === Infinity ? 0 : around + countTokens(entry.memory.content) })));
  const share = { limit: Math.floor(limit / lists.length), tokens: tokens / lists.length };
  const chosen = lists.flatMap((list) => taken(list, share));
  const rest = lists.flat().filter((entry) => !chosen.includes(entry)).sort(heavier);
  const used = chosen.reduce((sum, entry) => sum + entry.tokens, 0);
  return [...chosen, ...taken(rest, { limit: limit - chosen.length, tokens: tokens - used })].sort(heavier).map(({ memory }) => memory);
}

/** From the first on, as many as there is room for; one too long gives its place to a shorter one. */
function taken(list: readonly Weighed[], { limit, tokens }: { limit: number; tokens: number }): Weighed[] {
  const found: Weighed[] = [];
  let left = tokens;
  for (const entry of list) {
    if (found.length >= limit) break;
    if (entry.tokens > left) continue;
    found.push(entry);
    left -= entry.tokens;
  }
  return found;
}

/** A store orders by one trait, so each trait is asked; the first answer may hold all there is. */
async function weightiest(store: Store, scope: Scope, { limit, now, ranking }: { limit: number; now: number; ranking?: RankingRule }): Promise<Omit<Weighed, "tokens">[]> {
  const most = Math.max(100, 2 * limit);
  const ask = (order: "importance" | "stated" | "used"): Promise<Stored[]> => store.list({ scopes: [scope], now, origins: TRUSTED, order, limit: most });
  const first = await ask("importance");
  const rows = first.length < most ? first : [first, ...(await Promise.all([ask("stated"), ask("used")]))].flat();
  return [...new Map(rows.map((row) => [row.memory.id, { memory: row.memory, weight: salience(row, now, ranking) }])).values()].sort(heavier);
}

const heavier = (one: Omit<Weighed, "tokens">, other: Omit<Weighed, "tokens">): number => other.weight - one.weight || byId(one.memory.id, other.memory.id);
