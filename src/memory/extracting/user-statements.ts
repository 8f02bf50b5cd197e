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
  return turns.flatMap((turn) => {
    touched =
      turn.steps
        .filter(writes)
        .flatMap((step) => subjectOf(step) ?? [])
        .at(-1) ?? touched;
    const about = touched === undefined ? "" : ` (about ${touched.replace(/^.*\//, "")})`;
    const said = turn.speaker === "user" ? saidIn(turn, manner) : [];
    return said.map((one) =>
      one.category === "correction" ? { ...one, content: `${one.content}${about}` } : one,
    );
  });
}

/** Conversations of so few turns hold little else. */
const FEW_TURNS = 12;

function saidIn(turn: Turn, manner: Manner): Candidate[] {
  const said = spoken(turn.own);
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
      content: `User: ${fitting(whole, LONGEST_SAYING)}`,
      key,
      corrects: isCorrection(text) ? true : undefined,
      origin: "user",
      from: [turn.index],
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
  if (!leans(text)) return text;
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
/** "Use rgb values, no indices!" */
const RATHER =
  /[,;]\s(?:no|not)\s(?!(?:one|doubt|time|matter|longer|sure|only|even|just|to|that)\b)\p{L}/iu;
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
const isLasting = (text: string): boolean => !AS_IT_IS.test(text) && !FOR_NOW.test(text);

/**
 * What the sentence says of its speaker; undefined for questions, requests, applause and what has
 * no substance.
 */
function readSaying(text: string, { works, short }: Manner): Saying | undefined {
  if (isQuestion(text) || text.length > LONGEST_SAYING) return undefined;
  const means = meanings(text);
  const known = specifics(text);
  if (telling(text) < 2 || (means.has("thanks") && known === 0)) return undefined;
  const toOther = /\b(?:you|your|you're|you've|yourself)\b/iu.test(text);
  const rule =
    isRule(text, means) && (works || (!means.has("about") && !toOther && isLasting(text)));
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
  if (means.has("needs") && !toOther) return as("preference", 0.8);
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

/** A correction is a sentence; what is longer is a text. */
const LONGEST_CORRECTION = 400;
/** A correction may open so; "no problem" and "no idea" open otherwise. */
const OPENS = /^\s*(?:no|nope|nah|wrong|sorry|stop)\s*[,.!:;–—-]\s*/iu;
/** "9443, not 8080"; "use pnpm instead". */
const CONTRAST = either(
  /[,;]\snot\s\p{N}|^not\b[^.;]{1,60},\s/iu,
  /\b(?:is|are|was)(?:n['’]t| not)\b[^.;]{1,60},\s(?:it['’]s|they['’]re|it)\b/iu,
  /\bnot\b[^.,;]{1,60}\sbut\s(?!it\b|i\b|we\b|they\b|that\b)|\binstead(?: of)?\b/iu,
  /\brather than\b/iu,
);

const REBUKE = either(
  /^\s*(?:please )?(?:don['’]?t|do not|never|stop \w+ing|you should(?:n['’]t| not)?)/iu,
  /^\s*(?:please )?(?:you must(?:n['’]t| not)?)/iu,
);

const isRemark = (text: string, means: ReadonlySet<Meaning>): boolean =>
  text.length <= LONGEST_CORRECTION && !isQuestion(text) && !means.has("withdraws");

/**
 * Does the sentence say that something was wrong, and what is right? Thanks, remarks and a bare
 * "no" do not.
 */
export function isCorrection(sentence: string): boolean {
  const [text, means] = [sentence.trim(), meanings(sentence)];
  const contrasts = means.has("corrects") || RATHER.test(text) || CONTRAST.test(text);
  if (!isRemark(text, means) || !(contrasts || OPENS.test(text))) return false;
  const said = text.replace(OPENS, "");
  // "No, go ahead with the next one" answers a question.
  return (
    specifics(said) > 0 ||
    (!means.has("thanks") && telling(said) > 1 && (contrasts || REBUKE.test(said)))
  );
}

/** Behind a reply, does the sentence tell how it should have been done? */
export function isRebuke(sentence: string): boolean {
  const text = sentence.trim();
  // Few begin so, and it is asked on every turn.
  if (!REBUKE.test(text)) return false;
  const means = meanings(sentence);
  const tells = telling(text) > 1 || specifics(text) > 0;
  return isRemark(text, means) && !means.has("thanks") && tells;
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
