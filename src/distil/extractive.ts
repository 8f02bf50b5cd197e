import { findFailures } from "./extract/failures.ts";
import { readEarlier } from "./extract/earlier.ts";
import { factsOf } from "./extract/facts.ts";
import { keepsakesOf } from "./extract/keepsakes.ts";
import { keepLedger } from "./extract/ledger.ts";
import { summarise } from "./extract/summary.ts";
import { readTranscript } from "./extract/transcript.ts";
import { type Distiller } from "./distiller.ts";
import { CARRIED_SHARE, lasting, mended } from "./lasting.ts";
import { languageOf } from "../text/language.ts";

/**
 * The distiller without a model: the same input always gives the same facts and summary, in time linear in the text,
 * with no call to anyone. It quotes and never rewords, so what it keeps is true as far as it was said.
 */
export const extractive: Distiller = async (task) => {
  const { dialect, messages, factsFrom, previous = "", summaryTokens } = task;
  const transcript = readTranscript(messages, dialect);
  const ledger = keepLedger(transcript, previous);
  const failures = findFailures(transcript);
  const language = transcript.turns.some(({ text }) => text !== "") ? transcript.language : languageOf(previous);
  const facts = factsOf({ transcript, ledger, failures }, { dialect, messages, factsFrom });
  // Facts alone are asked for where a conversation has ended and nothing is folded.
  if (summaryTokens <= 0) return { facts, summary: "", by: "extractive" };
  const earlier = readEarlier(previous, { last: messages.length === 0 });
  const material = { transcript, ledger, failures, earlier, language };
  const summary = summarise(material, summaryTokens);
  const first = { facts, summary, by: "extractive" as const };
  if (task.lasting !== true) return first;
  const found = keepsakesOf({ transcript, ledger, failures, earlier }, { dialect, messages, ...(factsFrom === 0 ? { facts } : {}) });
  const { whole, complete, read } = await mended(task, first, { over: 1, found });
  if (whole.summary !== summary || complete) return whole;
  // It took all the room: what it left out gets some of it.
  return lasting(task, { ...first, summary: summarise(material, Math.floor(summaryTokens * (1 - CARRIED_SHARE))) }, { over: 1, read });
};
