import { either } from "../../core/base.ts";
import type { Message } from "../../core/request.ts";
import { mask } from "../../core/secrets/mask.ts";
import { identifiers } from "../../core/text/identifiers.ts";
import { contentWords, withoutSpeaker } from "../../core/text/sentences.ts";
import type { Dialect } from "../../providers/common/dialect.ts";
import { DOCUMENT, isQuestion } from "./frames.ts";
import { isOrder, mayTell, THANKS } from "./statements.ts";
import { type Fact, isAboutKnown } from "./task.ts";
import { readTranscript, type Turn } from "./transcript.ts";

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

/** Greeting, thanks and assent. A word that is missing here costs a call, and no memory. */
const SMALL_TALK: ReadonlySet<string> = new Set(
  (
    "hi hiya hello hey hallo moin bonjour hola ciao olá good morning evening afternoon night day " +
    "guten tag abend buenos días thx ty cheers danke vielen dank merci beaucoup gracias grazie " +
    "obrigado obrigada bitte bye goodbye tschüss adiós ja oui sí sim nope nein non right great " +
    "perfect super cool nice lovely awesome amazing excellent works worked done lol haha wow yo " +
    "sup mate way lot help helped helps welcome alles klar 你好 您好 谢谢 好的 再见"
  ).split(" "),
);
const newsIn = (said: string): number =>
  contentWords(said).filter((word) => !SMALL_TALK.has(word)).length;

/** In doubt a long text is the user's own; and a short answer tells as much as was asked for. */
const isTold = ({ own, text }: Turn, before: Turn | undefined): boolean =>
  (newsIn(own) > 0 && mayTell(own)) ||
  (text.length > DOCUMENT && !isOrder(text)) ||
  (before?.speaker === "assistant" && isQuestion(before.text) && !isOrder(own) && newsIn(own) > 0);

/**
 * Does the user say anything in these messages that is worth a model's reading? Questions, orders
 * and small talk are not; in doubt, and in a language that is not known here, it is.
 */
export function holdsStatement(messages: readonly Message[], dialect: Dialect): boolean {
  const turns = readTranscript(messages, dialect);
  return turns.some((turn, at) => turn.speaker === "user" && isTold(turn, turns[at - 1]));
}
