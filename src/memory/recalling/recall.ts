import { defined, present } from "../../core/base.ts";
import { degraded, type Emit, unreadBy } from "../../core/errors-and-events.ts";
import type { Scope } from "../../core/identity.ts";
import { type Hit, type Memory, momentOf, type RecallOptions } from "../../core/memory.ts";
import { categoryName } from "../../core/memory-kinds.ts";
import { authorOf, narrowing as narrowedBy } from "../../core/memory-types.ts";
import { asQuestion } from "../../core/text/cut.ts";
import type { Storage } from "../../storage/port.ts";
import type {
  Candidate,
  Frequencies,
  Narrowing,
  Near,
  Weighed,
  WeightedChoice,
  WeightedTerm,
} from "../../storage/search-index.ts";
import { fuse, type Match } from "../meaning/embeddings.ts";
import type { Meaning, Question } from "../meaning/meaning.ts";
import { byWords, diverse, pack, rank, type Ranked, relevanceOf, type Strategy } from "./rank.ts";
import { askedIn, comparing, type Comparing, otherwise } from "./related-words.ts";
import { type Counts, countsOf } from "./word-weights.ts";

/**
 * Of the candidates by words, as many are looked up by meaning, and as many of the best are
 * compared: the rest is far behind.
 */
const BY_MEANING = 0.2;
/** Candidates read for each hit asked for. */
const MULTIPLIER = 3;
/**
 * Few are asked for, and a common word leaves a choice all the same: 100 candidates are read.
 */
const LEAST_LIMIT = 34;

export interface RecallRoom {
  readonly store: Storage;
  readonly scopes: readonly Scope[];
  readonly now: () => number;
  readonly listen: Emit;
  readonly countTokens: (text: string) => number;
  readonly ranking: Strategy;
  /** Absent: words only. */
  readonly meaning?: Meaning;
}

/** How memories are looked for on behalf of another caller. */
export interface Manner {
  readonly told?: boolean;
  readonly hurried?: Promise<void>;
}

/**
 * Memories for a question. Rejects for options that cannot be meant; whatever else goes wrong is
 * told, and finds nothing.
 * `quiet`: the caller has yet to choose among the hits, and counts the use of those it returns.
 * `told: false`: it tells of
 * them itself. `hurried`: from then on an embedder is not waited for, and words decide.
 */
export async function recall(
  room: RecallRoom,
  asked: string,
  options: RecallOptions = {},
  { quiet = false, told = true, hurried }: Manner & { quiet?: boolean } = {},
): Promise<Hit[]> {
  const query = asQuestion(asked);
  const { limit = 10, tokens, category, kind, scope } = options;
  const asOf = options.asOf === undefined ? undefined : momentOf(options.asOf);
  const scopes = scope === undefined ? room.scopes : room.scopes.filter((own) => own === scope);
  const now = room.now();
  const most = MULTIPLIER * Math.max(limit, LEAST_LIMIT);
  const of = category && categoryName(category);
  const narrowing: Narrowing = { scopes, now, asOf, category: of, kind, limit: most };
  const isMeant = narrowedBy(options);
  const find = (asking: Narrowing) => findMeant(room, query, asking, { hurried, isMeant });
  try {
    const within = await find(narrowing);
    // A category that holds no answer is no reason to give none.
    const flat = category !== undefined && within.length === 0;
    const found = flat ? await find({ ...narrowing, category: undefined }) : within;
    const ranked = diverse(found, limit).map((one) => {
      const hit = hitOf(one);
      return category === undefined ? hit : { ...hit, why: { ...hit.why, category: flat ? 0 : 1 } };
    });
    const hits = tokens === undefined ? ranked : pack(ranked, tokens, room.countTokens);
    // Asking what was true once says nothing about what matters now.
    // No answer waits for a count.
    if (asOf === undefined && !quiet) void markUsed(room, hits);
    if (told)
      room.listen(
        {
          type: "recalled",
          characters: asked.length,
          hits: hits.length,
          ms: room.now() - now,
        },
        query,
      );
    return hits;
  } catch (error) {
    room.listen({ type: "degraded", where: "recall", ...unreadBy(error) });
    return [];
  }
}

/** A type, tags or a time leave few: so many times more are read. */
const NARROWER = 10;

async function findMeant(
  room: RecallRoom,
  query: string,
  asking: Narrowing,
  { hurried, isMeant }: { hurried: Promise<void> | undefined; isMeant: Meant },
): Promise<Ranked<Candidate>[]> {
  if (isMeant === undefined) return find(room, query, asking, hurried);
  const found = await find(room, query, { ...asking, limit: NARROWER * asking.limit }, hurried);
  return found.filter(({ stored }) => isMeant(stored.memory));
}
type Meant = ReturnType<typeof narrowedBy>;

