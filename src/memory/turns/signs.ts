import { type Stretch, type TurnFrequencies, type TurnKey } from "../../model/turns.ts";
import { CUE, namesIn } from "../../text/cues.ts";
import { nearness } from "./date.ts";
import { type AskedTerm, type Question } from "./question.ts";
import { type Signs } from "./weights.ts";

/** A turn that may answer: its signs, and the share of the question its surroundings cover (absolute, 0…1). */
export interface Judged extends TurnKey {
  readonly signs: Signs;
  readonly covers: number;
}

interface Asking {
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
/** What a word covers of the question when it stands in the turn itself, next to it, two turns away; of what is asked, four. */
const COVERS = { own: 1, beside: 0.8, near: 0.6, wide: 0.3 } as const;

/**
 * What the passes over one stretch need. `counts`: for each asked term the stretch holds, how many of its first n turns hold
 * it; `lengths`, likewise, words.
 */
interface Sums {
  readonly turns: number;
  readonly held: readonly {
    readonly idf: number;
    readonly share: number;
    readonly counts: boolean;
    readonly sums: Uint8Array;
  }[];
  readonly lengths: Float64Array;
}

/** `stretch.places` holds the asked terms in order, then the same as speakers' names. */
export function judge(stretches: readonly Stretch[], asking: Asking): Judged[] {
  const { question, terms, frequencies, shares, total } = asking;
  const { documents, words, stretches: many } = frequencies;
  const mean = Math.max(1, words / Math.max(1, documents));
  const longest = Math.max(1, documents / Math.max(1, many));
  const meanOf = (turns: number): number => mean * Math.min(turns, longest);
  const [wideMean, besideMean, beforeMean] = [
    meanOf(2 * WIDE + 1),
    meanOf(2 * BESIDE + 1),
    meanOf(BEFORE),
  ];
  const named = terms.flatMap(({ speaker }, at) => (speaker ? [at] : []));
  const onlyNames = named.length === terms.length;
  const known =
    terms.reduce(
      (sum, { idf, holding, speaker }) => sum + (holding > 0 && (onlyNames || !speaker) ? idf : 0),
      0,
    ) || 1;
  // A date that fits is as good as a word that does; one that does not says nothing against: of May one speaks in June.
  const dated = total / Math.max(1, terms.length);
  const judged: Judged[] = [];
  const greatest = { itself: 0, talk: 0, around: 0, before: 0, wide: 0 };

  for (const stretch of stretches) {
    const summed = sumsOf(stretch, { terms, shares, onlyNames });
    const { turns, held } = summed;
    const speakers = named.map((at) => stretch.places[terms.length + at] ?? 0);
    const talk = strength(summed, 0, turns, mean * longest);
    greatest.talk = Math.max(greatest.talk, talk);
    const date = question.date === undefined ? 0 : nearness(question.date, stretch.at);
    for (let place = 0; place < turns; place += 1) {
      const [wideFrom, wideTo] = [Math.max(0, place - WIDE), Math.min(turns, place + WIDE + 1)];
      const wide = strength(summed, wideFrom, wideTo, wideMean);
      if (wide === 0) continue;
      const [from, to] = [Math.max(0, place - BESIDE), Math.min(turns, place + BESIDE + 1)];
      const [nearFrom, nearTo] = [Math.max(0, place - NEAR), Math.min(turns, place + NEAR + 1)];
      const around = strength(summed, from, to, besideMean);
      const before =
        place === 0 ? 0 : strength(summed, Math.max(0, place - BEFORE), place, beforeMean);
      greatest.wide = Math.max(greatest.wide, wide);
      greatest.around = Math.max(greatest.around, around);
      greatest.before = Math.max(greatest.before, before);
      const cues = stretch.cues[place] ?? 0;
      const asked = place > 0 && ((stretch.cues[place - 1] ?? 0) & CUE.asks) !== 0;
      const itself = question.asks ? 0 : strength(summed, place, place + 1, mean);
      greatest.itself = Math.max(greatest.itself, itself);
      let [covers, near, own, holds] = [0, 0, 0, 0];
      for (const { idf, share, counts, sums } of held) {
        const here = sums[place + 1] !== sums[place];
        if (here) holds += 1;
        if (!counts) continue;
        if (sums[nearTo] === sums[nearFrom]) {
          if (question.asks && sums[wideTo] !== sums[wideFrom]) covers += share * COVERS.wide;
          continue;
        }
        near += idf;
        if (here) own += idf;
        const around = sums[to] !== sums[from] ? COVERS.beside : COVERS.near;
        covers += share * (here ? COVERS.own : around);
      }
      judged.push({
        stretch: stretch.number,
        place,
        covers: total > 0 ? Math.min(1, (covers + date * dated) / (total + date * dated)) : 0,
        signs: {
          talk: talk * wide,
          around,
          near: near / known,
          own: own / known,
          words: holds,
          whole: itself,
          exact: 0,
          rarity: 0,
          kind: 0,
          speaker: saidBy(place, { speakers, cues, role: question.role }),
          asking: (cues & CUE.endsAsking) === 0 ? 0 : 1,
          answer: asked ? before : 0,
          time: question.when && (cues & CUE.time) !== 0 ? 1 : 0,
          number: question.howMany && (cues & CUE.number) !== 0 ? 1 : 0,
          name: question.whoOrWhere ? namesIn(cues) : 0,
          date,
        },
      });
    }
  }
  const [talk, around, before] = [
    greatest.talk * greatest.wide || 1,
    greatest.around || 1,
    greatest.before || 1,
  ];
  for (const { signs } of judged) {
    signs.whole = ((signs.whole / (greatest.itself || 1)) * signs.own) ** 2;
    signs.talk /= talk;
    signs.around /= around;
    signs.answer /= before;
  }
  return judged;
}

/** BM25 of the turns [from, to) as one document; `mean` is the mean length of so many. */
function strength({ held, lengths }: Sums, from: number, to: number, mean: number): number {
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

/** The n-th bit; beyond 32 bits, where shifting does not reach. */
const holdsAt = (places: number, place: number): boolean =>
  Math.floor(places / 2 ** place) % 2 === 1;

function sumsOf(
  stretch: Stretch,
  {
    terms,
    shares,
    onlyNames,
  }: { terms: readonly AskedTerm[]; shares: readonly number[]; onlyNames: boolean },
): Sums {
  const turns = stretch.lengths.length;
  const lengths = new Float64Array(turns + 1);
  for (let place = 0; place < turns; place += 1)
    lengths[place + 1] = (lengths[place] ?? 0) + (stretch.lengths[place] ?? 0);
  const held = terms.flatMap(({ idf, speaker }, at) => {
    const [said, by] = [
      stretch.places[at] ?? 0,
      onlyNames ? (stretch.places[terms.length + at] ?? 0) : 0,
    ];
    if (said === 0 && by === 0) return [];
    const sums = new Uint8Array(turns + 1);
    for (let place = 0; place < turns; place += 1)
      sums[place + 1] =
        (sums[place] ?? 0) + (holdsAt(said, place) || (by > 0 && holdsAt(by, place)) ? 1 : 0);
    return [{ idf, share: shares[at] ?? 0, counts: onlyNames || !speaker, sums }];
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
