import { add, dot, unit } from "../../core/vectors.ts";
import { type LinearMap, mapped, RANK } from "../../session/tuned-embedder.ts";
import { dice } from "./chance.ts";

/** A question, what answers it, and what does not; each of length 1. */
interface Lesson {
  readonly question: Float32Array;
  readonly answer: Float32Array;
  readonly others: readonly Float32Array[];
}

const ROUNDS = 3;
/** How far one lesson moves the map, and how great a difference of cosines it asks for. */
const [RATE, HEAT] = [0.1, 0.1];

/**
 * A map that brings answers nearer to their questions than what only shares words: the vector
 * itself and sixteen directions, by gradient steps. A solved equation (ridge) knows answers and
 * nothing of the others, and a whole matrix asks for more pairs than anyone has.
 */
export function train(lessons: readonly Lesson[]): LinearMap {
  const random = dice();
  const length = lessons[0]?.question.length ?? 0;
  const map = Array.from({ length: 2 * RANK }, (_, at) =>
    new Float32Array(length).map(() => (at < RANK ? (random() - 0.5) / Math.sqrt(length) : 0)),
  );
  const see = (one: Float32Array): Float32Array => unit(mapped(map, one));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { question, answer, others } of lessons)
      for (const other of others) {
        const [asked, right, wrong] = [see(question), see(answer), see(other)];
        const doubt = 1 / (1 + Math.exp((dot(asked, right) - dot(asked, wrong)) / HEAT));
        const apart = right.slice();
        add(apart, wrong, -1);
        turn(map, { from: question, seen: asked, toward: apart, rate: RATE * doubt });
        turn(map, { from: answer, seen: right, toward: asked, rate: RATE * doubt });
        turn(map, { from: other, seen: wrong, toward: asked, rate: -RATE * doubt });
      }
  return map;
}

interface Turning {
  readonly from: Float32Array;
  readonly seen: Float32Array;
  readonly toward: Float32Array;
  readonly rate: number;
}

/** Turns what the map makes of a vector, and does not make it longer. */
function turn(map: LinearMap, { from, seen, toward, rate }: Turning): void {
  const pull = toward.slice();
  add(pull, seen, -dot(seen, toward));
  for (const [at, row] of map.slice(0, RANK).entries()) {
    const added = map[RANK + at] ?? row;
    const [held, pulled] = [dot(row, from), dot(added, pull)];
    add(added, pull, rate * held);
    add(row, from, rate * pulled);
  }
}
