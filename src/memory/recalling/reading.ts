import { type Frequencies, type WeightedTerm } from "../../model/store.ts";
import { type QueryTerm } from "../../text/terms.ts";
import { type Comparing } from "./asked.ts";
import { RANKING } from "./rank.ts";

/** Sums in another order differ in their last places. */
const ROUNDING = 1e-9;

/** Memories read in all before it matters how many hold a word. */
const FEW = 4_000;
/** A word in more than this share of the memories tells little: it is looked for beside another only. */
const COMMON = 0.05;

interface Reading {
  readonly terms: readonly WeightedTerm[];
  readonly together: readonly WeightedTerm[];
  readonly least: number;
}

/** Which words to look for one by one, and which only two together; what is found is weighed by all of them. */
export function readingOf(
  asked: readonly QueryTerm[],
  frequencies: Frequencies,
  { terms, least }: Comparing,
): Reading {
  const reading = parted(asked, frequencies, terms);
  // A common word may stand in what was found by a rare one, uncounted.
  const uncounted = reading.together.reduce((sum, { weight }) => sum + weight, 0);
  return { ...reading, least: (1 - ROUNDING) * least(RANKING.least) - uncounted };
}

function parted(
  asked: readonly QueryTerm[],
  { documents, holding }: Frequencies,
  terms: readonly WeightedTerm[],
): Pick<Reading, "terms" | "together"> {
  const held = new Map(asked.map(({ term }, at) => [term, holding[at] ?? 0]));
  const of = ({ term }: WeightedTerm): number => held.get(term) ?? 0;
  const rare: WeightedTerm[] = [];
  const together: WeightedTerm[] = [];
  let read = 0;
  for (const term of [...terms].sort((one, other) => of(one) - of(other))) {
    read += of(term);
    if (read <= FEW || (of(term) <= COMMON * documents && read <= 3 * FEW)) rare.push(term);
    else together.push(term);
  }
  // Without a rare one, the rarest of the common is better than nothing.
  const [least, ...others] = together;
  return rare.length > 0 || least === undefined
    ? { terms: rare, together }
    : { terms: [least], together: [least, ...others] };
}
