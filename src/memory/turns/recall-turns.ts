import { tail } from "../../core/text/cut.ts";
import { sentences } from "../../core/text/sentences.ts";
import { terms, termSet } from "../../core/text/terms.ts";
import type { TurnRow } from "../../storage/rows.ts";
import type { Storage } from "../../storage/port.ts";
import type { Ranked } from "./order.ts";
import { type Form, plainForm, type Question } from "./question.ts";
import { rankTurns } from "./search-turns.ts";

/**
 * Shares of the words that the best turns and their neighbours cover before they ask of the past.
 * Of LoCoMo's questions 98.6 % do and of RealMem's messages that need something 94 %; of strangers'
 * messages less than 2 % (bench -- recall-begin).
 */
const COVERED = { named: 0.35, telling: 0.3, own: 0.49, asked: 0.6 } as const;
/** Telling words that one turn shares: so many are no chance, asked or not. */
const TELLING = 3;
/** And of what names nothing. */
const SHARED = 2;
/**
 * A message goes on with a talk that holds half of its telling words and more, or of many a third;
 * one that speaks of what was before, with less.
 */
const GOES_ON = { least: 0.75, referring: 1.6 } as const;
/** A turn that covers less than this of the greatest share only stands near one that does. */
const LEAST_COVERED = 0.35;
/** Turns that are read; the tokens decide how many of them are shown. */
const TURNS = 60;
/** The best turns, by which that is judged. */
const BEST = 10;

/**
 * A message goes on with something: it is given the best of so many stretches, and in them what
 * stands next to each hit.
 */
const TALKS = 5;
const BESIDE = [-1, 0, 1] as const;
/** So much behind the best in the order, a talk says a third as much. */
const FADE = 2;

interface PastTurn extends Ranked {
  readonly row: TurnRow;
}

/** Turns of one stretch; `weight`: of what it says beside the best of them, 0…1. */
interface Talk {
  readonly weight: number;
  readonly rows: readonly TurnRow[];
}

/**
 * The turns for a question, or the talks for a message, best first; `terms`: its words, as terms.
 */
export interface Past {
  readonly terms: ReadonlySet<string>;
  readonly form: Form;
  /** A question's are of one turn each. */
  readonly talks: readonly Talk[];
}

interface TurnQuestion {
  readonly root: string;
  readonly besides?: string;
  readonly standing: (row: TurnRow) => boolean;
}

/**
 * What was said before under this root, where a message asks of it; undefined where it does not. No
 * results of tools, and no asking of the same; none of the session `besides`, and nothing of which
 * `standing` says that it is in view.
 */
export async function pastTurns(
  store: Storage,
  query: string,
  { standing, ...among }: TurnQuestion,
): Promise<Past | undefined> {
  const { root } = among;
  const { question, named, ranked: all } = await rankTurns(store, query, among);
  // What was forgotten meanwhile has no row.
  const found = all.flatMap(({ row, ...turn }) => (row === undefined ? [] : { ...turn, row }));
  const read = found.slice(0, TURNS);
  const asking = plainForm(query);
  const isAsking = ({ text }: TurnRow): boolean => plainForm(text) === asking;
  const asked = new Set(
    read.flatMap(({ row }) => (row.position === 0 && isAsking(row) ? row.session : [])),
  );
  // A first answer that is wanted anew opens another conversation.
  const isTry = ({ position, session }: TurnRow): boolean => position === 1 && asked.has(session);
  const mayBring = (row: TurnRow): boolean =>
    row.role !== "tool" && !standing(row) && !isAsking(row) && !isTry(row);
  const said = read.filter(({ row }) => mayBring(row));
  const telling = said.filter(({ row }) => !onlyAsks(row.text));
  const best = telling.slice(0, BEST);
  const most = Math.max(0, ...best.map(({ covers }) => covers));
  if (!asksOf(best, query, { question, named, covers: most })) return undefined;
  const { form } = question;
  const fitting = (form === "message" ? said : telling).filter(
    ({ covers }) => covers >= LEAST_COVERED * most,
  );
  const talks =
    form === "message"
      ? await talksOf(store, root, fitting)
      : onceEach(fitting.map(({ row }) => row)).map((row) => ({ weight: 1, rows: [row] }));
  return {
    terms: new Set(question.terms.map(({ term }) => term)),
    form,
    talks: talks
      .map(({ weight, rows }) => ({ weight, rows: onceEach(rows.filter(mayBring)) }))
      .filter(({ rows }) => rows.length > 0),
  };
}

