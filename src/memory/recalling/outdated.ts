import { either, phrases, remembering } from "../../core/base.ts";
import { withoutSpeaker } from "../../core/text/sentences.ts";
import { head } from "../../core/text/cut.ts";
import { contentTerms, termSet } from "../../core/text/terms.ts";

/**
 * Does a newer statement make an older one untrue? It says that the older is over, or it says
 * another value of the same. In doubt it does not: both are told then, the newer first.
 */
export function outdates(newer: string, older: string): boolean {
  const [now, then] = [read(newer), read(older)];
  if (now.words.size === 0 || then.words.size === 0 || then.tellsEvent) return false;
  return isOver(now, then) || isOtherValue(now, then);
}

const VERBS =
  "is|are|was|were|has|have|lives?|works?|likes?|wants?|prefers?|needs?|uses?|plays?|studies|" +
  "speaks?|drives?|owns?|plans?|eats?|drinks?|teaches|runs?|goes|keeps?|must|should|can|will|does";
const PRONOUNS = "she|he|they|it|I|we|the user";
const JOINED = new RegExp(
  `(?:;|,|,? and|,? but) (?=(?:${PRONOUNS})(?: |['’])\\p{Ll}|(?:${VERBS}|my|our) |` +
    "(?:the )?(?:[\\p{Ll}-]+ ){1,2}(?:is|are) )",
  "u",
);
const SUBJECT = new RegExp(`^(.{1,60}?)(?: (?:${VERBS}) |['’](?:m|re|ve) )`);
const LEANS = new RegExp(`^(?:(?:${PRONOUNS}) |(?=(?:${VERBS}) ))`);

/**
 * What an older statement still says beside a newer one: undefined where that leaves it as it is,
 * "" where nothing of it holds. Of "The user is called Ada and lives in Kiel" a name is left.
 */
export function leftOf(older: string, newer: string): string | undefined {
  const [speaker = ""] = /^User: /.exec(older) ?? [];
  const [first = "", ...more] = older
    .slice(speaker.length)
    .replace(/(?:[,;]| and) (?:his|her|their|its|wh\w+)\b.*|\.$/, "")
    .split(JOINED);
  const subject = /^the user\b/i.test(first) ? "The user" : SUBJECT.exec(first)?.[1];
  const clauses = [first, ...more.map((part) => part.replace(LEANS, `${subject ?? ""} `))];
  const left = clauses.filter((clause) => !outdates(newer, clause));
  if (left.length === clauses.length) return outdates(newer, older) ? "" : undefined;
  if (subject === undefined || left.length === 0) return "";
  return speaker + left.map((clause) => `${clause}.`).join(" ");
}

/** Does it speak of something that is otherwise now? */
export function saysChange(content: string): boolean {
  const { changes, over, denied } = read(content);
  return changes || over.length > 0 || denied.length > 0;
}

type Sort = "figure" | "day" | "name" | "word";
interface Statement {
  /** By term; what only says that something changed is left out. */
  readonly words: ReadonlyMap<string, Sort>;
  /** Terms before the verb; none for the user. */
  readonly subject: ReadonlySet<string>;
  readonly changes: boolean;
  readonly denies: boolean;
  /** It keeps something away: "gluten free", "nothing on Fridays". */
  readonly restricts: boolean;
  /** The terms of a thing that is allowed again. */
  readonly allowed: ReadonlySet<string>;
  readonly tellsEvent: boolean;
  readonly holdsMany: boolean;
  /** "X is the manager": what stands before the verb is the value. */
  readonly isRole: boolean;
  /** Parts that it says are over, and those that it denies. */
  readonly over: readonly ReadonlySet<string>[];
  readonly denied: readonly ReadonlySet<string>[];
  /** Where somebody lives, for whom they work, and the like: there is one of each. */
  readonly oneOf: ReadonlySet<number>;
  /** Figures by the words beside them: "port 4100", "900 pounds". */
  readonly figures: ReadonlyMap<string, string>;
}

