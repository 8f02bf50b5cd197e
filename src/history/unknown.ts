/** What tells one imported message from another. */
interface Sign {
  /** Digest of all that was said of it. */
  readonly key: string;
  /** It bears a time or a reference of its own, so that its like is itself and not a repetition ("ok", "ok"). */
  readonly named: boolean;
}

/**
 * Which of the given messages are new to a conversation. A host passes all of it again, or its last part, or only what is
 * new: where the beginning of what is given lies on the end of what is known, all behind is new. Elsewhere messages are
 * told by their signs, the second of a kind from the first.
 */
export function unknownIn(known: readonly Sign[], given: readonly Sign[]): number[] {
  const { overlap, inside } = overlapOf(known, given);
  if (inside) return [];
  // Begins as the conversation begins: all of it was passed, changed or added to in the middle.
  const anew = overlap === 0 && given.length > 1 && given[0]?.key === known[0]?.key;
  const left = new Map<string, number>();
  for (const { key } of known) left.set(key, (left.get(key) ?? 0) + 1);
  const fresh: number[] = [];
  given.forEach(({ key, named }, index) => {
    const copies = left.get(key) ?? 0;
    left.set(key, copies - 1);
    if (index < overlap || (copies > 0 && (named || anew))) return;
    fresh.push(index);
  });
  return fresh;
}

/** The longest beginning of `given` that ends `known`; and whether all of `given`, two messages or more, stands in it. */
function overlapOf(
  known: readonly Sign[],
  given: readonly Sign[],
): { overlap: number; inside: boolean } {
  // Knuth, Morris and Pratt: how much of the beginning still stands when the next message does not fit.
  const fallback = [0];
  const follow = (matched: number, key: string): number => {
    let length = matched;
    while (length > 0 && (length === given.length || given[length]?.key !== key))
      length = fallback[length - 1] ?? 0;
    return given[length]?.key === key ? length + 1 : length;
  };
  for (let index = 1; index < given.length; index++)
    fallback.push(follow(fallback[index - 1] ?? 0, given[index]?.key ?? ""));
  let overlap = 0;
  let inside = false;
  for (const { key } of known) {
    overlap = follow(overlap, key);
    inside ||= given.length > 1 && overlap === given.length;
  }
  return { overlap, inside };
}
