/**
 * Edits that turn one word into the other; a swap of neighbours counts as one. Infinity for
 * anything beyond `most`.
 */
export function distance(one: string, other: string, most = Infinity): number {
  if (Math.abs(one.length - other.length) > most) return Infinity;
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (before[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    if (Math.min(...next) > most) return Infinity;
    [before, last] = [last, next];
  }
  return last[other.length] ?? 0;
}

/** The known word that was probably meant; undefined when none comes near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const begun = known.filter((name) => word.length > 1 && name.startsWith(word));
  if (begun.length === 1) return begun[0];
  const [best] = known
    .map((name) => ({ name, steps: distance(word, name) }))
    .sort((a, b) => a.steps - b.steps);
  return best && best.steps <= Math.max(1, Math.floor(best.name.length / 3))
    ? best.name
    : undefined;
}

/** `, did you mean "chat"?` or nothing. */
export function didYouMean(word: string, known: readonly string[], prefix = ""): string {
  const meant = nearest(word, known);
  return meant === undefined ? "" : ` Did you mean "${prefix}${meant}"?`;
}

/** Words that stand in no name of a skill: Anthropic's API refuses them. */
export const RESERVED = /anthropic|claude/;
