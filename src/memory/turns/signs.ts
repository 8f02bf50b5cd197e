import { CUE, namesIn } from "../../core/text/identifiers.ts";
import { LATER, type TurnRow } from "../../storage/rows.ts";
import { nearness } from "./date.ts";
import { type AskedTerm, type Question, rareness } from "./question.ts";
import type { Signs } from "./weights.ts";
import type { Stretch, TurnFrequencies, TurnKey } from "../../storage/search-index.ts";

/**
 * A turn that may answer: its signs, and the share of the question its surroundings cover
 * (absolute, 0…1).
 */
export interface Judged extends TurnKey {
  readonly signs: Signs;
  readonly covers: number;
  /**
   * The share of the question's telling words that its stretch holds, as rare as they are, times
   * the root of how many.
   */
  readonly goesOn: number;
  /** It stands where the own words of the turn were looked at. */
  readonly row?: TurnRow | undefined;
}

interface Asking {
  readonly question: Question;
  readonly terms: readonly AskedTerm[];
  readonly frequencies: TurnFrequencies;
}

/**
 * BM25's usual k1 and b; changing them gains nothing here (reference figures on ten conversations).
 */
const [K1, B] = [1.2, 0.75];
/** The turns around a turn that belong to what it says. */
const [WIDE, NEAR, BESIDE, BEFORE] = [4, 2, 1, 2];
/**
 * Later conversations until what was said has faded to a third, for a message that goes on with it.
 */
const FADE = 5;
/**
 * What a word covers of the question when it stands in the turn itself, next to it, two turns away;
 * of what is asked, four.
 */
const COVERS = { own: 1, beside: 0.8, near: 0.6, wide: 0.3 } as const;
/**
 * A smaller share of the question is no answer. Less than for memories: a turn shares fewer words
 * with a question than a fact put into words does (0.25 costs 2 points of rec@10 on LoCoMo's shared
 * five, 0.1 nothing).
 */
const LEAST_COVERED = 0.1;

/**
 * What the passes over one stretch need. `counts`: for each asked term the stretch holds, how many
 * of its first n turns hold it; `lengths`, likewise, words.
 */
interface Sums {
  readonly turns: number;
  readonly held: readonly {
    readonly idf: number;
    /** How rare it is among stretches. */
    readonly apart: number;
    readonly share: number;
    readonly counts: boolean;
    readonly sums: Uint8Array;
  }[];
  readonly lengths: Float64Array;
}

/** All stretches of one question are judged by one scale. */
interface Scale {
  readonly question: Question;
  /** Mean words of a turn, of a stretch, and of so many turns as stand around one or before it. */
  readonly means: Readonly<Record<"turn" | "stretch" | "wide" | "beside" | "before", number>>;
  /**
   * `apart`: how rare each is among the stretches. A word that every turn of one talk holds says
   * which talk.
   */
  readonly terms: readonly (AskedTerm & { readonly apart: number })[];
  /** The terms weigh so much in the absolute share, unknown words too. */
  readonly total: number;
  /** The terms that are found anywhere weigh so much. */
  readonly known: number;
}

/** The greatest strengths of all candidates. */
type Greatest = Record<"whole" | "talk" | "around" | "before" | "wide", number>;

/** `stretch.places` holds the asked terms in order, then the same as speakers' names. */
export function judge(stretches: readonly Stretch[], asking: Asking): Judged[] {
  const scale = scaleOf(asking, stretches);
  const greatest: Greatest = { whole: 0, talk: 0, around: 0, before: 0, wide: 0 };
  const judged = stretches.flatMap((stretch) => judgeTurns(stretch, scale, greatest));
  const [talk, around, before] = [greatest.talk || 1, greatest.around || 1, greatest.before || 1];
  for (const { signs } of judged) {
    signs.whole = ((signs.whole / (greatest.whole || 1)) * signs.own) ** 2;
    signs.talk /= talk;
    signs.place /= talk * (greatest.wide || 1);
    signs.around /= around;
    signs.answer /= before;
  }
  return judged;
}

