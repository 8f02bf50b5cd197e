import type { Storage } from "../../model/storage.ts";
import { distance } from "../../model/checks.ts";
import type { Scope } from "../../model/identity.ts";
import type { QueryTerm } from "../../text/terms.ts";

/** Shorter words are too near each other: "Mario" is no slip of "Maria". */
const LEAST_LETTERS = 6;
/** From here on two letters may be wrong. */
const LONG = 9;
/**
 * Slips spare the first letters; in a large memory one more of them is asked, since all its words
 * would be read.
 */
const SPARED = { few: 2, more: 3, fewWords: 20_000, most: 200_000 } as const;
const WORDS = 2_000;

/**
 * For each word of the question that was not used, the nearest that was: one letter wrong, missing,
 * too many or two changed round, in a long word two. Only asked when nothing else was found.
 */
export async function withoutSlips(
  store: Storage,
  scopes: readonly Scope[],
  asked: readonly QueryTerm[],
  { documents, holding }: { documents: number; holding: readonly number[] },
): Promise<string[]> {
  if (documents > SPARED.most) return [];
  const unknown = asked.filter(
    ({ term, loose }, at) =>
      holding[at] === 0 && !loose && term.length >= LEAST_LETTERS && /^\p{L}+$/u.test(term),
  );
  const spared = documents <= SPARED.fewWords ? SPARED.few : SPARED.more;
  const found = await Promise.all(
    unknown.map(async ({ term }) => {
      const most = term.length >= LONG ? 2 : 1;
      const start = term.slice(0, spared);
      const near = (await store.beginning("memories", { scopes, start, limit: WORDS }))
        .map((word) => ({ word, steps: distance(term, word, most) }))
        .filter(({ steps }) => steps <= most);
      return near.sort((one, other) => one.steps - other.steps)[0]?.word;
    }),
  );
  return found.filter((word) => word !== undefined);
}
