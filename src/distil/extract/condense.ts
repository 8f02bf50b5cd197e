import { languageOf } from "../../text/language.ts";
import { readEarlier } from "./earlier.ts";
import { keepLedger } from "./ledger.ts";
import { summarise } from "./summary.ts";

/** A summary in at most so many tokens: its own lines, the weightiest of them, word for word. */
export function condense(summary: string, tokens: number): string {
  const language = languageOf(summary);
  const transcript = { turns: [], language };
  return summarise({ transcript, ledger: keepLedger(transcript, summary), failures: [], earlier: readEarlier(summary, { last: true }), language }, tokens);
}
