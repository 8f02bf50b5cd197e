// Logistic regression over features that are there or not, with a cost on each weight (L1), by AdaGrad. The same input always
// gives the same weights: the order is drawn from a fixed seed.
import { mulberry32 } from "../../test/support/histories-random.ts";

export interface Weights {
  readonly bias: number;
  readonly of: ReadonlyMap<string, number>;
}
interface Settings {
  readonly l1: number;
  readonly epochs: number;
  /** A feature of fewer rows is left out. */
  readonly least: number;
}

const RATE = 0.15;
const FAINT = 0.02;

export function fitted(
  rows: readonly Iterable<string>[],
  wanted: readonly boolean[],
  { l1, epochs, least }: Settings,
): Weights {
  const times = counted(rows);
  const names = [...times].flatMap(([name, count]) => (count >= least ? name : []));
  const ids = new Map(names.map((name, id) => [name, id]));
  const lists = rows.map((row) => Int32Array.from([...row].flatMap((name) => ids.get(name) ?? [])));
  const weights = new Float64Array(names.length);
  const squares = new Float64Array(names.length).fill(1e-8);
  let [bias, biasSquares] = [0, 1e-8];
  // The mean of the last rounds is steadier than the last one.
  const [sums, from] = [new Float64Array(names.length), Math.floor((2 * epochs) / 3)];
  let sumOfBias = 0;
  const draw = mulberry32(12_345);
  const order = lists.map((_, at) => at);
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    for (let at = order.length - 1; at > 0; at -= 1) {
      const other = Math.floor(draw() * (at + 1));
      [order[at], order[other]] = [order[other] ?? 0, order[at] ?? 0];
    }
    for (const row of order) {
      const list = lists[row] ?? new Int32Array();
      const odds = list.reduce((sum, id) => sum + (weights[id] ?? 0), bias);
      const slope = 1 / (1 + Math.exp(-odds)) - Number(wanted[row]);
      biasSquares += slope * slope;
      bias -= (RATE * slope) / Math.sqrt(biasSquares);
      for (const id of list) {
        const square = (squares[id] ?? 0) + slope * slope;
        squares[id] = square;
        const step = RATE / Math.sqrt(square);
        const moved = (weights[id] ?? 0) - step * slope;
        weights[id] = Math.sign(moved) * Math.max(0, Math.abs(moved) - step * l1);
      }
    }
    if (epoch < from) continue;
    sumOfBias += bias;
    weights.forEach((weight, id) => (sums[id] = (sums[id] ?? 0) + weight));
  }
  const rounds = epochs - from;
  const found = names.map((name, id) => [name, (sums[id] ?? 0) / rounds] as const);
  return {
    bias: sumOfBias / rounds,
    of: new Map(found.filter(([, weight]) => Math.abs(weight) > FAINT)),
  };
}

export function counted(rows: readonly Iterable<string>[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const row of rows) for (const name of row) times.set(name, (times.get(name) ?? 0) + 1);
  return times;
}

/** The features that move most rows furthest. */
export function weightiest(
  { of }: Weights,
  times: ReadonlyMap<string, number>,
  most: number,
): Set<string> {
  const pull = (name: string, weight: number): number =>
    Math.abs(weight) * Math.sqrt(times.get(name) ?? 0);
  const sorted = [...of].sort(([a, x], [b, y]) => pull(b, y) - pull(a, x));
  return new Set(sorted.slice(0, most).map(([name]) => name));
}
