import { either, inOrder } from "../../core/base.ts";
import { mask } from "../../core/secrets/mask.ts";
import { identifiers } from "../../core/text/identifiers.ts";
import { contentWords, withoutSpeaker } from "../../core/text/sentences.ts";
import { type Fact, isAboutKnown } from "./task.ts";
import { THANKS } from "./statements.ts";

const CALL = either(
  /^[\w.-]{2,60} \([^)\n]{0,200}\)(?: failed)?: |^[\w.-]{2,60}: ?[{[]/,
  /^[\w.-]{2,60}\((?:[\w-]+[=:]|["'{[])/,
);
const PRINTED = either(
  /^(?:traceback|at \S+ \(|\s*\d+[→|]|exit code:? \d+\W*$|\*\* ?\(|[{[][^\n]{0,400}[}\]]$)/i,
  /^(?:<\/?[a-z][^>]*>|@@ |diff --git |\$ )/i,
);
const ITEM = /^(?:[-*•>|+]|#{1,6}|\d{1,2}[.)、]) |^(?:…|\.\.\.)|[:：]$/u;
const STEP = inOrder(
  /^(?:(?:ok(?:ay)?|good|great|perfect|now|first|next)[,.!]? )?/i,
  /(?:let me|let's|i'll now|i will now|i need to (?:check|look|read|see|find)|now i|now let)/i,
);
const HARNESS = either(
  /^(?:<?\/?(?:task-notification|system-reminder|command-)|\[request interrupted)/i,
  /^(?:this session is being continued|caveat: the messages below)/i,
  /^(?:read the output file to retrieve|please continue the conversation from)/i,
);
type Rule = RegExp | ((text: string) => boolean);

/** One table: a rule that holds refuses the line. */
const RULES: readonly Rule[] = [
  HARNESS,
  STEP,
  CALL,
  PRINTED,
  ITEM,
  // Questions.
  /[?？]["'”’)\]]*$/u,
  (text) => THANKS.test(text) && contentWords(text).length < 4 && !/\d/.test(text),
  (text) =>
    contentWords(text).length === 0 &&
    identifiers(text).length === 0 &&
    !/\p{Script=Han}{3}/u.test(text),
  (text) => signs(text) > 0.35,
  isListOfFiles,
  isOnlySecret,
];

/** More than half of its words are paths. */
function isListOfFiles(text: string): boolean {
  const words = text.split(" ").length;
  return words > 3 && identifiers(text).filter(({ kind }) => kind === "path").length > words / 2;
}

const MASKED = /\[[\w ]{1,40}, masked\]/g;
const TELLS = 3;

/** Once its secret is masked, the line says no more than that there is one. */
function isOnlySecret(text: string): boolean {
  const masked = mask(text);
  return masked.search(MASKED) >= 0 && contentWords(masked.replace(MASKED, " ")).length < TELLS;
}

/**
 * Does the line not become a memory, by model or rule? History has it all the same, and a search
 * finds it there.
 */
export function isRefused(content: string): boolean {
  const text = withoutSpeaker(content).trim();
  return RULES.some((rule) => (rule instanceof RegExp ? rule.test(text) : rule(text)));
}

/** The facts that may be remembered. One without words only ends another. */
export const gated = (facts: readonly Fact[]): Fact[] =>
  facts.filter((fact) => isAboutKnown(fact) || !isRefused(fact.content));

const signs = (text: string): number =>
  (text.match(/[^\p{L}\p{N}\s]/gu)?.length ?? 0) / Math.max(1, text.length);
