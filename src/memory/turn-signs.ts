import { type Stretch, type TurnFrequencies, type TurnKey } from "../model/turns.ts";
import { CUE, namesIn } from "../text/cues.ts";
import { nearness } from "./turn-date.ts";
import { type AskedTerm, type Question } from "./turn-question.ts";
import { type Signs } from "./turn-weights.ts";

/** A turn that may answer: its signs, and the share of the question its surroundings cover (absolute, 0…1). */
export interface Judged extends TurnKey {
  readonly signs: Signs;
  readonly covers: number;
}

export interface Asking {
  readonly question: Question;
  readonly terms: readonly AskedTerm[];
  /** What each term weighs in the absolute share, 0 for names of speakers; `total` counts unknown words too. */
  readonly shares: readonly number[];
  readonly total: number;
  readonly frequencies: TurnFrequencies;
}

/** BM25's usual k1 and b; changing them gains nothing here (reference figures on ten conversations). */
const [K1, B] = [1.2, 0.75];
/** The turns around a turn that belong to what it says. */
const [WIDE, NEAR, BESIDE, BEFORE] = [4, 2, 1, 2];
/** What a word covers of the question when it stands in the turn itself, next to it, two turns away. */
const COVERS = { own: 1, beside: 0.8, near: 0.6 } as const;

/** What the passes over one stretch need: for each term, how many of its first n turns hold it; for lengths, likewise. */
interface Sums {
  readonly stretch: Stretch;
  readonly turns: number;
  readonly counts: readonly Uint8Array[];
  readonly lengths: Float64Array;
}

/** `stretch.places` holds the asked terms in order, then the same as speakers' names. */
export function judge(stretches: readonly Stretch[], asking: Asking): Judged[] {
  const { question, terms, frequencies } = asking;
  const { documents, words, stretches: many } = frequencies;
  const mean = Math.max(1, words / Math.max(1, documents));
  const longest = Math.max(1, documents / Math.max(1, many));
  const meanOf = (turns: number): number => mean * Math.min(turns, longest);
  const named = terms.flatMap(({ speaker }, at) => (speaker ? [at] : []));
  const onlyNames = named.length === terms.length;
  const known = terms.reduce((sum, { idf, holding, speaker }) => sum + (holding > 0 && (onlyNames || !speaker) ? idf : 0), 0);
  // A date that fits is as good as a word that does; one that does not says nothing against: of May one speaks in June.
  const dated = asking.total / Math.max(1, terms.length);
  const judged: Judged[] = [];
  const greatest = { talk: 0, wide: 0, around: 0, before: 0 };

  for (const stretch of stretches) {
    const sums = sumsOf(stretch, { terms, onlyNames });
    const speakers = named.map((at) => stretch.places[terms.length + at] ?? 0);
    const talk = strength(sums, terms, { from: 0, to: sums.turns, mean: mean * longest });
    greatest.talk = Math.max(greatest.talk, talk);
    const date = question.date === undefined ? 0 : nearness(question.date, stretch.at);
    for (let place = 0; place < sums.turns; place += 1) {
      const reach = (back: number, on: number, turns: number) => ({ from: Math.max(0, place - back), to: Math.min(sums.turns, place + on), mean: meanOf(turns) });
      const wide = strength(sums, terms, reach(WIDE, WIDE + 1, 2 * WIDE + 1));
      if (wide === 0) continue;
      const around = strength(sums, terms, reach(BESIDE, BESIDE + 1, 2 * BESIDE + 1));
      const before = place === 0 ? 0 : strength(sums, terms, reach(BEFORE, 0, BEFORE));
      greatest.wide = Math.max(greatest.wide, wide);
      greatest.around = Math.max(greatest.around, around);
      greatest.before = Math.max(greatest.before, before);
      const cues = stretch.cues[place] ?? 0;
      const asked = place > 0 && ((stretch.cues[place - 1] ?? 0) & CUE.asks) !== 0;
      const [near, beside, own] = [reach(NEAR, NEAR + 1, 0), reach(BESIDE, BESIDE + 1, 0), reach(0, 1, 0)];
      let [covers, shared, held, holds] = [0, 0, 0, 0];
      terms.forEach(({ idf, speaker }, at) => {
        const counts = onlyNames || !speaker;
        const here = found(sums, at, own) > 0;
        if (here) holds += 1;
        if (here && counts) held += idf;
        if (counts && found(sums, at, near) > 0) {
          shared += idf;
          covers += (asking.shares[at] ?? 0) * (here ? COVERS.own : found(sums, at, beside) > 0 ? COVERS.beside : COVERS.near);
        }
      });
      judged.push({
        stretch: stretch.number,
        place,
        covers: asking.total > 0 ? Math.min(1, (covers + date * dated) / (asking.total + date * dated)) : 0,
        signs: {
          talk: talk * wide,
          around,
          near: known > 0 ? shared / known : 0,
          own: known > 0 ? held / known : 0,
          words: holds,
          rarity: 0,
          speaker: saidBy(place, { speakers, cues, role: question.role }),
          asking: (cues & CUE.endsAsking) === 0 ? 0 : 1,
          answer: asked ? before : 0,
          time: question.when && (cues & CUE.time) !== 0 ? 1 : 0,
          number: question.howMany && (cues & CUE.number) !== 0 ? 1 : 0,
          name: question.whoOrWhere ? namesIn(cues) : 0,
          opening: stretch.opens && place === 0 ? 1 : 0,
          date,
        },
      });
    }
  }
  const [talk, around, before] = [greatest.talk * greatest.wide || 1, greatest.around || 1, greatest.before || 1];
  for (const { signs } of judged) {
    signs.talk /= talk;
    signs.around /= around;
    signs.answer /= before;
  }
  return judged;
}

