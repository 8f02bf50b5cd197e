import { either } from "../base/patterns.ts";
import { withoutUnseen } from "./cut.ts";
import { contentTerms, fold } from "./terms.ts";

/** Words that say something, one after another: fewer are how anyone speaks of the same thing. */
const RUN = 3;
/**
 * An address, a path, a file, a setting; an option of a command. A match begins at a word alone:
 * else a long one is read anew at each letter.
 */
const EXACT = either(
  /(?<![\p{L}\p{N}_-])[\p{L}\p{N}_-]+(?:[./:@\\=?&#%~+$|]+[\p{L}\p{N}_-]+)+/gu,
  /(?<![\p{L}\p{N}-])-{1,2}[\p{L}\p{N}][\p{L}\p{N}-]*/gu,
);
const SHORTEST_EXACT = 4;

/**
 * Does a text stand on another's words: a run of three that say something, or one address, path or
 * option? What is also in `known` was not got from there. It tells copies apart, not what was said
 * again in other words: that is for a person to judge.
 */
export function copies(text: string, said: string, known: string): boolean {
  const bare = (one: string): string => fold(withoutUnseen(one));
  const mine = bare(text);
  const theirs = bare(said);
  const ours = bare(known);
  const size = Math.min(RUN, contentTerms(theirs).terms.length);
  const copied = runsOf(theirs, size).difference(runsOf(ours, RUN));
  return (
    (size > 1 && !runsOf(mine, size).isDisjointFrom(copied)) ||
    (mine.match(EXACT) ?? []).some(
      (exact) => exact.length >= SHORTEST_EXACT && theirs.includes(exact) && !ours.includes(exact),
    )
  );
}

function runsOf(text: string, size: number): Set<string> {
  const { terms } = contentTerms(text);
  return new Set(terms.slice(size - 1).map((_, at) => terms.slice(at, at + size).join(" ")));
}
