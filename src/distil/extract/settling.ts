import { contentWords } from "../../text/content-words.ts";
import { sentences } from "../../text/sentences.ts";
import { terms } from "../../text/terms.ts";
import { asks, decides, defers, handsBack, prefers, rules, states } from "./cues.ts";
import { readReply, type Reply } from "./reply.ts";
import { type Turn } from "./transcript.ts";

/** Something asked, while its conversation is read on; each of its parts worked out once, when it is first needed. */
export class Asked {
  readonly index: number;
  readonly text: string;
  /** It was answered by a nod, a promise or a "not yet": from then on only words about it settle it. */
  promised = false;
  private known: { later?: boolean; wanted?: boolean; words?: ReadonlySet<string> } = {};

  constructor(index: number, text: string) {
    this.index = index;
    this.text = text;
  }

  /** "Later, also …": one answer does not settle it. */
  get later(): boolean {
    return (this.known.later ??= sticks(this));
  }
  get wanted(): boolean {
    return (this.known.wanted ??= wants(this.text));
  }
  get words(): ReadonlySet<string> {
    return (this.known.words ??= stems(this.text.slice(0, OF_A_MESSAGE)));
  }
}

/** A turn of the assistant's that ends its work, with what was done since the user last spoke. */
export interface Conclusion {
  readonly reply: Reply;
  /** What the user had said last. */
  readonly heard: number;
  /** A call was made since, and went well. */
  readonly did: boolean;
  /** Its words, passage by passage: those of a long answer all together are about anything. */
  readonly passages: () => readonly ReadonlySet<string>[];
  /** What the user had said last, and what the calls since were given. */
  readonly around: () => ReadonlySet<string>;
}

/** Share of a request's words that what is said later must repeat to be about it, and how many at least. */
const ABOUT = 0.45;
const LEAST = 2;
/** Of the calls, of a call's input and of a message no more is read for this. */
const STEPS = 40;
const VALUES = 8;
const OF_A_VALUE = 200;
const OF_A_MESSAGE = 2_000;

/** A statement that calls no tool and asks nothing back. */
export const concludes = (turn: Turn): boolean => turn.speaker === "assistant" && turn.text !== "" && turn.steps.length === 0 && !handsBack(turn.text);

export function concluded(text: string, heard: { readonly index: number; readonly text: string }, steps: Turn["steps"]): Conclusion {
  const well = steps.filter(({ answer }) => answer === undefined || !answer.failed);
  const reply = readReply(text);
  let passages: readonly ReadonlySet<string>[] | undefined;
  let around: ReadonlySet<string> | undefined;
  const given = (): string[] => well.slice(-STEPS).flatMap(({ name, leaves }) => [name, ...leaves.slice(0, VALUES).map(({ value }) => value.slice(0, OF_A_VALUE))]);
  return {
    reply,
    heard: heard.index,
    did: well.length > 0,
    passages: () => (passages ??= sentences(reply.substance).map(({ text: sentence }) => stems(sentence))),
    around: () => (around ??= stems([heard.text.slice(0, OF_A_MESSAGE), ...given()].join(" "))),
  };
}

/**
 * Is the request dealt with? A nod, a promise or a "not yet" deals with none: it stays, and from then on what settles it must be
 * about it, as with what was put off, or asked before this range. All else is settled by any answer.
 */
export function settles(conclusion: Conclusion, request: Asked): boolean {
  const { reply, heard, did } = conclusion;
  const { later, index } = request;
  const asked = index === heard;
  if (!later && index >= 0 && !request.wanted) return true;
  if (reply.kind === "pending" || reply.kind === "nod") {
    // "Yes" answers "Is it so?", "On Monday" answers "When?"; and whoever did something may say so with a nod.
    const enough = !later && asked && (reply.kind === "nod" ? did || isYesOrNo(request.text) : reply.promised + reply.substance !== "" && isQuestion(request.text));
    if (!enough && index >= 0) request.promised = true;
    return enough;
  }
  if (later && asked) return false;
  if (asked && reply.kind === "refused") return true;
  if (!later && !request.promised && index >= 0 && (!reply.doubtful || shares(request, conclusion) > 0)) return true;
  const about = isAbout(request, conclusion, asked);
  if (!about && asked) request.promised = true;
  return about;
}

