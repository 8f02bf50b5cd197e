import type { Storage } from "../../storage/port.ts";
import { thingsOf } from "../recalling/kinds.ts";
import { type AskedTerm, type Form, plainForm, type Question, rareness } from "./question.ts";
import type { Judged } from "./signs.ts";
import { TOLD_THERE, UNHEARD, weighted } from "./weights.ts";
import type { TurnKey } from "../../storage/search-index.ts";

/** A turn full of news says so many words for the first time. */
const NEWS = 10;

/** A question, and its words as the index knows them. */
export interface Asked {
  readonly question: Question;
  readonly terms: readonly AskedTerm[];
  readonly documents: number;
}

/**
 * The same turns with the signs of their own words: how rare these are, what is of a kind the
 * question names, what stands there as asked.
 */
export async function lookAt(
  store: Storage,
  judged: readonly Judged[],
  { question, terms, documents }: Asked,
  root: string,
): Promise<Judged[]> {
  const rows = new Map(
    (await store.turns(root, judged, true)).map((row) => [placeOf(row), row] as const),
  );
  const asked = new Set(terms.map(({ term }) => term));
  const kinds = terms.flatMap(({ term, speaker }) => (speaker ? [] : (thingsOf(term) ?? [])));
  const whole = terms.reduce((sum, { idf, speaker }) => sum + (speaker ? 0 : idf), 0) || 1;
  return judged.map((turn) => {
    const row = rows.get(placeOf(turn));
    const { words = [], text } = row ?? {};
    const held = words.map(({ term, holding, first }) => ({
      term,
      first,
      rare: rareness(documents, holding),
    }));
    const own = held.filter(({ term }) => !asked.has(term));
    const kind = kinds.reduce((sum, things) => {
      const named = own.filter(({ term }) => things.has(term)).map(({ rare }) => rare);
      return sum + Math.max(0, ...named);
    }, 0);
    return {
      ...turn,
      row,
      signs: {
        ...turn.signs,
        exact: text === undefined ? 0 : shareIn(text, question.exact),
        rarity: held.reduce((sum, { rare }) => sum + rare, 0) / Math.max(1, held.length),
        kind: kind / whole,
        first: Math.min(1, held.filter(({ first }) => first).length / NEWS),
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

/**
 * The best turns first, at most `most` of them; to sort numbers and then a few turns takes a third
 * of sorting all turns.
 */
export function inWeight(judged: readonly Judged[], form: Form, most = judged.length): Ranked[] {
  const weights = Float64Array.from(judged, ({ signs }) => weighted(signs, form));
  const least = most < judged.length ? (weights.toSorted().at(-most) ?? -Infinity) : -Infinity;
  const best: Ranked[] = [];
  judged.forEach((turn, at) => {
    const weight = weights[at] ?? 0;
    if (weight >= least) best.push({ ...turn, weight });
  });
  return best.sort((one, other) => other.weight - one.weight || inTime(one, other)).slice(0, most);
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
