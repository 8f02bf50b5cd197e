import { type Scope } from "../../model/identity.ts";
import { type Store } from "../../model/store.ts";
import { queryTerms } from "../../text/terms.ts";
import { cuesOf } from "./seeds.ts";
import { type Meaning } from "../meaning/meaning.ts";
import { GENERAL, nearest, nearestByMeaning } from "./near.ts";

/** The first words say what a text is; a page is about many things. */
const MOST_TERMS = 64;

/** What in a text can tell its category: the seeds' cues, and its words of content. */
export const termsForCategory = (content: string): string[] =>
  [...new Set([...cuesOf(content), ...queryTerms(content).map(({ term }) => term)])].slice(
    0,
    MOST_TERMS,
  );

/** The category of a memory that was given none: that of the members of its scope that mean or speak the like, else "general". */
export async function categoryFor(
  store: Store,
  { content, scope }: { content: string; scope: Scope },
  meaning?: Meaning,
): Promise<string> {
  const vector = meaning?.vectorOf(content);
  const judge = meaning?.judge();
  if (vector !== undefined && judge !== undefined) {
    const category = nearestByMeaning(vector, await store.vectors.categories([scope]), judge);
    if (category !== GENERAL) return category;
  }
  const own = termsForCategory(content);
  return nearest(own, own.length === 0 ? [] : await store.categories(scope, own));
}
