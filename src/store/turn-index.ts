import { type Frequencies, type TurnCandidate, type TurnRow, type WeightedTerm } from "../model/store.ts";
import { terms } from "../text/terms.ts";
import { type Connection } from "./database.ts";
import { splitTerms } from "./memory-rows.ts";
import { termIndex } from "./term-index.ts";

interface Row {
  row: number;
  root: number;
  id: string;
  session: string;
  position: number;
  role: string;
  name: string | null;
  text: string;
  at: number;
  ref: string | null;
  terms: string;
}

/** A longer turn is a dumped file: 100,000 characters take 20 ms to read. The text itself is kept whole. */
const READ_CHARACTERS = 100_000;
const termsOf = ({ name, text }: TurnRow): string[] => terms(`${name ?? ""} ${text.slice(0, READ_CHARACTERS)}`);

/** Searchable turns, by root. */
export function turnTable(database: Connection) {
  const index = termIndex(database, "turn_index");
  const findRoot = database.prepare("select number, turns from root where name = ?");
  const addRoot = database.prepare("insert into root (name) values (?)");
  const count = database.prepare("update root set turns = turns + ? where number = ?");
  const insert = database.prepare(
    `insert into turn (root, id, session, position, role, name, text, at, ref, terms)
     values (@root, @id, @session, @position, @role, @name, @text, @at, @ref, @terms)`,
  );
  const known = database.prepare("select * from turn where root = ? and id = ?");
  const ofSession = database.prepare("select t.* from turn t join root r on r.number = t.root where t.session = @session and (@root is null or r.name = @root)");
  const erase = database.prepare("delete from turn where row = ?");
  const getCursor = database.prepare("select row from cursor where name = 'history'").pluck();
  const setCursor = database.prepare("insert into cursor (name, row) values ('history', ?) on conflict (name) do update set row = excluded.row");

  const rootOf = (name: string): { number: number; turns: number } | undefined => findRoot.get(name) as { number: number; turns: number } | undefined;

  function take(row: Row): void {
    index.drop(row.row, `${row.root}`, splitTerms(row.terms));
    erase.run(row.row);
    count.run(-1, row.root);
  }

  return {
    add: database.transaction((rows: readonly TurnRow[], cursor?: number): void => {
      for (const turn of rows) {
        const root = rootOf(turn.root)?.number ?? Number(addRoot.run(turn.root).lastInsertRowid);
        const old = known.get(root, turn.id) as Row | undefined;
        if (old !== undefined) take(old);
        const found = termsOf(turn);
        const { id, session, position, role, text, at } = turn;
        const { lastInsertRowid } = insert.run({ root, id, session, position, role, name: turn.name ?? null, text, at, ref: turn.ref ?? null, terms: found.join(" ") });
        index.add(lastInsertRowid, `${root}`, found);
        count.run(1, root);
      }
      if (cursor !== undefined) setCursor.run(cursor);
    }).immediate,

    frequencies(name: string, asked: readonly string[]): Frequencies {
      const root = rootOf(name);
      if (root === undefined) return { documents: 0, holding: asked.map(() => 0) };
      return { documents: root.turns, holding: index.holding([`${root.number}`], asked) };
    },

    search({ root: name, terms: asked, limit }: { root: string; terms: readonly WeightedTerm[]; limit: number }): TurnCandidate[] {
      const root = rootOf(name);
      const weighed = root && index.weighed([`${root.number}`], asked);
      if (weighed === undefined) return [];
      const rows = database
        .prepare(`select t.* from turn t join (${weighed.sql}) w on w.row = t.row order by w.weight desc, t.at, t.row limit ?`)
        .all(...weighed.values, limit) as Row[];
      return rows.map((row) => ({
        id: row.id,
        session: row.session,
        root: name,
        position: row.position,
        role: row.role,
        ...(row.name === null ? {} : { name: row.name }),
        text: row.text,
        at: row.at,
        ...(row.ref === null ? {} : { ref: row.ref }),
        terms: splitTerms(row.terms),
      }));
    },

    remove: database.transaction(({ session, root }: { session: string; root?: string }): number => {
      const rows = ofSession.all({ session, root: root ?? null }) as Row[];
      rows.forEach(take);
      return rows.length;
    }).immediate,

    cursor: (): number => (getCursor.get() as number | undefined) ?? 0,
  };
}
