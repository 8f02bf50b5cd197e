import { head } from "../../core/text/cut.ts";
import { identifiers, namesOf } from "../../core/text/identifiers.ts";
import { sentences } from "../../core/text/sentences.ts";
import { fold, type QueryTerm, queryTerms, terms } from "../../core/text/terms.ts";

import type { Storage } from "../../storage/port.ts";
import { isCommon, weightOf } from "../recalling/word-weights.ts";
import { askedDate, type AskedDate } from "./date.ts";
import type { TurnFrequencies } from "../../storage/search-index.ts";

/** English cues tell which kind of answer a question waits for. */
const FIRST_WORDS =
  "who whom whose what when where which why how is are was were am do does did has have had " +
  "can could would will should shall may might";
const ASKS = new RegExp(
  `[?？؟]|^\\W*(?:(?:tell|remind) me )?(?:${FIRST_WORDS.replaceAll(" ", "|")})\\b`,
  "iu",
);
const WHEN = /\b(when|how long|how often|what date|(what|which) (day|date|month|year|time))\b/iu;
const HOW_MANY = /\bhow (many|much|old|often|long)\b/iu;
const WHO_OR_WHERE = /\b(where|who|whom|whose|which|names?|called|titles?)\b/iu;
const VERB = "(?:do|does|did|has|have|had|is|are|was|were|can|will)\\b";
/**
 * "What instruments does she play?", "How many …": several things may be the answer, told at
 * different times.
 */
const MANY = new RegExp(
  `\\bhow many\\b|\\bwhat\\s+(?:are|were)\\b|` +
    `\\b(?:what|which)\\b(?:\\s+(?!${VERB})[\\w'-]+){0,4}?\\s+(?!${VERB})` +
    `(?:[\\w-]*[^\\W_su]s|children|people|(?:wo)?men)\\b(?:\\s+[\\w'-]+){0,6}?\\s+${VERB}`,
  "iu",
);
/** A thing that would be is concluded, not listed. */
const SUPPOSES = /\b(would|could|might|may|likely|probably)\b/iu;
/**
 * Who is asked about, where no name stands: the person who searches, or the one they speak with.
 */
const OWN = /\b(i|me|my|mine|myself|we|our|us)\b/iu;
const YOURS = /\b(you|your|yours|yourself)\b/iu;

/** It goes on with something: what was said, agreed or done before, or what comes after it. */
const DID =
  "agreed decided did discussed drafted gave had made mentioned planned recommended said set " +
  "suggested talked wanted";
const REFERS = new RegExp(
  "\\b(?:again|last time|earlier|previous(?:ly)?|before|already|still|continu(?:e|ing)|" +
    "resum(?:e|ing)|next|left off|pick(?:ing)? (?:\\w+ )?up|finished|done|" +
    `i(?:['’]m| am) (?:back|ready)|(?:we|you) (?:\\w+ )?(?:${DID.replaceAll(" ", "|")}))\\b`,
  "iu",
);

/** Characters in which a second sentence is looked for. */
const READ = 2_000;
/** Texts longer than this are pasted pages: they are not looked for word for word. */
const LONGEST_EXACT = 300;

/**
 * One sentence, or several: who writes a message tells what it is about, and how, before anything
 * is asked.
 */
export type Form = "question" | "message";

export interface Question {
  readonly form: Form;
  readonly terms: readonly QueryTerm[];
  /** The terms that no stop words and no words of every day are. */
  readonly telling: readonly string[];
  readonly date: AskedDate | undefined;
  /** It waits for an answer; else the words themselves may be what is looked for. */
  readonly asks: boolean;
  /** It speaks of what was before. */
  readonly refers: boolean;
  readonly when: boolean;
  readonly howMany: boolean;
  readonly whoOrWhere: boolean;
  /**
   * What should stand in the turn as it stands here, in lower case: identifiers, and words that ask
   * nothing.
   */
  readonly exact: readonly string[];
  /** Its answer may be a list. */
  readonly list: boolean;
  /** Words with a capital inside a sentence, as terms. */
  readonly names: readonly string[];
  /** The turns asked about are the user's, the assistant's, or any. */
  readonly role: "user" | "assistant" | undefined;
}

