import type { CategoryWords } from "../../model/search-index.ts";
import { queryTerms } from "../../text/terms.ts";
import type { Desk } from "../sqlite/database.ts";

/** A value as its category counts it. */
export interface Member {
  readonly scope: number;
  readonly category: string;
  readonly content: string;
  readonly sorted: number;
}

/**
 * What the members of each category are about: the terms they hold, counted as members come and go.
 */
export function categoryWords({ run, rows }: Desk) {
  const members = run(
    `insert into category_members (scope, category, members)
      values (@scope, @category, max(0, @by)) on conflict (scope, category) do update
      set members = members + @by`,
  );
  // One by one: before an insert of several rows SQLite has the index of words written out, and one
  // of many small pieces is slow to search.
  const counted = run(
    `insert into category_term (scope, term, category, members)
      values (@scope, @term, @category, max(0, @by))
      on conflict (scope, term, category) do update set members = members + @by`,
  );
  const noMembers = run(
    "delete from category_members where scope = @scope and category = @category and members <= 0",
  );
  const noTerms = run(
    `delete from category_term where scope = @scope
      and term in (select value from json_each(@terms)) and category = @category and members <= 0`,
  );
  const held = rows<Omit<CategoryWords, "holding"> & { term: string }>(
    `select category, term, members as documents from category_term where scope = ?
      and term in (select value from json_each(?))`,
  );
  const sizes = rows<Omit<CategoryWords, "holding">>(
    "select category, members as documents from category_members where scope = ?",
  );

  /** A member comes or goes. Terms that no member holds any more leave no trace. */
  function count({ scope, category, content, sorted }: Member, by: 1 | -1): void {
    if (sorted === 1) return;
    members({ scope, category, by });
    const terms = queryTerms(content).map(({ term }) => term);
    for (const term of terms) counted({ scope, category, term, by });
    if (by === 1) return;
    noTerms({ scope, category, terms: JSON.stringify(terms) });
    noMembers({ scope, category });
  }

  return {
    count,
    move(was: Member, { category, sorted }: Member): void {
      count(was, -1);
      count({ ...was, category, sorted }, 1);
    },
    of(scope: number, terms: readonly string[]): CategoryWords[] {
      const known = sizes(scope);
      if (known.length === 0) return [];
      const found = Map.groupBy(held(scope, terms), ({ category }) => category);
      return known.flatMap((size) => {
        const own = new Map(found.get(size.category)?.map((row) => [row.term, row.documents]));
        return own.size === 0
          ? []
          : [{ ...size, holding: terms.map((name) => own.get(name) ?? 0) }];
      });
    },
  };
}

export type CategoryCounts = ReturnType<typeof categoryWords>;