interface Reach {
  readonly from: number;
  readonly to: number;
  /** Mean length of such a reach. */
  readonly mean: number;
}

const found = ({ counts }: Sums, term: number, { from, to }: Reach): number => (counts[term]?.[to] ?? 0) - (counts[term]?.[from] ?? 0);

function strength(sums: Sums, terms: readonly AskedTerm[], reach: Reach): number {
  let sum = 0;
  let norm = 0;
  for (let at = 0; at < terms.length; at += 1) {
    const times = found(sums, at, reach);
    if (times === 0) continue;
    if (norm === 0) norm = K1 * (1 - B + (B * Math.max(1, (sums.lengths[reach.to] ?? 0) - (sums.lengths[reach.from] ?? 0))) / reach.mean);
    sum += ((terms[at]?.idf ?? 0) * times * (K1 + 1)) / (times + norm);
  }
  return sum;
}

/** The n-th bit; beyond 32 bits, where shifting does not reach. */
const holdsAt = (places: number, place: number): boolean => Math.floor(places / 2 ** place) % 2 === 1;

function sumsOf(stretch: Stretch, { terms, onlyNames }: { terms: readonly AskedTerm[]; onlyNames: boolean }): Sums {
  const turns = stretch.lengths.length;
  const lengths = new Float64Array(turns + 1);
  for (let place = 0; place < turns; place += 1) lengths[place + 1] = (lengths[place] ?? 0) + (stretch.lengths[place] ?? 0);
  const counts = terms.map((_, at) => {
    const sums = new Uint8Array(turns + 1);
    const [said, by] = [stretch.places[at] ?? 0, onlyNames ? (stretch.places[terms.length + at] ?? 0) : 0];
    if (said === 0 && by === 0) return sums;
    for (let place = 0; place < turns; place += 1) sums[place + 1] = (sums[place] ?? 0) + (holdsAt(said, place) || holdsAt(by, place) ? 1 : 0);
    return sums;
  });
  return { stretch, turns, counts, lengths };
}

/** Somebody is asked about: 1 for their turns, 0 for the others'. Nobody is: 0 for all. */
function saidBy(place: number, { speakers, cues, role }: { speakers: readonly number[]; cues: number; role: Question["role"] }): number {
  if (speakers.length > 0) return speakers.some((places) => holdsAt(places, place)) ? 1 : 0;
  return role !== undefined && (cues & CUE[role]) !== 0 ? 1 : 0;
}