/** Reads a question. Its date is no word to look for unless there is nothing else. */
export function readQuestion(text: string): Question {
  const words = fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  const date = askedDate(words);
  const all = queryTerms(text, { light: true });
  const dated = new Set((date?.words ?? []).flatMap((word) => terms(word)));
  const rest = all.filter(({ term }) => !dated.has(term));
  const asks = ASKS.test(text);
  const form = sentences(head(text, READ)).length > 1 ? "message" : "question";
  return {
    form,
    terms: rest.length > 0 ? rest : all,
    telling: queryTerms(text.replace(REFERS, " ")).flatMap(({ term }) =>
      isCommon(term) ? [] : term,
    ),
    date: rest.length > 0 ? date : undefined,
    asks,
    refers: REFERS.test(text),
    when: asks && WHEN.test(text),
    howMany: asks && HOW_MANY.test(text),
    whoOrWhere: asks && WHO_OR_WHERE.test(text),
    exact: exactParts(text, asks),
    list: asks && MANY.test(text) && !SUPPOSES.test(text),
    names: terms(namesOf(text).join(" ")),
    role: form === "message" ? "user" : roleAsked(text, asks),
  };
}

/** "What did I say" asks for the user's turns, "what did you say" for the assistant's. */
function roleAsked(text: string, asks: boolean): Question["role"] {
  const [own, yours] = [asks && OWN.test(text), asks && YOURS.test(text)];
  if (own === yours) return undefined;
  return own ? "user" : "assistant";
}

/** One form for a text that was wrapped, or typed in capitals. */
export const plainForm = (text: string): string => text.replace(/\s+/g, " ").trim().toLowerCase();

/** Does a text only ask the same again? No statement does: its words are what is looked for. */
export function sameQuestion(query: string): (text: string) => boolean {
  const asked = ASKS.test(query) ? terms(query).join(" ") : "";
  return (text) => asked !== "" && terms(text).join(" ") === asked;
}

function exactParts(text: string, asks: boolean): string[] {
  if (text.length > LONGEST_EXACT) return [];
  const whole = plainForm(text);
  if (!asks && whole.includes(" ")) return [whole];
  const named = identifiers(text).filter(({ kind }) => kind !== "number");
  return [...new Set(named.map((part) => plainForm(part.text)))];
}

/** A word of the question with what the index knows of it. */
export interface AskedTerm extends QueryTerm {
  /** How many turns hold it. */
  readonly holding: number;
  /** It is BM25's, among the turns of this root. */
  readonly idf: number;
  /** A word of a speaker's name: it says whose turns, not what about. */
  readonly speaker: boolean;
  /** It says what about: no speaker's name, or one where there is nothing else. */
  readonly counts: boolean;
  /**
   * What it weighs in the absolute share: a name by as many turns as the one so named has said,
   * another form of it as it itself.
   */
  readonly share: number;
  readonly telling: boolean;
}

/** The idf of BM25. */
export const rareness = (documents: number, holding: number): number =>
  Math.log(1 + (documents - holding + 0.5) / (holding + 0.5));

/** `frequencies` are those of the question's terms, then of the same as speakers' names. */
export function askedTerms(
  { terms: asked, telling }: Question,
  { documents, holding }: TurnFrequencies,
): AskedTerm[] {
  const said = holding.slice(asked.length);
  const onlyNames = said.every((turns) => turns > 0);
  return asked.map(({ term, loose }, at) => {
    const [held = 0, by = 0] = [holding[at], said[at]];
    const counts = onlyNames || by === 0;
    return {
      term,
      loose,
      holding: held,
      idf: rareness(documents, held),
      speaker: by > 0,
      counts,
      share: counts ? weightOf({ loose }, documents, onlyNames ? by : held) : 0,
      telling: telling.includes(term),
    };
  });
}

/**
 * Letters that a used word must share with one that was not used, and how many more or fewer it may
 * have.
 */
const [SHARED, APART] = [4, 3];

/**
 * A word that was not used gives way to one that begins alike: another form of it in a language
 * without stemmer here, a slip of the pen. English needs it seldom.
 */
export async function withForms(
  terms: readonly AskedTerm[],
  store: Storage,
  { root, documents }: { root: string; documents: number },
): Promise<AskedTerm[]> {
  return Promise.all(
    terms.map(async (asked) => {
      const { term, holding, speaker, loose } = asked;
      if (holding > 0 || speaker || loose || term.length <= SHARED || !/^\p{L}+$/u.test(term))
        return asked;
      const start = head(term, Math.max(SHARED, term.length - 2));
      const [best] = (await store.beginning({ root, start, limit: 20 }))
        // The word itself stands in no turn but the asker's own.
        .filter((form) => form.term !== term && Math.abs(form.term.length - term.length) <= APART)
        .sort((one, other) => alike(other.term, term) - alike(one.term, term));
      return best === undefined
        ? asked
        : { ...asked, ...best, idf: rareness(documents, best.holding) };
    }),
  );
}

function alike(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one.charAt(at) === other.charAt(at)) at += 1;
  return at;
}
