import { type TurnIndex, type TurnRow } from "../../model/turns.ts";
import { sentences } from "../../text/sentences.ts";
import { contentTerms } from "../../text/terms.ts";
import { isCommon } from "../recalling/common-words.ts";
import { plainForm, type Question } from "./question.ts";
import { rankTurns } from "./turns.ts";

/**
 * Shares of a message that the best turns and their neighbours cover before it asks of the past. Of LoCoMo's questions 98.6 %
 * do, of strangers' messages asked of its memory about 1 % (bench -- recall-begin).
 */
const COVERED = { named: 0.35, telling: 0.3, asked: 0.6 } as const;
/** Telling words that one turn shares with a message: so many are no chance, asked or not. */
const TELLING = 3;
/** Of a question that names nothing. */
const ASKED = 2;
/** Of the greatest share; a turn that covers less only stands near one that does. */
const LEAST = 0.4;
/** The best turns, by which that is judged. */
const BEST = 10;

interface PastTurn {
  readonly row: TurnRow;
  /** 0…1 */
  readonly covers: number;
}

/** The turns for a message that asks of the past, best first; `terms`: its words, as terms. */
interface Past {
  readonly terms: ReadonlySet<string>;
  readonly turns: readonly PastTurn[];
}

interface Asked {
  readonly root: string;
  readonly limit: number;
  readonly besides?: string;
  readonly standing: (row: TurnRow) => boolean;
}

/**
 * What was said before under this root, where a message asks of it; undefined where it does not. No results of tools, and no
 * asking of the same; none of the session `besides`, and nothing of which `standing` says that it is in view.
 */
export async function pastTurns(
  turns: TurnIndex,
  query: string,
  { standing, ...asked }: Asked,
): Promise<Past | undefined> {
  const { root } = asked;
  const { question, named, ranked } = await rankTurns(turns, query, asked);
  if (ranked.length === 0) return undefined;
  const rows = await turns.turns(root, ranked);
  // One was forgotten meanwhile: which is whose cannot be told.
  if (rows.length < ranked.length) return undefined;
  const said = rows.flatMap((row, at) => {
    const { covers } = ranked[at] ?? { covers: 0 };
    const brings = row.role !== "tool" && !standing(row) && !onlyAsks(row.text);
    return brings && plainForm(row.text) !== plainForm(query) ? [{ row, covers }] : [];
  });
  const best = said.slice(0, BEST);
  const most = Math.max(0, ...best.map(({ covers }) => covers));
  if (!asksOf(best, { question, named, covers: most })) return undefined;
  const fitting = said.filter(({ covers }) => covers >= LEAST * most);
  return {
    terms: new Set(question.terms.map(({ term }) => term)),
    turns: [...new Map(fitting.map((turn) => [plainForm(turn.row.text), turn])).values()],
  };
}

/** An earlier question has no answer. */
const onlyAsks = (text: string): boolean =>
  sentences(text).every((sentence) => /[?？]\W*$/u.test(sentence.text));

function asksOf(
  best: readonly PastTurn[],
  { question, named, covers }: { question: Question; named: boolean; covers: number },
): boolean {
  const telling = question.terms.map(({ term }) => term).filter((term) => !isCommon(term));
  const shared = Math.max(
    0,
    ...best.map(({ row }) => {
      const own = new Set(contentTerms(row.text).terms);
      return telling.filter((term) => own.has(term)).length;
    }),
  );
  if (shared >= TELLING && covers >= COVERED.telling) return true;
  if (!question.asks) return false;
  if (named) return covers >= COVERED.named;
  return covers >= COVERED.asked && shared >= Math.min(ASKED, telling.length);
}