async function find(
  { store, meaning, ranking }: RecallRoom,
  query: string,
  narrowing: Narrowing,
  hurried: Promise<void> | undefined,
): Promise<Ranked<Candidate>[]> {
  const { scopes, asOf, now } = narrowing;
  if (scopes.length === 0) return [];
  const question = askedIn(query);
  const { terms: asked } = question;
  const frequenciesOf = (words: readonly string[]): Promise<Frequencies> =>
    store.frequencies("memories", { scopes, terms: words, past: asOf !== undefined });
  const [vector, frequencies] = await Promise.all([
    meaning && Promise.race(present([meaning.vector(query), hurried?.then(() => undefined)])),
    frequenciesOf(asked.map(({ term }) => term)),
  ]);
  const counts = countsOf(asked, frequencies);
  const compared = comparing(question, counts, await otherwise(asked, counts, frequenciesOf));
  const limit = Math.ceil(BY_MEANING * narrowing.limit);
  const [worded, near, judge] = await Promise.all([
    compared.terms.length > 0
      ? store.candidates("memories", { ...narrowing, ...readingOf(counts, compared) })
      : [],
    vector && store.vectors?.nearest("memories", { ...narrowing, limit, vector }),
    vector && meaning?.judge(vector, scopes),
  ]);
  const meant = vector && near && judge && { vector, near, judge };
  const { candidates, match } = await matcher(store, narrowing, { meant, worded, compared });
  return rank(candidates, match, asOf ?? now, ranking);
}

interface Found {
  readonly meant: (Question & { readonly near: readonly Near[] }) | undefined;
  readonly worded: readonly Candidate[];
  readonly compared: Comparing;
}

/** Candidates are found by words or by meaning; `match` says how well each does by both. */
async function matcher(
  { vectors }: Storage,
  narrowing: Narrowing,
  { meant, worded, compared: { of: share } }: Found,
): Promise<{ candidates: readonly Candidate[]; match: (candidate: Candidate) => Match }> {
  if (meant === undefined || vectors === undefined)
    return { candidates: worded, match: ({ terms }) => share(terms) };
  const { vector, judge, near } = meant;
  const limit = Math.ceil(BY_MEANING * narrowing.limit);
  const candidates = [
    ...new Map([...near, ...worded].map((candidate) => [candidate.memory.id, candidate])).values(),
  ];
  const words = new Map(candidates.map(({ memory, terms }) => [memory.id, share(terms)]));
  const wordsOf = ({ id }: Memory): Match => words.get(id) ?? byWords(0);
  const cosines = new Map<string, number | undefined>(
    near.map(({ memory, cosine }) => [memory.id, cosine]),
  );
  const open = worded
    .map(({ memory }) => memory)
    .filter(({ id }) => !cosines.has(id))
    .sort((one, other) => wordsOf(other).strength - wordsOf(one).strength)
    .slice(0, limit);
  const told = await vectors.cosines(open, narrowing.scopes, vector);
  open.forEach(({ id }, at) => cosines.set(id, told[at]));
  return {
    candidates,
    match: ({ memory }) => fuse(wordsOf(memory), cosines.get(memory.id), judge),
  };
}

function hitOf({ stored: { memory }, score, why }: Ranked): Hit {
  return {
    id: memory.id,
    from: "memory",
    content: memory.content,
    text: memory.content,
    score,
    why,
    memory,
    source: memory.source,
    ...defined({ author: authorOf(memory) }),
  };
}

/** A hit that answers less than this of the best was shown, and says no more for having been. */
const USED = 0.9;

/**
 * One more use of each memory among the hits. Trouble is told: a hit is worth more than its count.
 */
export async function markUsed(
  { store, scopes, listen, now }: RecallRoom,
  hits: readonly Hit[],
): Promise<void> {
  const best = Math.max(...hits.map(({ why }) => relevanceOf(why)));
  const ids = hits.flatMap(({ from, id, why }) =>
    from === "memory" && relevanceOf(why) >= USED * best ? id : [],
  );
  if (ids.length === 0) return;
  try {
    await store.commit({ used: { ids, scopes, at: now() } });
  } catch (error) {
    listen(degraded("recall: counting the use", error));
  }
}

/** Memories read in all before it matters how many hold a word. */
const FEW = 4_000;
/**
 * A word in more than this share of the memories tells little: it is looked for beside another
 * only.
 */
const COMMON = 0.05;

/**
 * Which words to look for one by one, and which only two together; what is found is weighed by all
 * of them.
 */
export function readingOf(
  { documents, holding }: Counts,
  { terms }: Pick<Comparing, "terms">,
): Required<Pick<Weighed["memories"][0], "terms" | "together">> {
  const of = ({ term }: WeightedTerm): number => holding.get(term) ?? 0;
  const rare: WeightedChoice[] = [];
  const together: WeightedChoice[] = [];
  let read = 0;
  for (const term of terms.toSorted((one, other) => of(one) - of(other))) {
    read += of(term);
    if (read <= FEW || (of(term) <= COMMON * documents && read <= 3 * FEW)) rare.push(term);
    else together.push(term);
  }
  return {
    // Without a rare one, the rarest of the common is better than nothing.
    terms: rare.length > 0 ? rare : together.slice(0, 1),
    together,
  };
}
