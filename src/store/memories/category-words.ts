import { type CategoryWords } from "../../model/store.ts";
import { queryTerms } from "../../text/terms.ts";
import { type Connection } from "../sqlite/database.ts";

/** A value as its category counts it. */
interface Member {
  readonly scope: number;
  readonly category: string;
  readonly content: string;
  readonly sorted: number;
}

/** What the members of each category are about: the terms they hold, counted as members come and go. */
export function categoryWords(database: Connection) {
  const members = database.prepare(
    "insert into category_members (scope, category, members) values (@scope, @category, max(0, @by)) on conflict (scope, category) do update set members = members + @by",
  );
  const term = database.prepare(
    "insert into category_term (scope, term, category, members) values (@scope, @term, @category, max(0, @by)) on conflict (scope, term, category) do update set members = members + @by",
  );
  const noMembers = database.prepare(
    "delete from category_members where scope = @scope and category = @category and members <= 0",
  );
  const noTerm = database.prepare(
    "delete from category_term where scope = @scope and term = @term and category = @category and members <= 0",
  );
  const held = database.prepare(
    "select category, term, members from category_term where scope = ? and term in (select value from json_each(?))",
  );
  const sizes = database.prepare("select category, members from category_members where scope = ?");

  /** A member comes or goes. Terms that no member holds any more leave no trace. */
  function count({ scope, category, content, sorted }: Member, by: 1 | -1): void {
    if (sorted === 1) return;
    members.run({ scope, category, by });
    const own = queryTerms(content).map((asked) => asked.term);
    for (const name of own) term.run({ scope, category, term: name, by });
    if (by === 1) return;
    for (const name of own) noTerm.run({ scope, category, term: name });
    noMembers.run({ scope, category });
  }

  return {
    count,
    move(was: Member, { category, sorted }: { category: string; sorted: number }): void {
      count(was, -1);
      count({ ...was, category, sorted }, 1);
    },
    of(scope: number, terms: readonly string[]): CategoryWords[] {
      const known = sizes.all(scope) as { category: string; members: number }[];
      if (known.length === 0) return [];
      const places = new Map(terms.map((name, at) => [name, at]));
      const found = new Map<string, number[]>();
      for (const row of held.all(scope, JSON.stringify(terms)) as {
        category: string;
        term: string;
        members: number;
      }[]) {
        const holding = found.get(row.category) ?? terms.map(() => 0);
        holding[places.get(row.term) ?? 0] = row.members;
        found.set(row.category, holding);
      }
      return known.flatMap(({ category, members: size }) => {
        const holding = found.get(category);
        return holding === undefined ? [] : [{ category, members: size, holding }];
      });
    },
  };
}

export type CategoryCounts = ReturnType<typeof categoryWords>;
