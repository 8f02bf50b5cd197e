import type { Scope } from "../../core/identity.ts";
import { lessTrusted, type Memory, type Stored } from "../../core/memory.ts";
import { digest } from "../../core/text/cut.ts";
import { kindOf } from "../../core/text/identifiers.ts";
import { fold, queryTerms } from "../../core/text/terms.ts";
import { methods } from "../../storage/methods.ts";
import type { Storage } from "../../storage/port.ts";
import type { CategoryWords } from "../../storage/search-index.ts";
import { saysChange } from "../recalling/outdated.ts";

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

/** Among so many of the likeliest are those that a fact makes untrue. */
const CANDIDATES = 60;

export type Lookups = Pick<Storage, "find" | "candidates" | "frequencies">;

/** What was asked once is known: all that many drafts look up can be asked for at once before. */
export function askedOnce(store: Lookups): Lookups {
  const known = new Map<string, unknown>();
  return methods(["find", "candidates", "frequencies"], (call, name, given) => {
    const asked = name + JSON.stringify(given);
    if (!known.has(asked)) known.set(asked, call(store));
    return known.get(asked);
  });
}

/**
 * The store as it will be once the steps planned so far are done: several drafts make one
 * transaction.
 */
export function plannedStore(store: Lookups) {
  const planned = new Map<string, Stored>();
  const ended = new Set<string>();
  const untouched = ({ memory: { id } }: Stored): boolean => !planned.has(id) && !ended.has(id);
  const own = (isMeant: (row: Stored) => boolean): Stored[] =>
    [...planned.values()].filter(isMeant);

  return {
    async byKey(key: string | undefined, scope: Scope): Promise<Stored | undefined> {
      if (key === undefined) return undefined;
      const [mine] = own(({ memory }) => memory.key === key && memory.scope === scope);
      if (mine !== undefined) return mine;
      const [found] = await store.find({ scopes: [scope], key });
      return found !== undefined && untouched(found) ? found : undefined;
    },
    byId: async (id: string, scopes: readonly Scope[]): Promise<Stored[]> =>
      (await store.find({ scopes, id })).filter(untouched),
    async same(digest: string, scopes: readonly Scope[]): Promise<Stored[]> {
      const mine = own(({ memory, same }) => same === digest && scopes.includes(memory.scope));
      return [...mine, ...(await store.find({ scopes, same: digest })).filter(untouched)];
    },
    /**
     * What stands in the scope and has words of it. Of what is told with it in one answer both
     * hold, unless it says that something is otherwise.
     */
    async akin(content: string, { scope, now }: { scope: Scope; now: number }): Promise<Stored[]> {
      const terms = queryTerms(content).map(({ term }) => ({ term, weight: 1 }));
      const mine = own(({ memory }) => memory.scope === scope && saysChange(content));
      if (terms.length === 0) return mine;
      const asked = { scopes: [scope], now, terms, limit: CANDIDATES };
      return [...(await store.candidates("memories", asked)).filter(untouched), ...mine];
    },
    categoryFor: (draft: { content: string; scope: Scope }) => categoryFor(store, draft),
    add: (row: Stored): unknown => planned.set(row.memory.id, row),
    end(id: string): void {
      planned.delete(id);
      ended.add(id);
    },
  };
}

export type PlannedStore = ReturnType<typeof plannedStore>;

/** A value said in this minute is said now; under a clock that was set back as well. */
const SAID_NOW = 60_000;

/** The value under a draft's key that began later than what the draft tells of. */
export async function laterThan(
  planned: PlannedStore,
  draft: Pick<Memory, "scope" | "at" | "origin"> & { same: string; key?: string | undefined },
  now: number,
): Promise<Stored | undefined> {
  const { key, scope, at, same, origin } = draft;
  const held = await planned.byKey(key, scope);
  if (held === undefined || at > now - SAID_NOW || at >= held.validFrom || held.same === same)
    return undefined;
  return lessTrusted(origin, held.memory.origin) ? undefined : held;
}
