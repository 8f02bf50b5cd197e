import { reasonOf, TidemarkError } from "../model/errors.ts";
import { type Listen } from "../model/events.ts";
import { type Scope } from "../model/identity.ts";
import { type Hit, type RecallOptions } from "../model/memory.ts";
import { momentOf } from "../model/moment.ts";
import { type Narrowing, type Store } from "../model/store.ts";
import { cleaned } from "../text/cut.ts";
import { queryTerms } from "../text/terms.ts";
import { checkWhole } from "./check.ts";
import { fit } from "./fit.ts";
import { rank, type Ranked, relevance, weigh } from "./rank.ts";

/** Part of a word, or of a path: less sure than the word itself. */
const SUBSTRING = 0.5;
/** SQLite refuses a pattern beyond 50,000 bytes; nobody looks for a part that long. */
const SUBSTRING_CHARACTERS = { least: 3, most: 1_000 } as const;
/**
 * More than are asked for, since age, use and importance may still turn their order: three times as many (design §7), and
 * enough that a common word leaves a choice.
 */
const candidatesFor = (limit: number): number => Math.max(3 * limit, 200);

export interface RecallRoom {
  readonly store: Store;
  readonly scopes: readonly Scope[];
  readonly now: () => number;
  readonly listen: Listen;
  readonly countTokens: (text: string) => number;
}

/** Memories for a question. Rejects for options that cannot be meant; whatever else goes wrong is told, and finds nothing. */
export async function recall(room: RecallRoom, query: string, options: RecallOptions = {}): Promise<Hit[]> {
  if (typeof query !== "string") throw new TidemarkError("config", `recall takes a text to look for, got ${typeof query}.`);
  const { limit = 10, tokens, category, kind, scope } = options;
  checkWhole(limit, "limit", 1_000);
  if (tokens !== undefined) checkWhole(tokens, "tokens", 10_000_000);
  const asOf = options.asOf === undefined ? undefined : momentOf(options.asOf, "asOf");
  const scopes = scope === undefined ? room.scopes : room.scopes.filter((own) => own === scope);
  const now = room.now();
  const narrowing: Narrowing = {
    scopes,
    now,
    ...(asOf === undefined ? {} : { asOf }),
    ...(category === undefined ? {} : { category }),
    ...(kind === undefined ? {} : { kind }),
    limit: candidatesFor(limit),
  };
  try {
    const ranked = (await find(room.store, query, narrowing)).slice(0, limit).map(hitOf);
    const hits = tokens === undefined ? ranked : fit(ranked, tokens, room.countTokens);
    // Asking what was true once says nothing about what matters now.
    if (asOf === undefined) await markUsed(room, hits, now);
    room.listen({ type: "recalled", query, hits: hits.length, ms: room.now() - now });
    return hits;
  } catch (error) {
    room.listen({ type: "degraded", where: "recall", error: reasonOf(error) });
    return [];
  }
}

async function find(store: Store, query: string, narrowing: Narrowing): Promise<Ranked[]> {
  const asked = queryTerms(query);
  if (asked.length === 0 || narrowing.scopes.length === 0) return [];
  const at = narrowing.asOf ?? narrowing.now;
  const past = narrowing.asOf !== undefined;
  const weighing = weigh(asked, await store.frequencies(narrowing.scopes, asked.map(({ term }) => term), past));
  if (weighing.terms.length > 0) {
    const found = rank(await store.candidates({ ...narrowing, terms: weighing.terms }), ({ terms }) => relevance(terms, weighing), at);
    if (found.length > 0) return found;
  }
  const text = cleaned(query).trim();
  if (text.length < SUBSTRING_CHARACTERS.least || text.length > SUBSTRING_CHARACTERS.most) return [];
  return rank(await store.containing({ ...narrowing, text }), () => SUBSTRING, at);
}

function hitOf({ stored: { memory }, score, why }: Ranked): Hit {
  return { id: memory.id, from: "memory", text: memory.content, score, why, memory, source: memory.source };
}

async function markUsed({ store, scopes, listen }: RecallRoom, hits: readonly Hit[], now: number): Promise<void> {
  if (hits.length === 0) return;
  try {
    await store.used(hits.map(({ id }) => id), scopes, now);
  } catch (error) {
    listen({ type: "degraded", where: "recall: counting the use", error: reasonOf(error) });
  }
}
