import { statement, wordShare } from "../sameness/rewording.ts";
import { cosine } from "./calibration.ts";
import { RETOLD } from "./rewording-samples.ts";
import type { Embed } from "./embed-missing.ts";

/**
 * How far an embedder may be believed that two statements are one fact. Cosines alone say nothing, and a word changes less of a
 * long statement than of a short one: so what counts is the distance (1 − cosine) per share of the content that one word has.
 */

/** The list that embedders were measured on; what was measured on another is measured anew. */
export const RETOLD_MARK = 1;

/** Of the distance that the least telling of our edits makes. */
const SAFETY = 0.5;
/** Of our rewordings so many must lie nearer than that, or the embedder does not tell synonyms from other things. */
const LEAST_FOUND = 0.5;
/** Less is the rounding of an embedder that gives everything one vector. */
const LEAST_REACH = 0.01;
/** Embedded in one call: fewer than any service refuses. */
const BATCH = 50;

/** Two statements: their cosine, and the share that one word has in the content of both. */
export interface Beside {
  readonly cosine: number;
  readonly share: number;
}

/** Above this cosine two statements are one fact: nearer than one word of another meaning would leave them, however many words are put otherwise. */
export const leastCosine = (share: number, reach: number): number => 1 - share * reach;

/** From rewordings of ours and from edits that make another fact. Undefined: the embedder has no say. */
export function reachOf(again: readonly Beside[], edited: readonly Beside[]): number | undefined {
  const reach = SAFETY * Math.min(...edited.map(({ cosine: near, share }) => (1 - near) / share));
  const found = again.filter(({ cosine: near, share }) => near > leastCosine(share, reach)).length;
  return Number.isFinite(reach) && reach >= LEAST_REACH && found >= LEAST_FOUND * again.length
    ? reach
    : undefined;
}

/** The reach of an embedder, measured on our texts. */
export async function measureReach(embed: Embed): Promise<number | undefined> {
  const texts = [
    ...new Set(RETOLD.flatMap(({ fact, again, edited }) => [fact, ...again, ...edited])),
  ];
  const vectors = new Map<string, Float32Array>();
  for (let from = 0; from < texts.length; from += BATCH) {
    const part = texts.slice(from, from + BATCH);
    (await embed(part)).forEach((vector, at) => vectors.set(part[at] ?? "", vector));
  }
  const beside = (fact: string, text: string): Beside[] => {
    const [one, other] = [vectors.get(fact), vectors.get(text)];
    const [said, again] = [statement(fact), statement(text)];
    return one && other && said && again
      ? [{ cosine: cosine(one, other), share: wordShare(said, again) }]
      : [];
  };
  return reachOf(
    RETOLD.flatMap(({ fact, again }) => again.flatMap((text) => beside(fact, text))),
    RETOLD.flatMap(({ fact, edited }) => edited.flatMap((text) => beside(fact, text))),
  );
}
