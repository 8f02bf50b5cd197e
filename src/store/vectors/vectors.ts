import { type VectorIndex } from "../../model/store.ts";
import { type Connection } from "../sqlite/database.ts";
import { type Scopes } from "../sqlite/scopes.ts";
import { cellTable } from "./cells.ts";
import { vectorReader } from "./read.ts";
import { categoryNumbers, vectorModels, type VectorRoom } from "./rows.ts";
import { vectorShelf } from "./shelf.ts";
import { type CellSizes } from "./divide.ts";
import { vectorTender } from "./tend.ts";
import { vectorWriter } from "./write.ts";

/** Rows looked through for one without a vector before the sweep is noted: what it has passed is not looked at again. */
const SWEEP = 500;

/** Vectors beside the memories of one database. `ask` runs a piece of work and says what failed. */
export function vectorIndex(
  database: Connection,
  { scopes, extension, sizes }: { scopes: Scopes; extension: boolean; sizes: CellSizes },
) {
  const room: VectorRoom = {
    database,
    scopes,
    models: vectorModels(database),
    categories: categoryNumbers(database),
  };
  const shelves = vectorShelf(database, { extension });
  const cells = cellTable(database);
  const write = vectorWriter(room, shelves);
  const read = vectorReader(room, { shelves, cells });
  const tender = vectorTender(room, { shelves, cells, sizes });
  const swept = database.prepare("select swept from vector_model where number = ?").pluck();
  const sweep = database.prepare("update vector_model set swept = max(swept, ?) where number = ?");
  const stretch = database.prepare(
    `select m.row, m.id, m.version, m.content, m.valid_to is null and (v.row is null or v.model <> @model) as missing
     from memory m left join vector v on v.row = m.row where m.row > @after order by m.row limit ${SWEEP}`,
  );

  function missing(limit: number): { id: string; version: number; content: string }[] {
    const model = room.models.current();
    if (model === undefined) return [];
    const found: { id: string; version: number; content: string }[] = [];
    const from = (swept.get(model.number) as number | undefined) ?? 0;
    let [after, complete] = [from, from];
    for (;;) {
      const rows = stretch.all({ model: model.number, after }) as {
        row: number;
        id: string;
        version: number;
        content: string;
        missing: number;
      }[];
      for (const { row, id, version, content, missing: without } of rows) {
        if (without === 1) found.push({ id, version, content });
        else if (found.length === 0) complete = row;
        if (found.length >= limit) break;
      }
      if (found.length >= limit || rows.length < SWEEP) break;
      after = rows.at(-1)?.row ?? after;
    }
    if (complete > from) sweep.run(complete, model.number);
    return found;
  }

  const index = (
    ask: <T>(what: string, work: () => T | Promise<T>) => Promise<T>,
  ): VectorIndex => ({
    use: ({ name, dimensions }) =>
      ask("given a model", () => {
        const model = room.models.use(name, dimensions);
        shelves.of(model.number, model.dimensions);
        return model.notes ?? undefined;
      }),
    note: (notes) => ask("written", () => room.models.note(notes)),
    put: (vectors) => ask("written", () => write.put(vectors)),
    missing: (limit) => ask("read", () => missing(limit)),
    nearest: (query) => ask("read", () => read.nearest(query)),
    cosines: (values, visible, vector) => ask("read", () => read.cosines(values, visible, vector)),
    of: (values, visible) => ask("read", () => read.of(values, visible)),
    categories: (visible) => ask("read", () => read.categories(visible)),
    tend: () => ask("tended", () => tender.tend()),
    handicap: shelves.handicap,
  });

  return { index, write };
}
