/** A source of chance, 0…1, each time the same (Park and Miller's). */
export function dice(): () => number {
  let state = 1;
  return () => (state = (state * 48_271) % 0x7fffffff) / 0x7fffffff;
}

const DRAWS = 1_000;

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** A mean, and between which two 95 of 100 means lie of as many values drawn from these. */
export function estimate(values: readonly number[]) {
  const random = dice();
  const draw = (): number => values[Math.floor(random() * values.length)] ?? 0;
  const means = Array.from({ length: DRAWS }, () => meanOf(values.map(draw))).sort((a, b) => a - b);
  return { mean: meanOf(values), low: means[0.025 * DRAWS], high: means[0.975 * DRAWS] };
}

export type Estimate = ReturnType<typeof estimate>;
