import { type Scope } from "../../model/identity.ts";
import { type Store, type Stored } from "../../model/store.ts";
import { corrects } from "../../text/corrected.ts";
import { contentTerms, queryTerms } from "../../text/terms.ts";
import { mayBeAlike, statement, wordShare } from "../sameness/alike.ts";
import { cosine } from "../meaning/cosine.ts";
import { type Step } from "./draft.ts";
import { type Meaning } from "../meaning/meaning.ts";
import { leastCosine } from "../meaning/alike.ts";
import { named } from "../sameness/named.ts";

/** Among so many of the likeliest is the one that words name, or none is. */
const CANDIDATES = 30;
/** What is alike lies nearer than all that is not. */
const NEAREST = 8;

/** What may be taken for the same. */
interface Alike {
  readonly scopes: readonly Scope[];
  readonly now: number;
  readonly meaning: Pick<Meaning, "vectorOf" | "reach"> | undefined;
  readonly fits: (row: Stored) => boolean;
}

/** The store as it will be once the steps planned so far are done: several drafts make one transaction. */
export function openDesk(store: Store) {
  const planned = new Map<string, Stored>();
  const ended = new Set<string>();
  const untouched = ({ memory }: Stored): boolean =>
    !planned.has(memory.id) && !ended.has(memory.id);

  return {
    async byKey(key: string, scope: Scope): Promise<Stored | undefined> {
      const own = [...planned.values()].find(
        ({ memory }) => memory.key === key && memory.scope === scope,
      );
      if (own !== undefined) return own;
      const found = await store.byKey(key, scope);
      return found !== undefined && untouched(found) ? found : undefined;
    },
    async same(digest: string, scopes: readonly Scope[]): Promise<Stored[]> {
      const own = [...planned.values()].filter(
        ({ memory, same }) => same === digest && scopes.includes(memory.scope),
      );
      return [...own, ...(await store.same(digest, scopes)).filter(untouched)];
    },
    /** The memory that says it in other words. Nothing is looked up where the embedder has no say, or words alone forbid it. */
    async alike(
      content: string,
      { scopes, now, meaning, fits }: Alike,
    ): Promise<Stored | undefined> {
      const [reach, vector] = [meaning?.reach(), meaning?.vectorOf(content)];
      const said = reach === undefined || vector === undefined ? undefined : statement(content);
      if (
        meaning === undefined ||
        reach === undefined ||
        vector === undefined ||
        said === undefined
      )
        return undefined;
      const stored = (await store.vectors.nearest({ scopes, now, limit: NEAREST, vector })).flatMap(
        ({ cosine: near, terms: _terms, ...row }) => {
          const own = planned.get(row.memory.id);
          return ended.has(row.memory.id) ||
            (own !== undefined && own.memory.content !== row.memory.content)
            ? []
            : [{ near, row: own ?? row }];
        },
      );
      const own = [...planned.values()].flatMap((row) => {
        const beside = meaning.vectorOf(row.memory.content);
        return beside === undefined || !scopes.includes(row.memory.scope)
          ? []
          : [{ near: cosine(vector, beside), row }];
      });
      const nearest = [...stored, ...own]
        .filter(({ row }) => fits(row))
        .sort((one, other) => other.near - one.near);
      return nearest.find(({ near, row }) => {
        const other = statement(row.memory.content);
        return (
          other !== undefined &&
          mayBeAlike(said, other) &&
          near > leastCosine(wordShare(said, other), reach)
        );
      })?.row;
    },
    /** The memory that words describe without repeating them. */
    async named(words: string, scope: Scope, now: number): Promise<Stored | undefined> {
      const terms = queryTerms(words).map(({ term }) => ({ term, weight: 1 }));
      if (terms.length === 0) return undefined;
      return named(
        words,
        (await store.candidates({ scopes: [scope], now, terms, limit: CANDIDATES })).filter(
          untouched,
        ),
      );
    },
    /** What a correction makes untrue. */
    async corrected(correction: string, scope: Scope, now: number): Promise<Stored[]> {
      const terms = contentTerms(correction).terms.map((term) => ({ term, weight: 1 }));
      if (terms.length === 0) return [];
      const found = await store.candidates({ scopes: [scope], now, terms, limit: CANDIDATES });
      const rows = [
        ...found.filter(untouched),
        ...[...planned.values()].filter(({ memory }) => memory.scope === scope),
      ];
      return rows.filter(({ memory }) => corrects(correction, memory.content));
    },
    note: ({ row }: Step): unknown => planned.set(row.memory.id, row),
    end(id: string): void {
      planned.delete(id);
      ended.add(id);
    },
  };
}

export type Desk = ReturnType<typeof openDesk>;
