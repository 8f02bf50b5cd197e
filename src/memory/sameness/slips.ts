import { type Scope } from "../../model/identity.ts";
import { type Store } from "../../model/store.ts";
import { type QueryTerm } from "../../text/terms.ts";

/** Shorter words are too near each other: "Mario" is no slip of "Maria". */
const LEAST_LETTERS = 6;
/** From here on two letters may be wrong. */
const LONG = 9;
/** Slips spare the first letters; in a large memory one more of them is asked, since all its words would be read. */
const SPARED = { few: 2, more: 3, fewWords: 20_000, most: 200_000 } as const;
const WORDS = 2_000;

/**
 * For each word of the question that was not used, the nearest that was: one letter wrong, missing, too many or two
 * changed round, in a long word two. Only asked when nothing else was found.
 */
export async function withoutSlips(
  store: Store,
  scopes: readonly Scope[],
  asked: readonly QueryTerm[],
  { documents, holding }: { documents: number; holding: readonly number[] },
): Promise<string[]> {
  if (documents > SPARED.most) return [];
  const unknown = asked.filter(
    ({ term, loose }, at) =>
      holding[at] === 0 && !loose && term.length >= LEAST_LETTERS && /^\p{L}+$/u.test(term),
  );
  const found = await Promise.all(
    unknown.map(async ({ term }) => {
      const known = await store.beginning(
        scopes,
        term.slice(0, documents <= SPARED.fewWords ? SPARED.few : SPARED.more),
        WORDS,
      );
      const near = known
        .map((word) => ({ word, steps: steps(term, word) }))
        .filter(({ steps: taken }) => taken <= (term.length >= LONG ? 2 : 1));
      return near.sort((one, other) => one.steps - other.steps)[0]?.word;
    }),
  );
  return found.filter((word) => word !== undefined);
}

/** Letters to change, add, leave out or swap with their neighbour until one word is the other; 3 for anything beyond 2. */
function steps(one: string, other: string): number {
  const far = 3;
  if (Math.abs(one.length - other.length) >= far) return far;
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      const swapped =
        row > 1 &&
        column > 1 &&
        one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1];
      next.push(
        Math.min(
          (last[column] ?? far) + 1,
          (next[column - 1] ?? far) + 1,
          (last[column - 1] ?? far) + (same ? 0 : 1),
          swapped ? (before[column - 2] ?? far) + 1 : far,
        ),
      );
    }
    if (Math.min(...next) >= far) return far;
    [before, last] = [last, next];
  }
  return last[other.length] ?? far;
}
