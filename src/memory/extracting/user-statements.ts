import { either, inOrder } from "../../core/base.ts";
import { fitting, withoutSpeaker } from "../../core/text/sentences.ts";
import {
  type Candidate,
  isQuestion,
  leans,
  type Meaning,
  meanings,
  specifics,
  spoken,
  telling,
} from "./cues.ts";
import { isCorrection } from "./corrections.ts";
import { ADDRESS } from "./frames.ts";
import { broke, isWork, subjectOf, type Turn, writes } from "./transcript.ts";

/** Longer than this a message is a text that is worked on, not a word about its writer. */
const LONGEST_SAYING = 300;
/** A sentence of so many words of content says something, though it names nothing. */
const RICH = 7;

type Saying = Pick<Candidate, "category" | "importance">;

/**
 * What users said about themselves, their world, their rules and choices, in their own sentences.
 */
export function sayings(turns: readonly Turn[]): Candidate[] {
  const manner = { works: isWork(turns), short: turns.length <= FEW_TURNS };
  let touched: string | undefined;
  const meant = areMeant(turns);
  return turns.flatMap((turn, at) => {
    touched =
      turn.steps
        .filter(writes)
        .flatMap((step) => subjectOf(step) ?? [])
        .at(-1) ?? touched;
    const about = touched === undefined ? "" : ` (about ${touched.replace(/^.*\//, "")})`;
    return (meant[at] ? saidIn(turn, manner) : []).map((one) =>
      one.category === "correction" ? { ...one, content: `${one.content}${about}` } : one,
    );
  });
}

/** Conversations of so few turns hold little else. */
const FEW_TURNS = 12;

/** A part that is played for longer than this was left without a word. */
const LONGEST_PLAY = 12;
const ENDS_PLAY = either(
  /\b(?:stop|end|enough|game over|back to|thanks|thank you|out of character|seriously|for real)\b/i,
  /\b(?:that was fun|new topic|something else)\b/i,
);
/** The other speaker asks for a text that was announced. */
const ASKS_FOR = /\?\s*$|\b(?:paste|share|send|provide|go ahead|show)\b/i;

/**
 * In which turns does the user speak as himself: not in a part that he plays, nor in the text that
 * was announced and asked for.
 */
function areMeant(turns: readonly Turn[]): boolean[] {
  let [plays, awaits] = [0, false];
  return turns.map(({ heard, text }) => {
    if (heard === undefined) {
      awaits &&= ASKS_FOR.test(text);
      return false;
    }
    plays = ENDS_PLAY.test(heard.own) ? 0 : plays - 1;
    const isMeant = plays <= 0 && !awaits;
    if (heard.plays) plays = LONGEST_PLAY;
    awaits = heard.awaits;
    return isMeant;
  });
}

function saidIn({ heard, index }: Turn, manner: Manner): Candidate[] {
  const said = heard?.statements ?? [];
  const found: Candidate[] = [];
  said.forEach((text, at) => {
    const saying = readSaying(text, manner);
    const whole = saying && inItsPlace(said, at, manner, saying);
    if (saying === undefined || whole === undefined) return;
    const last = found.at(-1);
    // A sentence that needs the one before it takes that one's place.
    if (last !== undefined && whole.includes(withoutSpeaker(last.content))) found.pop();
    const key = saying.category === "core" ? keyOf(text) : undefined;
    found.push({
      ...saying,
      content: `User: ${fitting(heard?.restored(whole) ?? whole, LONGEST_SAYING)}`,
      key,
      corrects: isCorrection(text) ? true : undefined,
      origin: "user",
      from: [index],
    });
  });
  return found;
}

/** The sentence beside a rule or correction may tell its subject. */
const BESIDE = 220;

/**
 * The sentence, with the one before it where it leans on that; undefined where it stands alone and
 * cannot.
 */
function inItsPlace(
  said: readonly string[],
  at: number,
  manner: Manner,
  { category }: Saying,
): string | undefined {
  const [text = "", after = ""] = said.slice(at);
  const before = (leans(text) ? said[at - 1] : undefined) ?? "";
  if (category === "correction" || category === "principle") {
    const isTold =
      telling(text) >= 6 || isQuestion(after) || readSaying(after, manner) !== undefined;
    const whole = `${before} ${text} ${isTold ? "" : after}`.trim();
    return whole.length <= BESIDE ? whole : text;
  }
  // The pronoun refers to no one: "They moved my appointment".
  if (!leans(text) || /^they \w+ (?:my|our)\b/iu.test(text)) return text;
  if (before === "" || leans(before) || isQuestion(before) || meanings(before).has("thanks"))
    return undefined;
  return before.length + text.length > LONGEST_SAYING ? undefined : `${before} ${text}`;
}

