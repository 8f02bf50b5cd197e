import { sentences } from "../../text/sentences.ts";
import { asks, dated, decides, handsBack, prefers, rules } from "./cues.ts";
import { putOffIn } from "./deferred.ts";
import { readReply, type Reply } from "./reply.ts";
import { stems } from "./request-words.ts";
import { type Turn } from "./transcript.ts";

/** Something asked, while its conversation is read on; each of its parts worked out once, when it is first needed. */
export class Asked {
  readonly index: number;
  readonly text: string;
  /** What of it was not pasted, where anything was not. */
  readonly own: string;
  /** It was answered by a nod, a promise or a "not yet": from then on only words about it settle it. */
  promised = false;
  private known: { deferred?: string; wanted?: boolean; dated?: boolean; words?: ReadonlySet<string> } = {};

  constructor(index: number, text: string, own = "") {
    this.index = index;
    this.text = text;
    this.own = own === "" ? text : own;
  }

  /** What of it is put off: only its being done settles that. */
  get deferred(): string {
    return (this.known.deferred ??= this.own.length < OF_A_MESSAGE ? putOffIn(this.own) : "");
  }
  get later(): boolean {
    return this.deferred !== "";
  }
  /** A task with a day to it: an answer settles it that has anything to do with it. */
  get dated(): boolean {
    return (this.known.dated ??= dated(this.own.slice(0, OF_A_MESSAGE)) && !isQuestion(this.own));
  }
  get wanted(): boolean {
    return (this.known.wanted ??= wants(this.own));
  }
  get words(): ReadonlySet<string> {
    return (this.known.words ??= stems(this.deferred || this.own.slice(0, OF_A_MESSAGE)));
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
  /** The words the calls since were given. */
  readonly given: () => ReadonlySet<string>;
  /** Those, and what the user had said last. */
  readonly around: () => ReadonlySet<string>;
  /** The user had asked for something in these words last, and not only how things stand. */
  readonly wanted: () => ReadonlySet<string>;
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
  let given: ReadonlySet<string> | undefined;
  let around: ReadonlySet<string> | undefined;
  let wanted: ReadonlySet<string> | undefined;
  const said = heard.text.slice(0, OF_A_MESSAGE);
  const inCalls = (): ReadonlySet<string> => (given ??= stems(well.slice(-STEPS).flatMap(({ name, leaves }) => [name.replace(/[_-]/g, " "), ...leaves.slice(0, VALUES).map(({ value }) => value.slice(0, OF_A_VALUE))]).join(" ")));
  return {
    reply,
    heard: heard.index,
    did: well.length > 0,
    passages: () => (passages ??= sentences(reply.substance).map(({ text: sentence }) => stems(sentence))),
    given: inCalls,
    around: () => (around ??= new Set([...stems(said), ...inCalls()])),
    wanted: () => (wanted ??= stems(sentences(said).flatMap(({ text: sentence, code }) => (!code && asks(sentence) && !STANDING.test(sentence) ? [sentence] : [])).join(" "))),
  };
}

/** "What is still open?" */
const STANDING = /\b(?:still|open|left|pending|outstanding|remain\w*|waiting|to-?dos?|offen\w*|noch|aussteh\w*)\b|还(?:有|没|要)|待办|未完/iu;

/**
 * Is the request dealt with? A nod, a promise or a "not yet" deals with none: it stays, and from then on what settles it must be
 * about it, as with what was asked before this range; what was put off by a report of its being done, or by an answer once it was asked for
 * again. All else is settled by any answer.
 */
export function settles(conclusion: Conclusion, request: Asked): boolean {
  const { reply, heard, did } = conclusion;
  const { later, index } = request;
  const asked = index === heard;
  if (later) return isDone(request, conclusion, asked);
  if (index >= 0 && !request.wanted) return true;
  if (reply.kind === "pending" || reply.kind === "nod") {
    // "Yes" answers "Is it so?", "On Monday" answers "When?"; and whoever did something may say so with a nod.
    const enough = asked && (reply.kind === "nod" ? did || isYesOrNo(request.text) : reply.promised + reply.substance !== "" && isQuestion(request.text));
    if (!enough && index >= 0) request.promised = true;
    return enough;
  }
  if (asked && reply.kind === "refused") return true;
  const sure = !reply.doubtful && (!request.dated || reply.reported || did);
  if (!request.promised && index >= 0 && (sure || shares(request, conclusion) > 0)) return true;
  const about = isAbout(request, conclusion, asked);
  if (!about && asked) request.promised = true;
  return about;
}

/** What was put off: calls were made about it, or it is reported; at once only in words about what was put off, not what else was asked. */
function isDone(request: Asked, conclusion: Conclusion, asked: boolean): boolean {
  const { reply, did } = conclusion;
  const need = enoughOf(request.words);
  const worked = did && [...request.words].filter((word) => conclusion.given().has(word)).length >= need;
  if (worked && reply.kind !== "pending" && reply.kind !== "refused") return true;
  if (reply.kind !== "answer" || !isAbout(request, conclusion, asked)) return false;
  return reply.reported || (!asked && (did || [...request.words].some((word) => conclusion.wanted().has(word))));
}

const enoughOf = (words: ReadonlySet<string>): number => Math.min(words.size, Math.max(LEAST, words.size * ABOUT));

/** `asked`: it is the very message that was heard last, whose own words say nothing of the answer. */
function isAbout({ words }: Asked, { passages, around, did }: Conclusion, asked: boolean): boolean {
  if (words.size === 0) return true;
  const need = enoughOf(words);
  const besides = asked ? [] : [...words].filter((word) => around().has(word));
  return passages().some((said) => {
    const own = [...words].filter((word) => said.has(word));
    return new Set([...own, ...besides]).size >= need && (own.length > 0 || did || besides.length >= need);
  });
}

const shares = ({ words }: Asked, { passages }: Conclusion): number => [...words].filter((word) => passages().some((said) => said.has(word))).length;

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
