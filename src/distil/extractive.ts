import { findFailures } from "./extract/failures.ts";
import { readEarlier } from "./extract/earlier.ts";
import { factsOf } from "./extract/facts.ts";
import { keepLedger } from "./extract/ledger.ts";
import { summarise } from "./extract/summary.ts";
import { readTranscript } from "./extract/transcript.ts";
import { type Distiller } from "./distiller.ts";
import { languageOf } from "../text/language.ts";

/**
 * The distiller without a model: the same input always gives the same facts and summary, in time linear in the text,
 * with no call to anyone. It quotes and never rewords, so what it keeps is true as far as it was said.
 */
export const extractive: Distiller = async ({ dialect, messages, factsFrom, previous = "", summaryTokens }) => {
  const transcript = readTranscript(messages, dialect);
  const ledger = keepLedger(transcript, previous);
  const failures = findFailures(transcript);
  const language = transcript.turns.some(({ text }) => text !== "") ? transcript.language : languageOf(previous);
  const facts = factsOf({ transcript, ledger, failures }, { dialect, messages, factsFrom });
  // Facts alone are asked for where a conversation has ended and nothing is folded.
  if (summaryTokens <= 0) return { facts, summary: "", by: "extractive" };
  const summary = summarise({ transcript, ledger, failures, earlier: readEarlier(previous, { last: messages.length === 0 }), language }, summaryTokens);
  return { facts, summary, by: "extractive" };
};
