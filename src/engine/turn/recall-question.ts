import { withoutFences } from "../../text/fence.ts";
import { tail } from "../../text/cut.ts";
import { sentences } from "../../text/sentences.ts";
import { queryTerms } from "../../text/terms.ts";
import type { Call } from "../session/core.ts";

/**
 * Characters of the user's words that are looked at, from the end: a long paste ends in what is
 * wanted of it.
 */
const READ = 4_000;
/** A longer text asks for so much that no memory holds a good share of it. */
const WHOLE = 400;
/** Sentences asked one by one. */
const SENTENCES = 3;
/** A sentence of one word ("Continue.") asks for nothing. */
const LEAST_TERMS = 2;

/** The message the user's turn came with; -1 where a tool has the word, or none has. */
export function newTurn({ dialect, conversation }: Pick<Call, "dialect" | "conversation">): number {
  const index = conversation.findLastIndex((message) => dialect.speaker(message) !== "system");
  const message = conversation[index];
  return message !== undefined && dialect.speaker(message) === "user" ? index : -1;
}

/** The user's newest words, of a long text the last ones. */
export function wordsOf(
  { dialect, conversation }: Pick<Call, "dialect" | "conversation">,
  index: number,
): string {
  const said: string[] = [];
  for (let at = index; at >= 0; at--) {
    const message = conversation[at];
    if (message === undefined || dialect.speaker(message) !== "user") break;
    said.unshift(withoutFences(dialect.text(message)).trim());
  }
  return tail(said.join("\n"), READ).trim();
}

/**
 * What to ask of memory for a turn: its words as a whole, if they are few, and the sentences that
 * ask, the last ones first.
 */
export function questionsOf(text: string): string[] {
  if (text === "") return [];
  const all = sentences(text)
    .filter(({ code }) => !code)
    // A question without capitals ends all the same.
    .flatMap((sentence) => sentence.text.split(/(?<=[?？])\s+/));
  const telling = all.filter((sentence) => queryTerms(sentence).length >= LEAST_TERMS).reverse();
  const asking = telling.filter((sentence) => /[?？]\W*$/.test(sentence));
  const whole = text.length <= WHOLE ? [text] : [];
  const single = [...new Set([...asking, ...telling])].slice(0, SENTENCES);
  return [...new Set([...whole, ...single])];
}
