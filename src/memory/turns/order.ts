import type { TurnKey } from "../../storage/past-turns.ts";
import type { Storage } from "../../storage/port.ts";
import { type AskedTerm, type Form, plainForm, type Question, rareness } from "./question.ts";
import type { Judged } from "./signs.ts";
import { TOLD_THERE, UNHEARD, weighted } from "./weights.ts";

/** A question, and its words as the index knows them. */
export interface Asked {
  readonly question: Question;
  readonly terms: readonly AskedTerm[];
  readonly documents: number;
}

/** The same turns with the signs of their own words: how rare they are, what stands as asked. */
export async function lookAt(
  store: Storage,
  judged: readonly Judged[],
  { question, documents }: Asked,
  root: string,
): Promise<Judged[]> {
  const rows = new Map(
    (await store.turns(root, judged, true)).map((row) => [placeOf(row), row] as const),
  );
  return judged.map((turn) => {
    const { words = [], text } = rows.get(placeOf(turn)) ?? {};
    const rare = words.reduce((sum, { holding }) => sum + rareness(documents, holding), 0);
    return {
      ...turn,
      signs: {
        ...turn.signs,
        exact: text === undefined ? 0 : shareIn(text, question.exact),
        rarity: rare / Math.max(1, words.length),
      },
    };
  });
}

const placeOf = ({ stretch, place }: TurnKey): string => `${stretch} ${place}`;

/** Which share of the parts a turn holds word for word. */
function shareIn(text: string, parts: readonly string[]): number {
  if (parts.length === 0) return 0;
  const said = plainForm(text);
  return parts.filter((part) => said.includes(part)).length / parts.length;
}

/** `weight`: what its place in the order comes from, comparable within one question. */
export interface Ranked extends Judged {
  readonly weight: number;
}

/** The best turns first, at most `most` of them. */
export function inWeight(judged: readonly Judged[], form: Form, most = judged.length): Ranked[] {
  const weights = Float64Array.from(judged, ({ signs }) => weighted(signs, form));
  // To sort numbers and then a few turns takes a third of sorting all turns.
  const least = weights.toSorted().at(-most) ?? -Infinity;
  return judged
    .flatMap((turn, at) =>
      (weights[at] ?? 0) >= least ? { ...turn, weight: weights[at] ?? 0 } : [],
    )
    .sort((one, other) => other.weight - one.weight || inTime(one, other))
    .slice(0, most);
}

/** The first of equals goes before them: a thing was told there, and later ones refer to it. */
const inTime = (one: TurnKey, other: TurnKey): number =>
  one.stretch - other.stretch || one.place - other.place;

/**
 * Other stretches have their say. `apart`: one that was heard waits the longer, the more of it was;
 * else the best turns stand as they are, and behind them one of a stretch that was not heard yet
 * goes first where it is little worse.
 */
export function spread<T extends Pick<Ranked, "stretch" | "weight">>(
  ranked: readonly T[],
  apart: boolean,
): T[] {
  const stretches = [...Map.groupBy(ranked, ({ stretch }) => stretch).values()].map((turns) => ({
    turns,
    heard: 0,
  }));
  return ranked.flatMap((_, place) => {
    const worth = ({ turns, heard }: (typeof stretches)[number]): number => {
      const weight = turns[heard]?.weight ?? -Infinity;
      if (apart) return weight - TOLD_THERE * heard;
      return place >= UNHEARD.from && heard === 0 ? weight + UNHEARD.worth : weight;
    };
    const next = stretches.reduce((one, other) => (worth(other) > worth(one) ? other : one));
    next.heard += 1;
    return next.turns[next.heard - 1] ?? [];
  });
}
