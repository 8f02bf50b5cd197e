import { type Scope } from "../model/identity.ts";
import { type Store } from "../model/store.ts";
import { kindOf } from "../text/identifiers.ts";
import { queryTerms, terms } from "../text/terms.ts";
import { SEEDED } from "./category-seeds.ts";
import { type Meaning } from "./meaning.ts";
import { GENERAL, nearest, nearestByMeaning } from "./near.ts";

/** The first words say what a text is; a page is about many things. */
const MOST_TERMS = 64;

/** The words of a text that can tell its category: those of content, the seeds' own, and that it names files. */
export function termsForCategory(content: string): string[] {
  const about = queryTerms(content).map(({ term }) => term);
  const cues = terms(content).filter((term) => SEEDED.has(term));
  const named = /\S+/gu[Symbol.match](content)?.some((word) => ["path", "symbol"].includes(kindOf(word.replace(/[.,;:]+$/, "")) ?? "")) ?? false;
  return [...new Set([...(named ? ["file"] : []), ...cues, ...about])].slice(0, MOST_TERMS);
}

/** The category of a memory that was given none: that of the members of its scope that mean or speak the like, else "general". */
export async function categoryFor(store: Store, { content, scope }: { content: string; scope: Scope }, meaning?: Meaning): Promise<string> {
  const vector = meaning?.vectorOf(content);
  const judge = meaning?.judge();
  if (vector !== undefined && judge !== undefined) {
    const category = nearestByMeaning(vector, await store.vectors.categories([scope]), judge);
    if (category !== GENERAL) return category;
  }
  const own = termsForCategory(content);
  return nearest(own, own.length === 0 ? [] : await store.categories(scope, own));
}
