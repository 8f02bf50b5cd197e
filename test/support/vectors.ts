/** Chance that is the same in every run. */
export function chance(seed: number): () => number {
  let state = (seed * 2654435761 + 1) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Vectors around `groups` middles, none of length 1. */
export function clustered(
  count: number,
  { dimensions = 64, groups = 40, spread = 0.9, seed = 1 } = {},
): Float32Array[] {
  const random = chance(seed);
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
  const middles = Array.from({ length: groups }, () =>
    Float32Array.from({ length: dimensions }, normal),
  );
  return Array.from({ length: count }, (_, at) =>
    (middles[at % groups] ?? new Float32Array(dimensions)).map(
      (value) => value + spread * normal(),
    ),
  );
}

export function cosine(one: Float32Array, other: Float32Array): number {
  let [both, a, b] = [0, 0, 0];
  one.forEach((value, at) => {
    both += value * (other[at] ?? 0);
    a += value * value;
    b += (other[at] ?? 0) ** 2;
  });
  return a > 0 && b > 0 ? both / Math.sqrt(a * b) : 0;
}
