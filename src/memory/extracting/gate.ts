import { either, inOrder } from "../../core/base.ts";
import { mask } from "../../core/secrets/mask.ts";
import { identifiers } from "../../core/text/identifiers.ts";
import { contentWords, withoutSpeaker } from "../../core/text/sentences.ts";
import { type Distilled, type Fact, isAboutKnown } from "./task.ts";
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
/** A line with more than this share of paths is a list of files. */
const PATHS = 0.5;

type Rule = RegExp | ((text: string) => boolean);

/** One table: the first rule that holds refuses the line. */
const RULES = [
  ["applause", (text) => THANKS.test(text) && contentWords(text).length < 4 && !/\d/.test(text)],
  [
    "empty",
    (text) =>
      contentWords(text).length === 0 &&
      identifiers(text).length === 0 &&
      !/\p{Script=Han}{3}/u.test(text),
  ],
  ["harness", HARNESS],
  ["question", /[?？]["'”’)\]]*$/u],
  ["step", STEP],
  ["call", CALL],
  ["output", (text) => PRINTED.test(text) || signs(text) > 0.35],
  ["fragment", ITEM],
  [
    "files",
    (text) =>
      text.split(" ").length > 3 &&
      identifiers(text).filter(({ kind }) => kind === "path").length >
        PATHS * text.split(" ").length,
  ],
  ["secret", isOnlySecret],
] as const satisfies readonly (readonly [string, Rule])[];

/**
 * Why a line does not become a memory. History has it all the same, and a search finds it there.
 */
export type Refusal = (typeof RULES)[number][0];

const MASKED = /\[[\w ]{1,40}, masked\]/g;
const TELLS = 3;

/** Once its secret is masked, the line says no more than that there is one. */
function isOnlySecret(text: string): boolean {
  const masked = mask(text);
  return masked.search(MASKED) >= 0 && contentWords(masked.replace(MASKED, " ")).length < TELLS;
}

/** Why the line is refused, by model or rule; undefined where it may be remembered. */
export function refusalOf(content: string): Refusal | undefined {
  const text = withoutSpeaker(content).trim();
  const holds = (rule: Rule): boolean => (rule instanceof RegExp ? rule.test(text) : rule(text));
  return RULES.find(([, rule]) => holds(rule))?.[0];
}

/**
 * The facts that may be remembered, and why the others may not. A fact without words only ends
 * another one.
 */
export function gated(facts: readonly Fact[]): { facts: Fact[]; refused: Refusal[] } {
  const judged = facts.map((fact) => ({
    fact,
    why: isAboutKnown(fact) ? undefined : refusalOf(fact.content),
  }));
  return {
    facts: judged.flatMap(({ fact, why }) => (why === undefined ? [fact] : [])),
    refused: judged.flatMap(({ why }) => why ?? []),
  };
}

/** How many lines were refused, by its reasons, as an event tells it. */
export function refusedFor({ refused = [] }: Pick<Distilled, "refused">): {
  refused?: { [why: string]: number };
} {
  const counts: { [why: string]: number } = {};
  for (const why of refused) counts[why] = (counts[why] ?? 0) + 1;
  return refused.length === 0 ? {} : { refused: counts };
}

const signs = (text: string): number =>
  (text.match(/[^\p{L}\p{N}\s]/gu)?.length ?? 0) / Math.max(1, text.length);
