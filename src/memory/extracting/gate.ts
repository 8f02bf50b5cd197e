import { either } from "../../core/base.ts";
import { mask } from "../../core/secrets/mask.ts";
import { identifiers } from "../../core/text/identifiers.ts";
import { contentWords, withoutSpeaker } from "../../core/text/sentences.ts";
import { THANKS } from "./statements.ts";
import { type Fact, isAboutKnown } from "./task.ts";

/** A line of a harness, a step, a call, what a tool printed, an item of a list, or a question. */
const NO_FACT = either(
  /^(?:<?\/?(?:task-notification|system-reminder|command-)|\[request interrupted)/i,
  /^(?:this session is being continued|caveat: the messages below|read the output file)/i,
  /^(?:(?:ok(?:ay)?|good|great|perfect|now|first|next)[,.!]? )*(?:let me|let's|i'll now|now i)\b/i,
  /^(?:i will now|i need to (?:check|look|read|see|find))\b/i,
  /^[\w.-]{2,60} \([^)\n]{0,200}\)(?: failed)?: |^[\w.-]{2,60}(?:: ?[{[]|\((?:[\w-]+[=:]|["'{[]))/i,
  /^(?:traceback|at \S+ \(|\s*\d+[→|]|exit code:? \d+\W*$|\*\* ?\(|[{[][^\n]{0,400}[}\]]$)/i,
  /^(?:<\/?[a-z][^>]*>|@@ |diff --git |\$ |(?:[-*•>|+]|#{1,6}|\d{1,2}[.)、]) |…|\.\.\.)|[:：]$/i,
  /[?？]["'”’)\]]*$/i,
);
const MASKED = /\[[\w ]{1,40}, masked\]/g;
const [TELLS, SIGNS] = [3, 0.35];

/**
 * Does the line not become a memory, by model or rule? History has it all the same, and a search
 * finds it there.
 */
export function isRefused(content: string): boolean {
  const text = withoutSpeaker(content).trim();
  const words = contentWords(text).length;
  const named = identifiers(text);
  const masked = mask(text);
  const said = text.split(" ").length;
  return (
    NO_FACT.test(text) ||
    (THANKS.test(text) && words <= TELLS && !/\d/.test(text)) ||
    (words + named.length === 0 && !/\p{Script=Han}{3}/u.test(text)) ||
    (text.match(/[^\p{L}\p{N}\s]/gu)?.length ?? 0) > SIGNS * text.length ||
    // More than half of it are paths.
    (said > TELLS && named.filter(({ kind }) => kind === "path").length > said / 2) ||
    // Without its secret it says no more than that there is one.
    (masked.search(MASKED) >= 0 && contentWords(masked.replace(MASKED, " ")).length < TELLS)
  );
}

/** The facts that may be remembered. One without words only ends another. */
export const gated = (facts: readonly Fact[]): Fact[] =>
  facts.filter((fact) => isAboutKnown(fact) || !isRefused(fact.content));
