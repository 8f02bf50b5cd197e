import { terms } from "../../text/terms.ts";
import { categoryWords } from "../memories/category-words.ts";
import { ownerOf } from "../memories/write.ts";
import { type Connection, deskOf } from "../sqlite/database.ts";
import { scopeTable, termRows } from "../sqlite/scopes.ts";

interface ValueRow {
  readonly row: number;
  readonly scope: number;
  readonly category: string;
  readonly content: string;
  readonly sorted: number;
  readonly validTo: number | null;
}

/** Of past turns and pages nothing is made here: a search reads them anew. */
const EMPTIED = `
  insert into memory_index (memory_index) values ('delete-all');
  insert into page_index (page_index) values ('delete-all');
  delete from category_members; delete from category_term; update scope set memories = 0;
  delete from turn_place; delete from turn_word; delete from turn; delete from stretch;
  delete from root; delete from cursor; delete from page_vector; delete from page_chunk;
  delete from page;
`;

/**
 * Makes the indexes anew from what is true; vectors stay. Answers how many values there are, and
 * tells on the way how many are read.
 */
export function rebuildDerived(
  database: Connection,
  tell: (values: number) => void = () => {},
): number {
  const desk = deskOf(database);
  const scopes = scopeTable(desk);
  const words = categoryWords(desk);
  const index = termRows(desk, "memory_index");
  const all = desk.rows<ValueRow>(
    "select row, scope, category, content, sorted, valid_to as validTo from memory",
  );
  const setTerms = desk.run("update memory set terms = ? where row = ?");
  return desk.inOne(() => {
    database.exec(EMPTIED);
    const values = all();
    for (const [nth, value] of values.entries()) {
      tell(nth);
      const found = terms(value.content);
      setTerms(found.join(" "), value.row);
      index.add(value.row, ownerOf(value), found);
      if (value.validTo !== null) continue;
      scopes.count(value.scope, 1);
      words.count(value, 1);
    }
    return values.length;
  })();
}