const CHANGED =
  "moved|switched|changed|upgraded|migrated|raised|lowered|cut|increased|reduced|extended|" +
  "transferred|postponed|shifted|rescheduled|put off|pushed|delayed|rebuilt|rewritten|" +
  "replaced|renamed|became|turned";
const SAID_ANEW =
  "(?<!for )now|nowadays|these days|any more|anymore|no longer|instead|again|from now on|new|" +
  "but only|actually|correction|i was wrong|sorry|i meant";
const ENDED =
  "died|dead|passed away|cancelled|canceled|called off|over|gone|stolen|sold|retired|resigned|" +
  "separated|divorced|split up|moved out|bankrupt|archived|abolished|removed|closed down|ended|" +
  "broken|dropped|scrapped|abandoned|shelved|discontinued|is off|" +
  "broke(?: up)?|history|no longer holds?|no longer appl(?:y|ies)|no longer (?:wanted|needed)";
const CHANGES = phrases(
  "\\b",
  `${CHANGED}|${SAID_ANEW}
  had to (?:move|change|switch|cut|postpone|push|cancel)
  (?:starting|as of|from) (?:today|(?:next|this) \\w+)|(?:up|down) (?:to|from)
  (?:minute|hour|day|week|month|year)s? (?:later|earlier)`,
);
/** Words that are no part of what is said, but say how it stands. */
const SAYS_CHANGE = new Set(
  contentTerms(
    `${CHANGED} ${SAID_ANEW} ${ENDED} longer use uses used using run runs live lives work works ` +
      "based is are called named go goes plan plans planned due want wants user users i my we " +
      "our me please always never only hold holds applies apply left went got stopped quit gave " +
      "fine ok okay welcome allowed date day time euro euros percent",
    () => false,
  ).terms,
);
const DAY = phrases(
  "^",
  `mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|january|february|march
  april|may|june|july|august|september|october|november|december`,
);
const VERB = phrases(
  "^",
  `is|are|was|were|has|have|had|will|does|do|must|should|can|may|want|prefer|live|work|use|am|go
  like|need|went`,
);
/** Of these one may have, do or like several. */
const MANY = phrases(
  "\\b",
  `has|have|had|owns?|likes?|loves?|enjoys?|hates?|dislikes?|learn\\w*|speaks?|knows?|interested
  allergic|plays?|reads?|collects?|visits?|met|meets|fond|includes?|supports?|contains?
  takes|uses?`,
);
const ROLE = new RegExp(
  "^\\S+(?: \\p{Lu}\\S*)? (?:is|leads|heads|runs|owns|manages|does|supervises|teaches|chairs|" +
    "represents) (?:now )?the\\b",
  "u",
);
const STATE = "moved|changed|switched|raised|lowered|planned|based|named|called|retired|married";
const EVENT = new RegExp(
  `^(?:\\S+ ){1,4}?(?:(?!${STATE}|need|used)\\w{3,}ed|went|met|bought|read|saw|took|got|ran|had|` +
    "gave|made|wrote|won)\\b",
  "i",
);
const ONE_OF = [
  "lives?|living in|resides?|based in|located in|moved to|relocated to|home is",
  "works? (?:at|for)|working (?:at|for)|employed|joined|started at|new job (?:at|with)",
  "works? as|working as|job is",
  "drives?|rides?",
  "banks? (?:with|at)|insured (?:with|by|at)",
  "married to|engaged to",
].map((one) => phrases("\\b", one));
const CLAUSE = "[^.,;:!?]{1,80}";
/** Behind these stands what is over, up to the next stop. */
const OVER_BEHIND = new RegExp(
  "\\b(?:no longer|no more|instead of|rather than|stop(?:ped)?(?! (?:at|by|in))|" +
    "(?:switched|moved|migrated|changed)(?: \\S+){0,4}? from|quit|left|gave up|" +
    "ha(?:d|ve) to (?:give up|cancel|sell)|got rid of|sold|" +
    `cancelled|dropped|closed|paid off)\\s(${CLAUSE})|` +
    `(?:\\bnot|n['’]t)\\s(${CLAUSE}?)\\s(?:any ?more|any longer)\\b`,
  "gi",
);
/** A thing that is over ends before these; "don't need to" and "don't go to" go on. */
const CUT = either(
  /\b(?:because|since|but|and|last|this|(?<!\b(?:go(?:ing|es)?|need|have|want) )to)\b/i,
  /\bin (?:jan|feb|march|april|may|june|july|aug|sep|oct|nov|dec)/i,
);
/** Before these; an object behind them says what else it is about. */
const OVER_BEFORE = new RegExp(
  `${CLAUSE}?\\s(?:${ENDED}|left(?: the .{1,30})?)` +
    "(?=[.,;:!?]|$|\\s(?:in|on|at|by|since|because|so|last|yesterday|after|and|for)\\b)",
  "gi",
);
const DENIED = /\b(?:not|never|no|without|n['’]t)\s([^.,;:!?]{1,80})/gi;
const DENIES = /\b(?:not|never|no|none|nothing|nobody|without|cannot)\b|n['’]t\b/i;
const KEEPS_AWAY = /\b(?:free|only|avoids?|allergic|allergy|forbidden)\b/i;
const ALLOWS = /\b(?:fine|ok|okay|welcome|allowed|can|may)\b/i;
/** Why it is so is no part of it. */
const REASON = /\b(?:because|since|so that|due to)\b[^.;]*/i;

const termsIn = (text: string): Set<string> =>
  new Set(contentTerms(text.replace(/['’]s\b/g, "")).terms.filter((one) => !SAYS_CHANGE.has(one)));
const partsIn = (text: string, pattern: RegExp, cut: RegExp): Set<string>[] =>
  [...text.matchAll(pattern)]
    .map((found) =>
      termsIn((found.slice(1).find((part) => part !== undefined) ?? found[0]).split(cut)[0] ?? ""),
    )
    .filter((part) => part.size > 0);

const NUMBER = /^(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty)$/;
const WORD = /[\p{L}\p{N}#][\p{L}\p{N}._:@,/+'’-]*/gu;

/** Characters of a statement that are read: a longer one is a text. */
const READ = 2_000;

const read = remembering((content: string): Statement => {
  const text = withoutSpeaker(head(content, READ)).replace(/\b(n)ot any (more)\b/g, "$1ot any $2");
  const told = text.replace(REASON, "").replace(/['’]s\b/g, "");
  const raw = (told.match(WORD) ?? []).map((word) => word.replace(/[.,:'’]+$/, ""));
  const words = new Map<string, Sort>();
  const figures = new Map<string, string>();
  let verb = -1;
  raw.forEach((word, at) => {
    const isSmall = at > 0 && /^\p{Ll}+$/u.test(word);
    // "My parents live": a noun of many looks like a verb.
    const isForm =
      /[^s]s$|ed$/.test(word) && !raw.slice(at + 1, at + 3).some((next) => VERB.test(next));
    const isVerb = isSmall && (VERB.test(word) || isForm);
    if (verb < 0 && isVerb && !text.includes(`${word}'`) && !text.includes(`${word}’`)) verb = at;
    for (const term of termsIn(word)) words.set(term, sortOf(word));
    if (sortOf(word) === "figure")
      for (const term of termSet(`${raw[at - 1] ?? ""} ${raw[at + 1] ?? ""}`))
        figures.set(term, word);
  });
  // "I swim before work": nothing stands between the speaker and the verb.
  const before = /^(?:[^,]{1,20}, )?(?:I|we)\b(?!['’])/i.test(text)
    ? []
    : raw.slice(0, Math.max(0, verb));
  const subject = new Set(before.flatMap((word) => [...termsIn(word)]));
  return {
    words,
    subject,
    figures,
    changes: CHANGES.test(text),
    denies: DENIES.test(text),
    restricts: DENIES.test(text) || KEEPS_AWAY.test(text),
    allowed: termsIn(ALLOWS.test(text) && CHANGES.test(text) ? text.replace(/[,;].*/, "") : ""),
    tellsEvent: EVENT.test(text) && !/\b(?:is|are|wants|has|be|may|must|will)\b/.test(text),
    holdsMany: MANY.test(text),
    isRole: ROLE.test(text),
    over: [...partsIn(text, OVER_BEHIND, CUT), ...partsIn(text, OVER_BEFORE, REASON)],
    denied: partsIn(text, DENIED, /\b(?:because|since|but)\b/i),
    oneOf: new Set(ONE_OF.flatMap((pattern, at) => (pattern.test(text) ? [at] : []))),
  };
});

function sortOf(word: string): Sort {
  if (DAY.test(word)) return "day";
  if (/\p{N}/u.test(word) || NUMBER.test(word)) return "figure";
  return /^\p{Lu}|[@_#/]|\p{L}[-.]\p{L}/u.test(word) ? "name" : "word";
}

const share = (some: ReadonlySet<string>, of: { has(term: string): boolean }): number =>
  some.size === 0 ? 1 : [...some].filter((term) => of.has(term)).length / some.size;

/** So much of what is over must stand in the older statement. */
const NAMED = 0.6;

function isOver(now: Statement, then: Statement): boolean {
  const own = new Set(then.words.keys());
  const isAbout =
    share(then.subject, now.words) >= 0.5 ||
    (now.subject.size > 0 && share(now.subject, own) >= 0.5);
  if (isAbout && now.over.some((part) => share(part, own) >= NAMED)) return true;
  if (then.restricts && now.allowed.size > 0 && !now.denies && share(now.allowed, own) >= NAMED)
    return true;
  if (then.denies && !now.denies)
    return (
      now.changes && share(own, now.words) >= 0.5 && share(new Set(now.words.keys()), own) >= NAMED
    );
  return (
    !then.denies &&
    share(now.subject, own) === 1 &&
    now.denied.some((part) => share(part, own) >= NAMED) &&
    share(own, now.words) >= NAMED
  );
}

function isOtherValue(now: Statement, then: Statement): boolean {
  if (now.denies !== then.denies) return false;
  const only = (one: Statement, other: Statement, sort: Sort): string[] =>
    [...one.words].flatMap(([term, own]) => (own === sort && !other.words.has(term) ? term : []));
  const shared = [...then.words.keys()].filter((term) => now.words.has(term));
  const values = (["figure", "day", "name"] as const).filter(
    (sort) => only(then, now, sort).length > 0 && only(now, then, sort).length > 0,
  );
  const [gone, come] = [only(then, now, "word"), only(now, then, "word")];
  const ofNow = share(then.subject, now.words) === 1;
  const ofThen = share(now.subject, then.words) === 1;
  // "We moved staging to port 4200" is of the staging server.
  const isOfThing =
    now.subject.size > 0
      ? ofThen
      : [...now.figures].some(([by, value]) => (then.figures.get(by) ?? value) !== value) &&
        shared.some((term) => !now.figures.has(term));
  const isSame = now.changes ? ofNow || isOfThing : ofNow && ofThen;
  const isSwap = gone.length === 1 && come.length === 1;
  if ((values.includes("name") || isSwap) && !now.oneOf.isDisjointFrom(then.oneOf))
    return isSame && now.subject.size === then.subject.size;
  if (now.isRole && then.isRole && values.length === 1) return gone.length + come.length === 0;
  if (!isSame || shared.length === 0) return false;
  const isMany = then.holdsMany && !values.includes("figure");
  if (values.length > 0)
    return now.changes
      ? gone.length <= shared.length
      : !isMany && gone.length === 0 && come.length <= 1;
  // A word in common by chance seldom is what the older begins with.
  const [led] = then.words.keys();
  return isSwap && (now.changes ? shared[0] === led : shared.length > 1 && !isMany);
}