/** `asked`: it is the very message that was heard last, whose own words say nothing of the answer. */
function isAbout({ words }: Asked, { passages, around, did }: Conclusion, asked: boolean): boolean {
  if (words.size === 0) return true;
  const need = Math.min(words.size, Math.max(LEAST, words.size * ABOUT));
  const besides = asked ? [] : [...words].filter((word) => around().has(word));
  return passages().some((said) => {
    const own = [...words].filter((word) => said.has(word));
    return new Set([...own, ...besides]).size >= need && (own.length > 0 || did || besides.length >= need);
  });
}

const shares = ({ words }: Asked, { passages }: Conclusion): number => [...words].filter((word) => passages().some((said) => said.has(word))).length;

const stems = (text: string): Set<string> => new Set(contentWords(text).flatMap((word) => terms(word)).filter((word) => !EMPTY.has(word)));
/** Politeness, deixis and times of requests: no answer repeats them, and what does is not about them. */
const EMPTY: ReadonlySet<string> = new Set(
  terms(
    "need want help thing one two also later something anything time give take put let tell know show look find bit still next end day week weekend month year today tomorrow tonight morning afternoon evening night soon first last " +
      "monday tuesday wednesday thursday friday saturday sunday mich mir uns bitte noch kannst könntest morgen heute",
  ),
);

/** "Later, also …": one answer does not settle it. */
export const sticks = ({ text }: { readonly text: string }): boolean => text.length < OF_A_MESSAGE && sentences(text).some(({ text: sentence, code }) => !code && putsOff(sentence));

/** Put off, and to be done by whoever listens: nothing is told in it. */
export const putsOff = (sentence: string): boolean => defers(sentence) && (asks(sentence) || !states(sentence));

/** Something to do or to answer is in it, not only something to know or to go by. */
export const wants = (text: string): boolean => sentences(text.slice(0, OF_A_MESSAGE)).some(({ text: sentence, code }) => !code && asks(sentence) && (ENDS_ASKING.test(sentence) || (!(rules(sentence) && !ONCE.test(sentence)) && !prefers(sentence) && !decides(sentence))));
const ENDS_ASKING = /[?？]\s*$/;
/** "Make sure to …" may be a rule or a task: with an end in sight it is a task. */
const ONCE = /\b(?:today|tomorrow|tonight|by|before|until|this|next|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/i;

const YES_OR_NO =
  /^(?:.{0,80}[,.!:] )?(?:so |and |but )?(?:is|are|was|were|do|does|did|has|have|had|am|should|shall|may|(?:can|could|will|would|might) (?:i|we|it|he|she|they|one|the|this|that|my|our|a|an)|isn'?t|aren'?t|doesn'?t|didn'?t|ist|sind|hat|haben|war|darf|soll)\b.{0,300}[?？]\s*$|(?:right|correct|okay|true|oder|对吗|是吗|对吧)[?？]\s*$/iu;
const OPEN_QUESTION = /(?:^|[,.;:!] )(?:and |so |but |or |also,? )?(?:when|who|whose|where|which|what|how|why|wann|wer|wo|welche[rsn]?|was|wie|warum)\b[^?？]{0,300}[?？]\s*$/iu;
const OPEN_QUESTION_ZH = /(?:什么|怎么|如何|哪|谁|多少|几)[^?？]{0,200}[?？]\s*$/iu;
/** "Can you …?" asks for a deed. */
const TASK = /\b(?:can|could|would|will) (?:you|we)\b|\bplease\b|\bbitte\b|\b(?:kannst|könntest) du\b|请|帮/iu;
const isYesOrNo = (text: string): boolean => YES_OR_NO.test(text.slice(-400)) && !TASK.test(text);
const isQuestion = (text: string): boolean => isYesOrNo(text) || OPEN_QUESTION.test(text.slice(-400)) || (OPEN_QUESTION_ZH.test(text.slice(-400)) && !TASK.test(text));
