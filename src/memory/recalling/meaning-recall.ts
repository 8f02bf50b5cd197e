import { type Candidate, type Narrowing, type Store } from "../../model/store.ts";
import { type Comparing } from "./asked.ts";
import { type Question } from "../meaning/meaning.ts";
import { fuse } from "../meaning/calibration.ts";
import { byWords, type Match } from "./rank.ts";

/** Of the candidates by words, as many are looked up by meaning, and as many of the best are compared: the rest is far behind. */
const SHARE = 0.2;

interface Asked {
  readonly question: Question | undefined;
  readonly worded: readonly Candidate[];
  readonly words: Comparing["of"];
  readonly narrowing: Narrowing;
}

/** What may answer, found by words or by meaning, and how well each does by both. */
export async function matcher(
  store: Store,
  { question, worded, words: share, narrowing }: Asked,
): Promise<{ candidates: readonly Candidate[]; match: (candidate: Candidate) => Match }> {
  if (question === undefined)
    return { candidates: worded, match: ({ terms }) => byWords(share(terms)) };
  const { vector, judge } = question;
  const enough = Math.ceil(SHARE * narrowing.limit);
  const near = await store.vectors.nearest({ ...narrowing, limit: enough, vector });
  const cosines = new Map<string, number | undefined>(
    near.map(({ memory, cosine }) => [memory.id, cosine]),
  );
  const words = new Map([...near, ...worded].map(({ memory, terms }) => [memory.id, share(terms)]));
  const open = worded
    .filter(({ memory }) => !cosines.has(memory.id))
    .sort((one, other) => (words.get(other.memory.id) ?? 0) - (words.get(one.memory.id) ?? 0))
    .slice(0, enough)
    .map(({ memory: { id, version } }) => ({ id, version }));
  (await store.vectors.cosines(open, narrowing.scopes, vector)).forEach((cosine, at) =>
    cosines.set(open[at]?.id ?? "", cosine),
  );
  const candidates = [
    ...new Map([...near, ...worded].map((candidate) => [candidate.memory.id, candidate])).values(),
  ];
  return {
    candidates,
    match: ({ memory: { id } }) => fuse(words.get(id) ?? 0, cosines.get(id), judge),
  };
}
