import { type Candidate, type Narrowing, type Store } from "../model/store.ts";
import { type Question } from "./meaning.ts";
import { fuse } from "./meaning-calibration.ts";
import { byWords, type Match } from "./rank.ts";
import { relevance, type Weighing } from "./words.ts";

/** Nearest memories read for each candidate by words: comparing is dear, and the nearest tell. */
const SHARE = 0.3;

interface Asked {
  readonly question: Question | undefined;
  readonly worded: readonly Candidate[];
  readonly weighing: Weighing;
  readonly narrowing: Narrowing;
}

/** Who may answer, found by words or by meaning, and how well each does by both. */
export async function matcher(store: Store, { question, worded, weighing, narrowing }: Asked): Promise<{ candidates: readonly Candidate[]; match: (candidate: Candidate) => Match }> {
  if (question === undefined) return { candidates: worded, match: ({ terms }) => byWords(relevance(terms, weighing)) };
  const { vector, judge } = question;
  const near = await store.vectors.nearest({ ...narrowing, limit: Math.ceil(SHARE * narrowing.limit), vector });
  const cosines = new Map<string, number | undefined>(near.map(({ memory, cosine }) => [memory.id, cosine]));
  const unknown = worded.filter(({ memory }) => !cosines.has(memory.id));
  const values = unknown.map(({ memory: { id, version } }) => ({ id, version }));
  (await store.vectors.cosines(values, narrowing.scopes, vector)).forEach((cosine, at) => cosines.set(values[at]?.id ?? "", cosine));
  const candidates = [...new Map([...near, ...worded].map((candidate) => [candidate.memory.id, candidate])).values()];
  return {
    candidates,
    match: ({ memory, terms }) => fuse(relevance(terms, weighing), cosines.get(memory.id), judge),
  };
}