function scaleOf({ question, terms, frequencies }: Asking, found: readonly Stretch[]): Scale {
  const { documents, words, stretches } = frequencies;
  const mean = Math.max(1, words / Math.max(1, documents));
  const longest = Math.max(1, documents / Math.max(1, stretches));
  const meanOf = (turns: number): number => mean * Math.min(turns, longest);
  const known = terms.filter(({ holding, counts }) => holding > 0 && counts);
  return {
    question,
    means: {
      turn: mean,
      stretch: mean * longest,
      wide: meanOf(2 * WIDE + 1),
      beside: meanOf(2 * BESIDE + 1),
      before: meanOf(BEFORE),
    },
    terms: terms.map((term, at) => {
      const holding = found.filter(({ places }) => (places[at] ?? 0) > 0).length;
      return { ...term, apart: rareness(Math.max(stretches, found.length), holding) };
    }),
    total: terms.reduce((sum, { share }) => sum + share, 0),
    known: known.reduce((sum, { idf }) => sum + idf, 0) || 1,
  };
}

/** The turns of one stretch that may answer, with strengths as they are. */
function judgeTurns(stretch: Stretch, scale: Scale, greatest: Greatest): Judged[] {
  const { question, terms, means, total, known } = scale;
  const summed = sumsOf(stretch, scale);
  const { turns } = summed;
  const speakers = terms.flatMap(({ speaker }, at) =>
    speaker ? (stretch.places[terms.length + at] ?? 0) : [],
  );
  const apart = summed.held.map((one) => ({ ...one, idf: one.apart }));
  const talk = strength({ ...summed, held: apart }, [0, turns], means.stretch);
  greatest.talk = Math.max(greatest.talk, talk);
  const date = question.date === undefined ? 0 : nearness(question.date, stretch.at);
  // A date that fits is as good as a word that does; one that does not says nothing against: of May
  // one speaks in June.
  const dated = date * (total / Math.max(1, terms.length));
  const recency = stretch.later < LATER ? Math.exp(-stretch.later / FADE) : 0;
  const goesOn = goesOnBy(stretch, terms);
  const asksOf = speakers.length > 0 || question.role !== undefined;
  const judged: Judged[] = [];
  for (let place = 0; place < turns; place += 1) {
    const { covered, near, own, words } = coverageOf(summed, place, question.asks);
    const covers = total > 0 ? Math.min(1, (covered + dated) / (total + dated)) : 0;
    // Words that ask nothing are looked for themselves; to a question a neighbour of its words may
    // be the answer.
    if (covers < LEAST_COVERED || (!question.asks && words === 0)) continue;
    const wide = strength(summed, rangeAround(place, WIDE, turns), means.wide);
    if (wide === 0) continue;
    const around = strength(summed, rangeAround(place, BESIDE, turns), means.beside);
    const before =
      place === 0 ? 0 : strength(summed, [Math.max(0, place - BEFORE), place], means.before);
    const whole = question.asks ? 0 : strength(summed, [place, place + 1], means.turn);
    greatest.wide = Math.max(greatest.wide, wide);
    greatest.around = Math.max(greatest.around, around);
    greatest.before = Math.max(greatest.before, before);
    greatest.whole = Math.max(greatest.whole, whole);
    const cues = stretch.cues[place] ?? 0;
    const asked = place > 0 && ((stretch.cues[place - 1] ?? 0) & CUE.asks) !== 0;
    const speaker = saidBy(place, { speakers, cues, role: question.role });
    judged.push({
      stretch: stretch.number,
      place,
      goesOn,
      covers,
      signs: {
        talk,
        place: talk * wide,
        around,
        near: near / known,
        own: own / known,
        words,
        whole,
        exact: 0,
        rarity: 0,
        kind: 0,
        speaker,
        toSpeaker: asksOf && (cues & CUE.you) !== 0 ? 1 - speaker : 0,
        first: 0,
        asking: (cues & CUE.endsAsking) === 0 ? 0 : 1,
        answer: asked ? before : 0,
        time: question.when && (cues & CUE.time) !== 0 ? 1 : 0,
        number: question.howMany && (cues & CUE.number) !== 0 ? 1 : 0,
        name: question.whoOrWhere ? namesIn(cues) : 0,
        date,
        opens: place === 0 && stretch.opens ? 1 : 0,
        recency,
      },
    });
  }
  return judged;
}

