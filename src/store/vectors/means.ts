import { dot, unit } from "./math.ts";

const ROUNDS = 8;
/** Multiplications between two breaths: about 5 ms. */
const BREATH = 8_000_000;

export function nearestOf(vector: Float32Array, centroids: readonly Float32Array[]): number {
  let best = 0;
  let most = -Infinity;
  centroids.forEach((centroid, at) => {
    const near = dot(vector, centroid);
    if (near > most) [best, most] = [at, near];
  });
  return best;
}

/**
 * k-means on the sphere: middles of `count` groups of vectors that lie close together. Begins with vectors evenly spread
 * over the order given, so the same vectors give the same middles. Yields between slices of its work.
 */
export function* means(
  vectors: readonly Float32Array[],
  count: number,
): Generator<void, Float32Array[]> {
  const size = vectors[0]?.length ?? 0;
  const step = vectors.length / count;
  let centroids = Array.from(
    { length: count },
    (_, at) => vectors[Math.floor((at + 0.5) * step)] ?? new Float32Array(size),
  );
  let done = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const sums = centroids.map(() => new Float32Array(size));
    const members = centroids.map(() => 0);
    for (const vector of vectors) {
      const at = nearestOf(vector, centroids);
      const sum = sums[at];
      if (sum === undefined) continue;
      for (let index = 0; index < size; index += 1)
        sum[index] = (sum[index] ?? 0) + (vector[index] ?? 0);
      members[at] = (members[at] ?? 0) + 1;
      done += count * size;
      if (done > BREATH) {
        done = 0;
        yield;
      }
    }
    // A middle that no vector is nearest to divides nothing: another vector takes its place.
    centroids = sums.map((sum, at) =>
      (members[at] ?? 0) > 0 ? unit(sum) : (vectors[(at * 7919 + round) % vectors.length] ?? sum),
    );
  }
  return centroids;
}
