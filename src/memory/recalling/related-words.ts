import { sentences } from "../../core/text/sentences.ts";
import { type QueryTerm, queryTerms, terms } from "../../core/text/terms.ts";
import type { Frequencies, WeightedChoice } from "../../storage/search-index.ts";
import type { Match } from "../meaning/embeddings.ts";
import { thingsOf } from "./kinds.ts";
import { type Counts, covering, idf, weigh } from "./word-weights.ts";

/**
 * Words of everyday English and of work with software that are used for each other: who broke a
 * tooth asks for the dentist, and who ships a release deploys. A closed list of common knowledge;
 * for another language it is silent.
 */
const GROUPS = `
tooth teeth toothache dentist dental
doctor physician gp clinic surgery ill sick fever
medicine medication pill prescription drug antibiotics penicillin allergic allergy
child children kid son daughter baby toddler
wife husband partner spouse
mom mum mother dad father parents
wifi wlan wireless internet online
money budget cost price spend afford expensive cheap
boss manager supervisor
home house apartment flat address live moved
music band song album concert
car vehicle drive garage
food meal dinner lunch breakfast dish recipe cook restaurant dessert snack \
vegetarian vegan allergic allergy diet
trip travel vacation holiday flight fly journey destination hotel
job work shift employer company career profession
meeting appointment calendar schedule
phone telephone mobile
email mail inbox
gym workout exercise fitness
school teacher grade homework
birthday born
wedding marry married marriage
weekend saturday sunday
vet veterinarian
lawyer attorney solicitor
haircut hairdresser barber
salary wage income earn
rubbish trash garbage bin
pharmacy pharmacist chemist
bike bicycle
laptop computer pc
film movie cinema
sofa couch
grandma grandmother grandpa grandfather grandparents
pregnant pregnancy
university uni college
spring march april
summer june july august
autumn september october november
winter december january february
database db postgres postgresql mysql sqlite
ci pipeline build
deploy deployment release ship rollout production
package dependency npm pnpm yarn
editor ide vscode vim
repo repository git github gitlab
error bug crash exception failure
docs documentation readme manual
style format formatting indentation tabs spaces
`;

/** By term, those that are used for it, itself among them. */
const USED_FOR = new Map<string, Set<string>>();
for (const group of GROUPS.split("\n")) {
  const words = new Set(terms(group));
  for (const word of words) USED_FOR.set(word, (USED_FOR.get(word) ?? words).union(words));
}

/**
 * What a related word is worth of the word that was asked, where others use that. One that is never
 * used weighs half anyway.
 */
const RELATED = 0.5;
/** What is worth less of the question is not looked for, though it counts where it stands. */
const LEAST_SOUGHT = 0.03;
/** And a thing of the general word that was asked, such as a piano of instruments. */
const THING = 0.2;
/** The same where the general word itself is used nowhere. */
const THING_ALONE = 0.7;

/** Words that stand for one that was asked: the dentist for a tooth. */
interface Otherwise {
  readonly asked: string;
  readonly words: ReadonlySet<string>;
  /** They are worth so much of it, 0…1. */
  readonly share: number;
}

/**
 * The ways memories may write the question's words. Where a word itself is used nowhere, only those
 * that are.
 */
export async function otherwise(
  asked: readonly QueryTerm[],
  { holding }: Counts,
  frequencies: (words: readonly string[]) => Promise<Frequencies>,
): Promise<Otherwise[]> {
  const ways = asked.flatMap(({ term }) => related(term));
  const isUsed = ({ asked: term }: Otherwise): boolean => (holding.get(term) ?? 0) > 0;
  const words = ways.flatMap((way) => (isUsed(way) ? [] : [...way.words]));
  if (words.length === 0) return ways;
  const found = await frequencies(words);
  const used = new Set(words.filter((_, at) => (found.holding[at] ?? 0) > 0));
  return ways
    .map((way) => (isUsed(way) ? way : unused(way, used)))
    .filter((way) => way.words.size > 0);
}

/** No list of things is complete: one of it outweighs no name that was asked. */
const unused = (way: Otherwise, used: ReadonlySet<string>): Otherwise => ({
  ...way,
  words: way.words.intersection(used),
  share: way.share === THING ? THING_ALONE : 1,
});

