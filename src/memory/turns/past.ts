import { type TurnIndex, type TurnRow } from "../../model/turns.ts";
import { contentTerms } from "../../text/terms.ts";
import { askedIn, comparing } from "../recalling/asked.ts";
import { isCommon } from "../recalling/common-words.ts";
import { inWeight, lookAt } from "./order.ts";
import { plainForm } from "./question.ts";
import { judgeTurns } from "./turns.ts";

/** Share of a question, or of a clause of it, that a turn's own words cover before it is brought unasked. */
const OWN = 0.45;
/** One shared word is chance, except where it is all that was asked for. */
const WORDS = 2;
/** Turns whose words are compared. */
const LOOKED_AT = 30;
/** An earlier question has no answer. */
const ASKS = /[?？]\W*$/u;

interface PastTurn {
  readonly row: TurnRow;
  /** The asked words, as terms. */
  readonly terms: ReadonlySet<string>;
  /** 0…1 */
  readonly covers: number;
}

/** What was said before under this root that answers by its own words; no results of tools, and no asking of the same. `besides`: what is not to be brought. */
export async function pastTurns(
  turns: TurnIndex,
  query: string,
  { root, besides, limit }: { root: string; besides: (row: TurnRow) => boolean; limit: number },
): Promise<PastTurn[]> {
  const { judged, ...asked } = await judgeTurns(turns, query, root);
  if (judged.length === 0) return [];
  const { form } = asked.question;
  const best = inWeight(judged, form).slice(0, LOOKED_AT);
  const looked = await lookAt(
    turns,
    best.map(({ turn }) => turn),
    asked,
    root,
  );
  const rows = await turns.turns(
    root,
    inWeight(looked, form).map(({ turn }) => turn),
  );
  const question = askedIn(query);
  const frequencies = await turns.frequencies(
    root,
    question.terms.map(({ term }) => term),
  );
  const words = comparing(question, frequencies);
  const terms = new Set(question.terms.map(({ term }) => term));
  const said = rows
    .filter(
      (row) =>
        !besides(row) &&
        row.role !== "tool" &&
        !ASKS.test(row.text) &&
        plainForm(row.text) !== plainForm(query),
    )
    .map((row) => ({ row, own: contentTerms(row.text).terms }));
  const telling = [...terms].filter((term) => !isCommon(term));
  const least = asked.question.asks && telling.length === 1 ? 1 : WORDS;
  const answers = said
    .filter(({ own }) => telling.filter((term) => own.includes(term)).length >= least)
    .map(({ row, own }) => ({ row, terms, covers: words.of(own) }))
    .filter(({ covers }) => covers >= OWN);
  return [...new Map(answers.map((turn) => [plainForm(turn.row.text), turn])).values()].slice(
    0,
    limit,
  );
}
