import { defined } from "../../base/guards.ts";
import { unreadBy } from "../../model/errors.ts";
import type { Listen } from "../../model/events.ts";
import type { Hit, Why } from "../../model/memory.ts";
import type { TurnFrequencies, TurnIndex, TurnRow } from "../../model/turns.ts";
import { cleaned } from "../../text/cut.ts";
import { scoreOf, weigh } from "../recalling/rank.ts";
import {
  type AskedTerm,
  askedTerms,
  type Question,
  readQuestion,
  speakerTerm,
  withForms,
} from "./question.ts";
import { inWeight, lookAt, spread } from "./order.ts";
import { judge, type Judged } from "./signs.ts";
import { asWritten } from "./written.ts";

/**
 * Stretches judged turn by turn: all of them up to some 5,000 turns; of more, those that hold most of the question. Among
 * 85,000 turns, noisy copies of the same conversations, 120 lose 2.8 points of any@10 and 240 lose 0.8.
 */
const STRETCHES = 240;
/** Turns whose own words are looked at: what they say turns the order at most by a few places. */
const LOOKED_AT = 100;
/** Part of a word, or of a path: less sure than the word itself. */
const SUBSTRING = 0.5;
const SUBSTRING_CHARACTERS = { least: 3, most: 1_000 } as const;
/** Of two hits whose scores are equal, the better one stays the greater by this much, so that sorting by score keeps the order. */
const STEP = 1e-7;

/** A question and the turns that may answer it. */
interface Asked {
  readonly question: Question;
  readonly terms: readonly AskedTerm[];
  readonly documents: number;
  readonly judged: readonly Judged[];
}

interface Asking {
  readonly root: string;
  readonly limit?: number;
  /** Which turns may be told; default: all. */
  readonly fits?: (row: TurnRow) => boolean;
}

/**
 * Turns for a question, from the conversations of one root, best first. What was said does not fade (recency halves the
 * recall of turns), and no ranking weighs a turn or counts its use: it stands on the memories' scale as one of middling importance
 * from which use takes nothing. As one never used it gave way to facts that say less: 0.6 points of rec@10 of the merged list.
 * The order uses signs compared among this question's candidates; `why.words` is the share of the question that the turn
 * and its neighbours cover, whatever else is remembered; a score is never below those of the hits behind it.
 */
export async function searchTurns(
  { turns, listen }: { turns: TurnIndex; listen: Listen },
  query: string,
  { root, limit = 10, fits = () => true }: Asking,
): Promise<Hit[]> {
  try {
    const { ranked } = await rankTurns(turns, query, { root, limit });
    const asked = { root, limit, fits };
    const hits = await told(turns, ranked, asked);
    return hits.length > 0 ? inOrder(hits) : await containing(turns, query, asked);
  } catch (error) {
    listen({ type: "degraded", where: "search in history", ...unreadBy(error) });
    return [];
  }
}

const namesOf = ({ terms }: Question): string[] => terms.map(({ term }) => speakerTerm(term));

/** Of the question's words, and of the same as speakers' names. */
const frequenciesOf = (
  question: Question,
  turns: TurnIndex,
  { root, besides }: { root: string; besides?: string },
): Promise<TurnFrequencies> =>
  turns.frequencies(
    root,
    [...question.terms.map(({ term }) => term), ...namesOf(question)],
    besides,
  );