const onceEach = (rows: readonly TurnRow[]): TurnRow[] => [
  ...new Map(rows.map((row) => [plainForm(row.text), row])).values(),
];

/** The hits of the best stretches with their neighbours, each stretch in its order. */
async function talksOf(store: Storage, root: string, hits: readonly Ranked[]): Promise<Talk[]> {
  const talks = [...Map.groupBy(hits, ({ stretch }) => stretch)].slice(0, TALKS);
  const top = hits[0]?.weight ?? 0;
  return Promise.all(
    talks.map(async ([stretch, own]) => {
      const places = new Set(own.flatMap(({ place }) => BESIDE.map((step) => place + step)));
      const keys = [...places].filter((place) => place >= 0).sort((one, other) => one - other);
      return {
        weight: Math.exp(((own[0]?.weight ?? top) - top) / FADE),
        rows: await store.turns(
          root,
          keys.map((place) => ({ stretch, place })),
        ),
      };
    }),
  );
}

const ASKS_LAST = /[?？]\W*$/u;
/** Characters of an end. */
const END = 40;

/** It asks without a sign too: "what is my cat called". */
const ASKS_FIRST =
  /^\W*(?:wh(?:at|o|en|ere|ich|y)|how)(?:['’]s| (?:is|are|was|were|do|does|did|am))\b/i;

/** An earlier question has no answer. */
const onlyAsks = (text: string): boolean =>
  (ASKS_LAST.test(tail(text, END)) || ASKS_FIRST.test(text)) &&
  sentences(text).every(({ text: one }) => ASKS_LAST.test(one) || ASKS_FIRST.test(one));

/**
 * Two telling words of a question stand beside each other in a turn as they do in it: the name of a
 * thing ("the scarlet hostel").
 */
function namesThing(best: readonly PastTurn[], query: string, { telling }: Question): boolean {
  const words = terms(query);
  const pairs = words.flatMap((word, at) => {
    const next = words[at + 1] ?? "";
    return telling.includes(word) && telling.includes(next) ? [` ${word} ${next} `] : [];
  });
  return (
    pairs.length > 0 &&
    best.some(({ row }) => {
      const said = ` ${terms(row.text).join(" ")} `;
      return pairs.some((pair) => said.includes(pair));
    })
  );
}

/** Of themselves one asks in few words ("Where do I live?"), but not how something is done. */
const OF_ASKER =
  /^\W*(?:(?:tell|remind) me )?(?:wh\w+|how(?! do))\b(?!.*(?:can|ould|may|must) (?:i|we)\b)/i;

function asksOf(
  best: readonly PastTurn[],
  query: string,
  { question, named, covers }: { question: Question; named: boolean; covers: number },
): boolean {
  const { telling } = question;
  const shared = Math.max(
    0,
    ...best.map(({ row }) => new Set(telling).intersection(termSet(row.text)).size),
  );
  if (question.form === "message") {
    const goesOn = Math.max(...best.map((turn) => turn.goesOn));
    if (question.refers) return goesOn * GOES_ON.referring >= GOES_ON.least;
    return goesOn >= GOES_ON.least && telling.length >= SHARED;
  }
  if (shared >= TELLING && covers >= COVERED.telling) return true;
  if (!question.asks) return false;
  if (named || namesThing(best, query, question)) return covers >= COVERED.named;
  // A word alone ("Did you push?") says too little, and words of every day ("How are you? I hope
  // you are well.") nothing; but of themselves one asks in few words ("Where do I live?").
  if (question.role === "user" && OF_ASKER.test(query))
    return covers >= COVERED.own && (shared > 0 || question.terms.length === 1);
  const few = question.terms.length < SHARED || telling.length === 0;
  return covers >= COVERED.asked && !few && shared >= Math.min(SHARED, telling.length);
}