/** "No, but it sounds fun!" and "no time to waste" forbid nothing, "I'll make sure" promises. */
const NO_RULE = either(
  /^(?:\S+,? )?no[,.!;:—-]/iu,
  /^(?:\S+,? )?no (?:but|i|it|that|we|you|need|problem|worries|idea|wait)\b/iu,
  /^(?:\S+,? )?no (?:way|thanks|one|time|doubt|further)\b/iu,
  /^must\b|\b(?:i['’]ll|gotta|let['’]s|(?:want|have|need) to) make sure\b/iu,
);
/** Things as they are make no rule: "it's always fun", "they never let us down". */
const AS_IT_IS =
  /\b(?:it|that|this|there|they|he|she|is|are|was|were|(?!let)\w+['’]s)\s(?:always|never)\b/iu;
const HEDGED = /\bi (?:think|guess|suppose|believe|assume)\b|\bmaybe\b/iu;

/**
 * Tools are at work, or so little was said that a line which names nothing is worth a memory, too.
 */
type Manner = Readonly<Record<"works" | "short", boolean>>;
/** A mood, a meal or the day so far is over by tomorrow. */
const PASSES = either(
  /\b(?:so|really|very|too|just|need|tired|hungry|thirsty|bored|busy|had|was|were|went|got)\b/iu,
  /\b(?:did|ate|saw|felt|is \w+ing|today|tonight|yesterday|now)\b/iu,
  /\bthis (?:morning|afternoon|evening|week)\b/iu,
);
/** Courage for somebody else, or an order for this moment, is no rule. */
const FOR_NOW = either(
  /\b(?:never|do not|don['’]t) (?:give up|say never|forget|worry|hesitate|miss|mind|know)\b/iu,
  /\b(?:right away|at once|immediately|asap)\b/iu,
);
const WITH_YOU = /\bfrom (?:now|here) on\b|\b(?:whenever|(?:every|each|any) ?time|when) you\b/iu;
const isLasting = (text: string): boolean => !AS_IT_IS.test(text) && !FOR_NOW.test(text);

/**
 * What the sentence says of its speaker; undefined for questions, requests, applause and what has
 * no substance.
 */
function readSaying(text: string, { works, short }: Manner): Saying | undefined {
  if (isQuestion(text) || text.length > LONGEST_SAYING) return undefined;
  const means = meanings(text);
  const known = specifics(text);
  if ((telling(text) < 2 && !ADDRESS.test(text)) || (means.has("thanks") && known === 0))
    return undefined;
  const toOther = /\b(?:you|your|you're|you've|yourself)\b/iu.test(text);
  const rule =
    (isRule(text, means) && (works || (!means.has("about") && !toOther && isLasting(text)))) ||
    isStanding(text, means);
  const as = (category: Saying["category"], importance: number): Saying => ({
    category,
    importance,
  });
  // A sentence without names may be true, but is not told unasked.
  const sure = (base: number): number =>
    Math.round(100 * Math.min(0.95, known > 0 ? base + 0.03 * known : base - 0.25)) / 100;
  if (means.has("remember")) return as("core", 0.85);
  if (rule) return as("principle", 0.8);
  if (isCorrection(text) && !means.has("plans")) return as("correction", sure(0.65));
  // Told always: not to know it does harm.
  if (means.has("needs") && (!toOther || /^(?:i|my)\b/iu.test(text))) return as("preference", 0.8);
  if (means.has("prefers") && !toOther) return as("preference", sure(0.7));
  if (means.has("decides") && !means.has("requests")) return as("decision", sure(0.6));
  if (means.has("requests") && (works || !means.has("plans"))) return undefined;
  if (means.has("plans") && !toOther) return as("core", sure(0.7));
  if (toOther || (works && HEDGED.test(text))) return undefined;
  if (means.has("about")) {
    const isTelling = !works && (telling(text) >= RICH || (short && !PASSES.test(text)));
    return known > 0 || isTelling ? as("core", sure(0.6)) : undefined;
  }
  return known > 0 && means.has("states") && isStatement(text, works)
    ? as("core", sure(0.5))
    : undefined;
}

const isStanding = (text: string, means: ReadonlySet<Meaning>): boolean =>
  ADDRESS.test(text) ||
  (WITH_YOU.test(text) &&
    (means.has("rules") || /^(?:please )?(?:keep|use|write|give|make|stick)\b/iu.test(text)) &&
    !/^(?:\S+ )?(?:i|we|my|our)\b/iu.test(text));

const isRule = (text: string, means: ReadonlySet<Meaning>): boolean =>
  means.has("rules") && !NO_RULE.test(text);

/** A subject, and something that is said of it: no caption, no list, no exclamation. */
const isStatement = (text: string, works: boolean): boolean =>
  !/^[^\p{L}\p{N}"“]|[:：…]$|!$|\.\.\.$/u.test(text) &&
  (text.match(/\S+/gu)?.length ?? 0) > (works ? 5 : 3);

/** The key's part behind "user.", and the noun before that. */
const KEYS: readonly (readonly [string, RegExp])[] = [
  ["name", /\b(?:my name(?:'s| is)|call me|i'?m called|i go by)\s/i],
  ["home", /\bi(?:'m| am)?(?: currently| now)? (?:live|living|based|located) in\s/i],
  ["work", /\bi work (?:at|for|as)\s/i],
  [".name", /\bmy ([a-z][a-z -]{1,40}?) (?:is|are|was) (?:called|named)\s/i],
  [
    "",
    inOrder(
      /\bmy ([a-z][a-z '’-]{1,40}?) (?:is|are)(?: now)?\s/i,
      /(?!\w+ing\b|(?:not|too|so|very|really|also|just|still|here|there)\b)/i,
      /(?!(?:down|broken|gone|in|on|at)\b)/i,
    ),
  ],
];

/** A name for what the sentence settles, so that a later word on it takes its place. */
function keyOf(sentence: string): string | undefined {
  const told = KEYS.find(([, pattern]) => pattern.test(sentence));
  if (told === undefined) return undefined;
  const noun = (told[1].exec(sentence)?.[1] ?? "").toLowerCase().replace(/['’]s /, ".");
  return noun.split(" ").length > 4 ? undefined : `user.${noun}${told[0]}`.replace(/\s+/g, "-");
}

/**
 * Why something failed, in the words of the worker who found out: said behind a failure, with the
 * names of things.
 */
export const traps = (turns: readonly Turn[]): Candidate[] =>
  turns.flatMap((turn, at) => {
    const isBehindFailure = turns
      .slice(Math.max(0, at - 4), at)
      .some(({ steps }) => steps.some(broke));
    if (turn.speaker !== "assistant" || (!isBehindFailure && !turn.steps.some(writes))) return [];
    const cause = spoken(turn.text).find(
      (text) => isCause(text) && !(leans(text) && telling(text) < 6),
    );
    if (cause === undefined) return [];
    return [
      {
        content: fitting(`Agent: ${cause}`, LONGEST_SAYING),
        category: "mistake-pattern",
        kind: "learning",
        importance: 0.5 + 0.03 * specifics(cause),
        origin: "agent",
        from: [turn.index],
      },
    ];
  });

const isCause = (text: string): boolean =>
  text.length > 40 &&
  /[.;!)\]`*]$/u.test(text) &&
  telling(text) > 4 &&
  specifics(text) > 0 &&
  meanings(text).has("because");

/** "AskUserQuestion", "ask_user", "ask_followup_question"; not "Task". */
const ASKS_USER = /^ask(?=[A-Z_]|$)|_ask(?:_|$)|user_?input|clarify/i;
const ANSWERS = /"([^"\n]{3,300})"\s?[=:]\s?"([^"\n]{1,300})"/g;

/**
 * What the user answered to a question that a tool asked: a decision, though it comes as a tool's
 * result.
 */
export const answered = (turns: readonly Turn[]): Candidate[] =>
  turns.flatMap(({ steps }) =>
    steps.flatMap(({ name, answer }) => {
      const pairs =
        answer === undefined || answer.failed || !ASKS_USER.test(name)
          ? []
          : answer.text.slice(0, 4_000).matchAll(ANSWERS);
      return [...pairs].map(([, question = "", reply = ""]): Candidate => ({
        content: fitting(`User decided: ${question} → ${reply}`, LONGEST_SAYING),
        category: "decision",
        importance: 0.65,
        origin: "tool",
        from: [answer?.index ?? 0],
      }));
    }),
  );