/** The turns that may answer with the signs that need no look at their own words. */
export async function judgeTurns(
  turns: TurnIndex,
  query: string,
  { root, besides }: { root: string; besides?: string },
): Promise<Asked> {
  const read = readQuestion(query);
  const first = await frequenciesOf(read, turns, { root, besides });
  const written = await asWritten(read, first.holding, turns, root);
  const question = written ?? read;
  if (question.terms.length === 0) return { question, terms: [], documents: 0, judged: [] };
  const frequencies = written ? await frequenciesOf(written, turns, { root, besides }) : first;
  const names = namesOf(question);
  const known = askedTerms(question, frequencies);
  const terms = await withForms(known, turns, { root, documents: frequencies.documents });
  const onlyNames = terms.every(({ speaker }) => speaker);
  // A name weighs as a word where there is nothing else, by as many turns as the one so named has said; another form of a
  // unused word weighs as that word.
  const shares = terms.map(({ term, loose, speaker }, at) => {
    const holding = onlyNames ? frequencies.holding[terms.length + at] : known[at]?.holding;
    return speaker && !onlyNames
      ? 0
      : weigh([{ term, loose }], { documents: frequencies.documents, holding: [holding ?? 0] })
          .total;
  });
  const stretches = await turns.stretches({
    root,
    terms: [
      ...terms.map(({ term, idf }) => ({ term, weight: idf })),
      ...names.map((term, at) => ({ term, weight: onlyNames ? (terms[at]?.idf ?? 0) : 0 })),
    ],
    limit: STRETCHES,
    besides,
  });
  const judged = judge(stretches, {
    question,
    terms,
    frequencies,
    shares,
    total: shares.reduce((sum, share) => sum + share, 0),
  });
  return { question, terms, documents: frequencies.documents, judged };
}

/** `weight`: what its place in the order comes from, comparable within one question. */
export interface Ranked extends Judged {
  readonly weight: number;
}

/** The turns that may answer, best first; none of the session `besides`. `named`: the question names a speaker, or something that was named before. */
export async function rankTurns(
  turns: TurnIndex,
  query: string,
  { root, limit = 0, besides }: { root: string; limit?: number; besides?: string },
): Promise<{ question: Question; named: boolean; ranked: Ranked[] }> {
  const { judged, ...asked } = await judgeTurns(turns, query, { root, besides });
  const { form, list, names } = asked.question;
  const best = inWeight(judged, form, Math.max(LOOKED_AT, 3 * limit));
  const ranked = inWeight(
    await lookAt(
      turns,
      best.map(({ turn }) => turn),
      asked,
      root,
    ),
    form,
  );
  const ordered = spread(ranked, list || form === "message");
  const named = asked.terms.some(
    ({ term, holding, speaker }) => speaker || (holding > 0 && names.includes(term)),
  );
  const weighed = ordered.map(({ turn, weight }) => ({ ...turn, weight }));
  return { question: asked.question, named, ranked: weighed };
}

/** The texts of the best. Forked conversations hold the same turn twice: the first of equal texts stands for all. */
async function told(
  turns: TurnIndex,
  ranked: readonly Judged[],
  { root, limit, fits }: Required<Asking>,
): Promise<Hit[]> {
  const hits: Hit[] = [];
  const said = new Set<string>();
  for (let from = 0; from < ranked.length && hits.length < limit; from += 2 * limit) {
    const some = ranked.slice(from, from + 2 * limit);
    const rows = await turns.turns(root, some);
    rows.forEach((row, at) => {
      const text = row.text.trim();
      if (hits.length === limit || said.has(text) || !fits(row)) return;
      said.add(text);
      hits.push(hitOf(row, some[at]?.covers ?? 0));
    });
  }
  return hits;
}

function hitOf({ id, session, text, ref, role }: TurnRow, words: number): Hit {
  const why: Why = { words, meaning: 0, recency: 0, use: 1, importance: 0.5 };
  return {
    id,
    from: "history",
    content: text,
    text,
    score: scoreOf(why, 1),
    why,
    ...defined({ ref }),
    source: session,
    role,
  };
}

/** The greatest score from here on, so that the order is that of the scores. */
function inOrder(hits: readonly Hit[]): Hit[] {
  let least = 0;
  return hits
    .toReversed()
    .map((hit) => {
      least = Math.max(hit.score, least + STEP);
      return { ...hit, score: Math.min(1, least) };
    })
    .reverse();
}

async function containing(
  turns: TurnIndex,
  query: string,
  { root, limit, fits }: Required<Asking>,
): Promise<Hit[]> {
  const text = cleaned(query).trim();
  if (
    readQuestion(query).terms.length === 0 ||
    text.length < SUBSTRING_CHARACTERS.least ||
    text.length > SUBSTRING_CHARACTERS.most
  )
    return [];
  return inOrder(
    (await turns.containing({ root, text, limit }))
      .filter(fits)
      .map((row) => hitOf(row, SUBSTRING)),
  );
}