function goesOnBy({ places }: Stretch, terms: readonly AskedTerm[]): number {
  let [words, weight, total] = [0, 0, 0];
  terms.forEach(({ telling, idf }, at) => {
    if (!telling) return;
    total += idf;
    if ((places[at] ?? 0) === 0) return;
    words += 1;
    weight += idf;
  });
  return words === 0 ? 0 : (Math.sqrt(words) * weight) / total;
}

/** The turns [from, to). */
type Range = readonly [from: number, to: number];

const rangeAround = (place: number, reach: number, turns: number): Range => [
  Math.max(0, place - reach),
  Math.min(turns, place + reach + 1),
];

/**
 * How much of the question stands in a turn and around it, and how many of its words in the turn
 * itself.
 */
function coverageOf(
  { held, turns }: Sums,
  place: number,
  asks: boolean,
): { covered: number; near: number; own: number; words: number } {
  const [wideFrom, wideTo] = rangeAround(place, WIDE, turns);
  const [nearFrom, nearTo] = rangeAround(place, NEAR, turns);
  const [from, to] = rangeAround(place, BESIDE, turns);
  let [covered, near, own, words] = [0, 0, 0, 0];
  for (const { idf, share, counts, sums } of held) {
    const here = sums[place + 1] !== sums[place];
    if (here) words += 1;
    if (!counts) continue;
    if (sums[nearTo] === sums[nearFrom]) {
      if (asks && sums[wideTo] !== sums[wideFrom]) covered += share * COVERS.wide;
      continue;
    }
    near += idf;
    if (here) own += idf;
    const around = sums[to] !== sums[from] ? COVERS.beside : COVERS.near;
    covered += share * (here ? COVERS.own : around);
  }
  return { covered, near, own, words };
}

/** BM25 of the turns [from, to) as one document; `mean` is the mean length of so many. */
function strength({ held, lengths }: Sums, [from, to]: Range, mean: number): number {
  let sum = 0;
  let norm = 0;
  for (const { idf, sums } of held) {
    const times = (sums[to] ?? 0) - (sums[from] ?? 0);
    if (times === 0) continue;
    if (norm === 0)
      norm = K1 * (1 - B + (B * Math.max(1, (lengths[to] ?? 0) - (lengths[from] ?? 0))) / mean);
    sum += (idf * times * (K1 + 1)) / (times + norm);
  }
  return sum;
}

/** The n-th bit, also beyond the 32 that shifting reaches. */
const holdsAt = (places: number, place: number): boolean =>
  ((place < 32 ? places >>> place : (places / 2 ** 32) >>> (place - 32)) & 1) === 1;

function sumsOf(stretch: Stretch, { terms }: Scale): Sums {
  const turns = stretch.lengths.length;
  const lengths = new Float64Array(turns + 1);
  for (let place = 0; place < turns; place += 1)
    lengths[place + 1] = (lengths[place] ?? 0) + (stretch.lengths[place] ?? 0);
  const held = terms.flatMap(({ idf, apart, share, counts, speaker }, at) => {
    const said = stretch.places[at] ?? 0;
    const by = speaker && counts ? (stretch.places[terms.length + at] ?? 0) : 0;
    if (said === 0 && by === 0) return [];
    const sums = new Uint8Array(turns + 1);
    for (let place = 0; place < turns; place += 1)
      sums[place + 1] =
        (sums[place] ?? 0) + (holdsAt(said, place) || (by > 0 && holdsAt(by, place)) ? 1 : 0);
    return [{ idf, apart, share, counts, sums }];
  });
  return { turns, held, lengths };
}

/** A person is asked about: 1 for their turns, 0 for the others'. None is: 0 for all. */
function saidBy(
  place: number,
  { speakers, cues, role }: { speakers: readonly number[]; cues: number; role: Question["role"] },
): number {
  if (speakers.length > 0) return speakers.some((places) => holdsAt(places, place)) ? 1 : 0;
  return role !== undefined && (cues & CUE[role]) !== 0 ? 1 : 0;
}
