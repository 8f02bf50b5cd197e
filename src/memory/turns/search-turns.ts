import { defined } from "../../core/base.ts";
import { type Listen, unreadBy } from "../../core/errors-and-events.ts";
import type { Hit } from "../../core/memory.ts";
import { asQuestion } from "../../core/text/cut.ts";
import type { TurnRow } from "../../storage/rows.ts";
import type { Storage } from "../../storage/port.ts";
import { fuse, type Match } from "../meaning/embeddings.ts";
import type { Question as Meant } from "../meaning/meaning.ts";
import { byWords, scoreOf } from "../recalling/rank.ts";
import { type Asked, inWeight, lookAt, type Ranked, spread } from "./order.ts";
import { askedTerms, type Question, readQuestion, sameQuestion, withForms } from "./question.ts";
import { judge, type Judged } from "./signs.ts";
import type { TurnKey } from "../../storage/search-index.ts";

/**
 * Stretches judged turn by turn: all of them up to some 5,000 turns; of more, those that hold most
 * of the question. Among 85,000 turns, noisy copies of the same conversations, 120 lose 2.8 points
 * of any@10 and 240 lose 0.8.
 */
const STRETCHES = 240;
/** Turns whose own words are looked at: what they say turns the order at most by a few places. */
const LOOKED_AT = 60;
/**
 * Of two hits whose scores are equal, the better one stays the greater by this much, so that
 * sorting by score keeps the order.
 */
const STEP = 1e-7;

/** Turns near the question that are fused with those that words find. */
const NEAR = 100;
/** The first place counts 1 in so many; a place by meaning so much of one by words. */
const PLACES = { first: 11, meaning: 0.1 } as const;

interface Searching {
  readonly store: Storage;
  readonly listen: Listen;
  /** What is asked by its meaning; absent, or undefined in the end: by words only. */
  readonly question?: Promise<Meant | undefined> | undefined;
}

/** The turns asked are a root's, none of the session `besides`. */
interface Among {
  readonly root: string;
  readonly besides?: string;
}

interface Asking {
  readonly root: string;
  readonly limit?: number;
}

/**
 * Turns for a question, from the conversations of one root, best first. What was said does not fade
 * (recency halves the recall of turns), and no ranking weighs a turn or counts its use: it stands
 * on the memories' scale as one of middling importance from which use takes nothing. As one never
 * used it gave way to facts that say less: 0.6 points of rec@10 of the merged list. The order uses
 * signs compared among this question's candidates; `why.words` is the share of the question that
 * the turn and its neighbours cover, whatever else is remembered; a score is never below those of
 * the hits behind it.
 */
export async function searchTurns(
  { store, listen, question }: Searching,
  asked: string,
  { root, limit = 10 }: Asking,
): Promise<Hit[]> {
  const query = asQuestion(asked);
  try {
    const { ranked } = await rankTurns(store, query, { root, limit });
    const meant = await question;
    const near =
      (meant &&
        (await store.vectors?.nearest("turns", { root, vector: meant.vector, limit: NEAR }))) ??
      [];
    const order = meant ? fused(ranked, near, meant.judge) : ranked.map(byWordsAlone);
    return inOrder(await told(store, order, { root, limit, repeats: sameQuestion(query) }));
  } catch (error) {
    listen({ type: "degraded", where: "search in history", ...unreadBy(error) });
    return [];
  }
}

/** A turn for the question, and how far it answers it by words and by what it means. */
interface Answering extends TurnKey {
  readonly match: Match;
  readonly score: number;
}

const scored = (key: TurnKey, match: Match): Answering => ({
  ...{ stretch: key.stretch, place: key.place, match },
  score: scoreOf(match.words || match.meaning, { recency: 1, use: 1, importance: 0.5 }),
});
const byWordsAlone = (turn: Judged): Answering => scored(turn, byWords(turn.covers));

/**
 * The order by words and the one by meaning, fused by places as Cormack and others (2009) do. What
 * no word finds comes in where its meaning is no stranger's; all others only lend their place. Each
 * place has the score that words gave it, so that beside facts turns stand as they did.
 */