function related(term: string): Otherwise[] {
  const alike = (USED_FOR.get(term) ?? new Set<string>()).difference(new Set([term]));
  const things = (thingsOf(term) ?? new Set<string>()).difference(alike);
  return [
    { asked: term, words: alike, share: RELATED },
    { asked: term, words: things.difference(new Set([term])), share: THING },
  ].filter(({ words }) => words.size > 0);
}

/** The worth, of each asked word, of the words of a memory that stand for it. */
function standFor(
  words: readonly string[],
  ways: readonly Otherwise[],
): ReadonlyMap<string, number> {
  const worth = new Map<string, number>();
  for (const way of ways)
    if (words.some((word) => way.words.has(word)))
      worth.set(way.asked, Math.max(worth.get(way.asked) ?? 0, way.share));
  return worth;
}

/** Parts of a question that are asked one by one; a longer text is a document. */
const PARTS = 60;
/** To answer one part of several is worth less than to answer the whole. */
const PART_SHARE = 0.8;
/** A part that a memory answers by less than this, it answers by chance. */
const LEAST_SHARE = 0.4;
/** A part weighs at least so many words that were not used: one word of it is not yet the whole. */
const LEAST_WORDS = 1.2;
/** A sentence turns to something else there. */
const TURN = /[,;:–—]\s|\s-\s|\s(?:and|but|so|because)\s|[，；：、]/giu;

/** A question as it is asked of memory: the whole, and each thing it says. */
interface AskedParts {
  readonly whole: readonly QueryTerm[];
  readonly parts: readonly (readonly QueryTerm[])[];
  /** The different words of both. */
  readonly terms: readonly QueryTerm[];
}

/**
 * What a question asks. People tell before they ask, and a task names the thing it falls under in
 * one of many sentences.
 */
export function askedIn(query: string): AskedParts {
  const whole = queryTerms(query);
  const said = sentences(query).flatMap(({ text }) => text.split(TURN));
  const parts = (said.length < 2 ? [] : said)
    .map((part) => queryTerms(part))
    .filter((part) => part.length > 0)
    .slice(0, PARTS);
  const different = new Map([whole, ...parts].flat().map((asked) => [asked.term, asked]));
  return { whole, parts, terms: [...different.values()] };
}

/** How the words of a memory are compared with the question. */
export interface Comparing {
  /** How far the words answer the question, or its best part; and all they say to it. */
  readonly of: (terms: readonly string[]) => Match;
  /** The words to look for. */
  readonly terms: readonly WeightedChoice[];
}

export function comparing(
  { whole, parts }: AskedParts,
  counts: Counts,
  ways: readonly Otherwise[],
): Comparing {
  const meant = new Set(ways.map(({ asked }) => asked));
  const one = weigh(whole, counts, meant);
  const least = LEAST_WORDS * idf(counts.documents, 0) ** 2;
  const several = parts
    .map((part) => weigh(part, counts, meant))
    .filter((part) => part.terms.length > 0)
    .map((part) => ({ ...part, total: Math.max(part.total, least) }));
  const known = new Map(
    [one, ...several].flatMap((part) =>
      part.terms.map(({ term, weight }): [string, number] => [term, weight]),
    ),
  );
  const written = ways.flatMap(({ asked, words, share }): WeightedChoice[] => {
    const weight = share * (known.get(asked) ?? 0);
    const [term, ...or] = words.difference(known);
    return term === undefined || weight < LEAST_SOUGHT * one.total ? [] : [{ term, or, weight }];
  });
  return {
    terms: [...written, ...Array.from(known, ([term, weight]) => ({ term, weight }))],
    of: (words) => {
      const worth = standFor(words, ways);
      const { share, strength } = covering(words, one, worth);
      const best = Math.max(0, ...several.map((part) => covering(words, part, worth).share));
      const answer = one.isAnswered(words, worth)
        ? Math.max(share, best >= LEAST_SHARE ? PART_SHARE * best : 0)
        : 0;
      return { words: answer, meaning: 0, strength };
    },
  };
}
