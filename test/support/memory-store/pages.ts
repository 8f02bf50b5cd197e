import type { Scope } from "../../../src/model/identity.ts";
import type {
  FoundChunk,
  IndexedPage,
  PageIndex,
  PageTerm,
} from "../../../src/model/page-index.ts";
import { terms } from "../../../src/text/terms.ts";

type Ask = <T>(work: () => T) => Promise<T>;
const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Pages of a store in memory: every question walks through the scopes' chunks. */
export function memoryPages(ask: Ask): PageIndex {
  const pages = new Map<string, IndexedPage>();
  const keyOf = (scope: Scope, path: string): string => JSON.stringify([scope, path]);
  const chunksOf = (scopes: readonly Scope[]): FoundChunk[] =>
    [...pages.values()]
      .filter(({ scope }) => scopes.includes(scope))
      .flatMap(({ scope, path, kind, chunks }) =>
        chunks.map(({ passages }) => ({
          ...{ scope, path, kind, weight: 0 },
          passages: passages.map((passage) => ({
            ...passage,
            terms: [...terms(passage.heading), ...terms(passage.text)].join(" "),
          })),
        })),
      );
  const holds = ({ passages }: FoundChunk, { term, open }: PageTerm): boolean =>
    passages.some((passage) =>
      passage.terms.split(" ").some((word) => word === term || (open && word.startsWith(term))),
    );

  return {
    known: (scope) =>
      ask(() =>
        [...pages.values()]
          .filter((page) => page.scope === scope)
          .map(({ path, stamp }) => ({ path, stamp }))
          .sort((one, other) => (one.path < other.path ? -1 : 1)),
      ),
    version: (scope) =>
      ask(() => JSON.stringify([...pages.keys()].filter((key) => key.includes(scope)))),
    put: (given) =>
      ask(() => given.forEach((page) => pages.set(keyOf(page.scope, page.path), page))),
    remove: (scope, paths) =>
      ask(() => {
        for (const [key, page] of pages)
          if (page.scope === scope && (paths?.includes(page.path) ?? true)) pages.delete(key);
      }),
    frequencies: (scopes, asked) =>
      ask(() => {
        const chunks = chunksOf(scopes);
        return asked.map((term) => chunks.filter((chunk) => holds(chunk, term)).length);
      }),
    candidates: ({ scopes, terms: asked, least, limit }) =>
      ask(() =>
        chunksOf(scopes)
          .map((chunk) => ({
            ...chunk,
            weight: asked.reduce((sum, term) => sum + (holds(chunk, term) ? term.weight : 0), 0),
          }))
          .filter(({ weight }) => weight > 0 && weight >= least)
          .reverse()
          .sort((one, other) => other.weight - one.weight)
          .slice(0, limit),
      ),
    containing: ({ scopes, text, limit }) =>
      ask(() =>
        chunksOf(scopes)
          .filter(({ passages }) =>
            passages.some((passage) => lower(passage.text).includes(lower(text))),
          )
          .slice(0, limit),
      ),
  };
}