function fused(
  ranked: readonly Judged[],
  near: readonly (TurnKey & { readonly cosine: number })[],
  judge: Meant["judge"],
): Answering[] {
  const worded = ranked.map(byWordsAlone);
  const found = new Map(
    worded.map((turn, at): [string, Answering & { worth: number }] => [
      `${turn.stretch} ${turn.place}`,
      { ...turn, worth: 1 / (PLACES.first + at) },
    ]),
  );
  near.forEach((key, at) => {
    const name = `${key.stretch} ${key.place}`;
    const known = found.get(name);
    const match = fuse(known?.match ?? byWords(0), key.cosine, judge);
    if (known === undefined && match.meaning === 0) return;
    const worth = (known?.worth ?? 0) + PLACES.meaning / (PLACES.first + at);
    found.set(name, { ...scored(key, match), worth });
  });
  const scores = inOrder(worded);
  return [...found.values()]
    .sort((one, other) => other.worth - one.worth)
    .map((turn, at) => ({ ...turn, score: scores[at]?.score ?? turn.score }));
}

/** The turns that may answer a question with the signs that need no look at their own words. */
async function judgeTurns(
  store: Storage,
  query: string,
  { root, besides }: Among,
): Promise<Asked & { judged: Judged[] }> {
  const question = readQuestion(query);
  const names = question.terms.map(({ term }) => `@${term}`);
  const frequencies = await store.frequencies("turns", {
    root,
    terms: [...question.terms.map(({ term }) => term), ...names],
    besides,
  });
  const { documents } = frequencies;
  if (question.terms.length === 0) return { question, terms: [], documents, judged: [] };
  const terms = await withForms(askedTerms(question, frequencies), store, { root, documents });
  const stretches = await store.candidates("turns", {
    root,
    terms: [
      ...terms.map(({ term, idf }) => ({ term, weight: idf })),
      ...terms.map(({ speaker, counts, idf }, at) => ({
        term: names[at] ?? "",
        weight: speaker && counts ? idf : 0,
      })),
    ],
    limit: STRETCHES,
    besides,
  });
  return { question, terms, documents, judged: judge(stretches, { question, terms, frequencies }) };
}

/**
 * The turns that may answer, best first. `named`: the question names a speaker, or something that
 * was named before.
 */
export async function rankTurns(
  store: Storage,
  query: string,
  { limit = 0, ...among }: Among & { limit?: number },
): Promise<{ question: Question; named: boolean; ranked: Ranked[] }> {
  const { judged, ...asked } = await judgeTurns(store, query, among);
  const { question, terms } = asked;
  const { form, list, names } = question;
  const best = inWeight(judged, form, Math.max(LOOKED_AT, 3 * limit));
  const looked = await lookAt(store, best, asked, among.root);
  return {
    question,
    named: terms.some(
      ({ term, holding, speaker, telling }) =>
        speaker || (telling && holding > 0 && names.includes(term)),
    ),
    ranked: spread(inWeight(looked, form), list || form === "message"),
  };
}

/**
 * The texts of the best, which do not only ask the same. Forked conversations hold the same turn
 * twice: the first of equal texts stands for all.
 */
async function told(
  store: Storage,
  ranked: readonly Answering[],
  { root, limit, repeats }: Required<Asking> & { repeats: (text: string) => boolean },
): Promise<Hit[]> {
  const hits: Hit[] = [];
  const said = new Set<string>();
  for (let from = 0; from < ranked.length && hits.length < limit; from += 2 * limit) {
    const some = ranked.slice(from, from + 2 * limit);
    const rows = await store.turns(root, some);
    rows.forEach((row, at) => {
      const text = row.text.trim();
      const found = some[at];
      if (found === undefined || hits.length === limit) return;
      if (said.has(text) || repeats(text)) return;
      said.add(text);
      hits.push(hitOf(row, found));
    });
  }
  return hits;
}

function hitOf(
  { id, session, text, ref, role, at }: TurnRow,
  { match: { words, meaning }, score }: Answering,
): Hit {
  return {
    id,
    from: "history",
    content: text,
    text,
    score,
    why: { words, meaning, recency: 0, use: 1, importance: 0.5 },
    ...defined({ ref }),
    source: session,
    role,
    at,
  };
}

/** The greatest score from here on, so that the order is that of the scores. */
function inOrder<T extends { readonly score: number }>(hits: readonly T[]): T[] {
  let least = 0;
  return hits
    .toReversed()
    .map((hit) => {
      least = Math.max(hit.score, least + STEP);
      return { ...hit, score: Math.min(1, least) };
    })
    .reverse();
}
