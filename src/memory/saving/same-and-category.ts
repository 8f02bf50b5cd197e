import type { Scope } from "../../core/identity.ts";
import { digest } from "../../core/text/cut.ts";
import { kindOf } from "../../core/text/identifiers.ts";
import { fold, queryTerms } from "../../core/text/terms.ts";
import type { Storage } from "../../storage/port.ts";
import type { CategoryWords } from "../../storage/search-index.ts";

/**
 * A fact that says the same in the same words has one digest. A text of signs only has no words to
 * compare, so it is its own.
 */
export const sameness = (content: string): string => digest(canonical(content) || content.trim());

/** Longer runs are data, not words. */
const LONGEST_WORD = 400;

/**
 * A text without what does not change its meaning: case, white space, the punctuation around its
 * words, and the form of its characters. Figures and all else stay as they are written, in order.
 */
export const canonical = (content: string): string =>
  content
    .normalize("NFKC")
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/[\u201c\u201d\u00ab\u00bb]/g, '"')
    .replace(/\u2212/g, "-")
    .split(/\s+/u)
    .map(plain)
    .filter((word) => word !== "")
    .join(" ");

/** Signs before a word may be part of it ("-5", ".env", "!x"), as a question mark behind it is. */
function plain(word: string): string {
  if (word.length > LONGEST_WORD) return word;
  if (/^[-\u2013\u2014]+$/.test(word)) return "";
  const bare = word.replace(/^["'`*,;:]+/, "").replace(/["'`*,;:.!…。、]+$/u, "");
  // Capitals inside a word, or beside figures, tell it from others: "Hunter2".
  return /\d|^\P{Ll}*\p{Ll}.*\p{Lu}|[^\p{L}']\p{Lu}/u.test(bare) ? bare : bare.toLowerCase();
}

/**
 * What statements of a built-in category say whatever they are about: the words with which one
 * decides, prefers, warns. Topics are learnt from the members, never seeded. A word behind "!" is
 * enough by itself, of the others it takes two; "^" is the first word of a text, as in "Never
 * deploy on Fridays". In the forms they have, since "enjoys" tells of a preference and "enjoying"
 * of anything.
 */
export const SEEDS: Readonly<Record<string, string>> = {
  decision:
    "!decided !chose !opted !^chose !^switched decision agreed settled adopted selected " +
    "switched chosen picked instead dropped",
  preference:
    "!prefers !prefer !preference !preferences !favourite !favorite !likes !loves !hates " +
    "!dislikes !enjoys love hate rather wants",
  principle:
    "!^always !^never !^avoid !^don't !principle !forbidden always never must rule should only " +
    "policy every",
  procedure:
    "!^run !^restart !^first !procedure !workflow steps step run then finally before execute " +
    "restart",
  incident:
    "!incident !outage !crashed failed failure down broke broken timeout rollback alert alerts " +
    "unavailable error",
  "mistake-pattern":
    "!mistake !mistakes !forgot !wrongly !misread !misunderstood !pitfall confused forgets " +
    "forgetting mixed wrong repeatedly assumed again same",
  "best-practice":
    "!lesson recommended !tip practice recommend useful helps works better best well",
  "codebase-knowledge":
    "!@path !module !repository !repo !endpoint !endpoints !codebase function class schema " +
    "file files directory package packages imports defined component table column config api " +
    "tests",
  core:
    "!birthday !born !allergic lives married wife husband name called works address email phone " +
    "daughter daughters son sons mother father cat dog",
  daily:
    "!today !yesterday !tomorrow !tonight morning afternoon evening meeting appointment lunch " +
    "dinner schedule",
  conversation:
    "!talked !discussed !chatted asked conversation mentioned told said explained suggested",
};

const LOUDNESS = { loud: 1, quiet: 0.25 } as const;

/** By cue: the categories it speaks for, and how loudly. */
const SEEDED = Map.groupBy(
  Object.entries(SEEDS).flatMap(([category, words]) =>
    words.split(" ").map((word) => ({
      category,
      cue: `=${word.replace(/^!/, "")}`,
      loudness: word.startsWith("!") ? LOUDNESS.loud : LOUDNESS.quiet,
    })),
  ),
  ({ cue }) => cue,
);

/** Only the beginning of a page says its sort. */
const MOST_CHARACTERS = 2_000;

/** The cues a text holds; none can be taken for a term, as terms hold no "=". */
function cuesOf(text: string): string[] {
  const beginning = text.slice(0, MOST_CHARACTERS);
  const words = fold(beginning).match(/[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*/gu) ?? [];
  const path = beginning
    .split(/\s+/u)
    .some(
      (word) =>
        /[/.]/.test(word) && kindOf(word.replace(/^["'`(]+|[.,;:!?"'`)]+$/g, "")) === "path",
    );
  return [
    ...(path ? ["=@path"] : []),
    ...(words[0] === undefined ? [] : [`=^${words[0]}`]),
    ...words.map((word) => `=${word}`),
  ].filter((cue) => SEEDED.has(cue));
}

export const GENERAL = "general";

/** A wrong drawer is worse than none. */
const LEAST_CLEAR = {
  share: 0.6,
  /** How much they say: one loud seed word, or several that members share. */
  voice: 0.7,
} as const;
/**
 * Members whose word counts half: one member's words are its own, those of many are the category's.
 */
const MEMBERS = 3;
/** Members a seed word stands for. */
const SEED = 8;

/**
 * The category whose members speak like this, `general` when none clearly does. A word speaks for a
 * category by the share of its members that use it, beside the shares of the others'; a word they
 * use alike says nothing. `general` is no drawer, but what its members say as well tells less.
 */
export function nearest(terms: readonly string[], learnt: readonly CategoryWords[]): string {
  const add = (to: Map<string, number>, category: string, more: number): unknown =>
    to.set(category, (to.get(category) ?? 0) + more);
  const voices = new Map<string, number>();
  let all = 0;
  terms.forEach((term, at) => {
    const rates = new Map<string, number>();
    let [holders, usual] = [0, 0];
    for (const { category, documents, holding } of learnt) {
      const held = holding[at] ?? 0;
      const rate = held / (documents + MEMBERS);
      if (category === GENERAL) usual = rate;
      else if (held > 0) {
        add(rates, category, rate);
        holders += held;
      }
    }
    for (const { category, loudness } of SEEDED.get(term) ?? []) {
      add(rates, category, loudness);
      holders += SEED * loudness;
    }
    const named = [...rates.values()].reduce((total, rate) => total + rate, 0);
    // A word that no category's members say tells nothing, however often it is said.
    if (named === 0) return;
    const sum = named + usual;
    const purity = Math.max(...rates.values()) / sum;
    const weight = (holders / (holders + MEMBERS)) * purity ** 2;
    all += weight;
    for (const [category, rate] of rates) add(voices, category, (weight * rate) / sum);
  });
  const [[category, voice] = [GENERAL, 0]] = [...voices].sort(
    ([one, voice], [other, beside]) => beside - voice || (one < other ? -1 : 1),
  );
  return voice / all >= LEAST_CLEAR.share && voice >= LEAST_CLEAR.voice ? category : GENERAL;
}

/** The first words say what a text is; a page is about many things. */
const MOST_TERMS = 64;

/** A text tells its category by the seeds' cues and its words of content. */
export const termsForCategory = (content: string): string[] =>
  [...new Set([...cuesOf(content), ...queryTerms(content).map(({ term }) => term)])].slice(
    0,
    MOST_TERMS,
  );

/**
 * The category of a memory that was given none: that of the members of its scope that speak the
 * like, else "general".
 */
export async function categoryFor(
  store: Pick<Storage, "frequencies">,
  { content, scope }: { content: string; scope: Scope },
): Promise<string> {
  const own = termsForCategory(content);
  return nearest(
    own,
    own.length === 0 ? [] : await store.frequencies("categories", { scope, terms: own }),
  );
}
