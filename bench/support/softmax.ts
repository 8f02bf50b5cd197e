/** One question: signs of each candidate turn, and which of them are evidence. */
export interface Choice {
  readonly signs: readonly (readonly number[])[];
  readonly right: readonly number[];
}

const dot = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

/** Weights that make the evidence likely among its candidates (softmax over each list), held small by a ridge: Newton's method. */
export function fitWeights(choices: readonly Choice[], ridge: number, steps = 12): number[] {
  const size = choices[0]?.signs[0]?.length ?? 0;
  let weights = Array.from({ length: size }, () => 0);
  const usable = choices.filter(({ right }) => right.length > 0);
  for (let step = 0; step < steps; step += 1) {
    const gradient = weights.map((weight) => 2 * ridge * weight);
    const curve = weights.map((_, row) =>
      weights.map((__, column) => (row === column ? 2 * ridge : 0)),
    );
    for (const { signs, right } of usable) {
      const scores = signs.map((row) => dot(row, weights));
      const top = Math.max(...scores);
      const powers = scores.map((score) => Math.exp(score - top));
      const all = powers.reduce((sum, power) => sum + power, 0);
      const expected = Array.from({ length: size }, () => 0);
      signs.forEach((row, at) => {
        const share = (powers[at] ?? 0) / all;
        if (share < 1e-9) return;
        for (let one = 0; one < size; one += 1) {
          const first = share * (row[one] ?? 0);
          if (first === 0) continue;
          expected[one] = (expected[one] ?? 0) + first;
          const line = curve[one] ?? [];
          for (let other = 0; other < size; other += 1)
            line[other] = (line[other] ?? 0) + (first * (row[other] ?? 0)) / usable.length;
        }
      });
      for (let one = 0; one < size; one += 1) {
        const seen = right.reduce((sum, at) => sum + (signs[at]?.[one] ?? 0), 0) / right.length;
        gradient[one] = (gradient[one] ?? 0) + ((expected[one] ?? 0) - seen) / usable.length;
        const line = curve[one] ?? [];
        for (let other = 0; other < size; other += 1)
          line[other] =
            (line[other] ?? 0) - ((expected[one] ?? 0) * (expected[other] ?? 0)) / usable.length;
      }
    }
    const move = solve(curve, gradient);
    const before = loss(usable, weights, ridge);
    const moved = (part: number): number[] =>
      weights.map((weight, at) => weight - part * (move[at] ?? 0));
    // A whole Newton step can overshoot far from the minimum.
    let part = 1;
    while (part > 1e-4 && loss(usable, moved(part), ridge) > before) part /= 2;
    weights = moved(part);
  }
  return weights;
}

/** Mean of -log of the chance given to the evidence, and the ridge. */
function loss(choices: readonly Choice[], weights: readonly number[], ridge: number): number {
  const total = choices.reduce((sum, { signs, right }) => {
    const scores = signs.map((row) => dot(row, weights));
    const top = Math.max(...scores);
    const log = top + Math.log(scores.reduce((all, score) => all + Math.exp(score - top), 0));
    return sum + log - right.reduce((all, at) => all + (scores[at] ?? 0), 0) / right.length;
  }, 0);
  return total / choices.length + ridge * dot(weights, weights);
}

/** Gauss, with the largest pivot of each column. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, at) => [...row, right[at] ?? 0]);
  for (let column = 0; column < rows.length; column += 1) {
    let best = column;
    for (let row = column; row < rows.length; row += 1)
      if (Math.abs(rows[row]?.[column] ?? 0) > Math.abs(rows[best]?.[column] ?? 0)) best = row;
    [rows[column], rows[best]] = [rows[best] ?? [], rows[column] ?? []];
    const pivot = rows[column] ?? [];
    for (let row = 0; row < rows.length; row += 1) {
      const line = rows[row] ?? [];
      if (row === column) continue;
      const factor = (line[column] ?? 0) / (pivot[column] ?? 1);
      for (let at = column; at <= rows.length; at += 1)
        line[at] = (line[at] ?? 0) - factor * (pivot[at] ?? 0);
    }
  }
  return rows.map((row, at) => (row[rows.length] ?? 0) / (row[at] ?? 1));
}
