import { breathe } from "../../base/async.ts";
import type { Missing, VectorIndex } from "../../model/search-index.ts";
import type { Answering } from "../sqlite/busy.ts";
import type { Desk } from "../sqlite/database.ts";
import type { Scopes } from "../sqlite/scopes.ts";
import { dot, fromBlob, unit } from "./math.ts";
import { extension, LIVE, vectorModels, type VectorOptions, type VectorRoom } from "./models.ts";
import { FEW, nearestRows } from "./nearest-rows.ts";
import type { Unit } from "../../model/storage.ts";
import { vectorSearch } from "./search.ts";
import { type Placed, vectorWriter } from "./write.ts";

/** Vectors beside the memories and pages of one database share it. */
export function vectorRoom(desk: Desk, scopes: Scopes, options: VectorOptions): VectorRoom {
  const { few = FEW } = options;
  return { ...desk, scopes, models: vectorModels(desk), few, scans: extension(options) };
}

/** Those of memories. */
export function memoryVectors(room: VectorRoom) {
  const write = vectorWriter(room, "vector");
  const current = room.row<Placed>(
    "select row, scope from memory where id = ? and version = ? and valid_to is null",
  );
  return {
    write,
    missing: missingIn(room),
    nearest: vectorSearch(room, nearestRows(room, "vector")),
    cosines: cosinesIn(room),
    sample: sampleOf(room),
    put: (vectors: NonNullable<NonNullable<Unit["vectors"]>["memories"]>): void =>
      write.put(vectors, ({ id, version }) => current(id, version)),
  };
}

type Reads = Answering<VectorIndex, "cosines" | "sample">;

/**
 * Rows looked through are noted, and not looked at again. Where nothing is missing any more, the
 * vectors of a former model go, as long as others have their turn in between.
 */
function missingIn(room: VectorRoom) {
  const { rows, run, value, models } = room;
  const clear = clearing(room);
  const swept = value<number>("select swept from vector_model where number = ?");
  const sweep = run("update vector_model set swept = @to where number = @model and swept < @to");
  const last = value<number>("select coalesce(max(row), 0) from memory");
  const without = rows<{ row: number; id: string; version: number; content: string }>(
    `select m.row, m.id, m.version, m.content from memory m left join vector v on v.row = m.row
     where m.row > @after and m.valid_to is null and (v.row is null or v.model <> @model) order
     by m.row limit @limit`,
  );
  return async (limit: number): Promise<Missing["memories"][1]> => {
    const model = models.current()?.number;
    if (model === undefined || limit < 1) return [];
    const found = without({ model, after: swept(model), limit });
    sweep({ model, to: found[0] ? found[0].row - 1 : last() });
    if (found.length === 0) while (clear()) await breathe();
    return found.map(({ row: _row, ...value }) => value);
  };
}

/** Compares with each value's own vector, of the reader's scopes and the model in use. */
function cosinesIn({ lists, scopes, models }: VectorRoom): Reads["cosines"] {
  const ofValues = lists<[at: number, embedding: Buffer]>(
    `select named.key, v.embedding from json_each(?) named cross join memory m on m.id =
     named.value ->> 0 and m.version = named.value ->> 1 cross join vector v on v.row = m.row
     where v.model = ? and v.scope in (select value from json_each(?))`,
  );
  return (values, visible, given) => {
    const vector = unit(given);
    const named = values.map(({ id, version }) => [id, version]);
    const numbers = scopes.numbers(visible);
    const own = new Map(ofValues(named, models.current()?.number, numbers));
    return values.map((_, at) => {
      const vectorOfIt = own.get(at);
      return vectorOfIt?.length === vector.byteLength
        ? dot(vector, fromBlob(vectorOfIt))
        : undefined;
    });
  };
}

/** The sample is taken at even distances, in the order in which memories came. */
function sampleOf({ values, scopes, models }: VectorRoom): Reads["sample"] {
  const parts = (["vector", "page_vector"] as const).map((table) => {
    const live = `from ${table} indexed by ${table}_signs
      where model = @model and scope = @scope and cell = ${LIVE}`;
    return values<Buffer>(
      `select v.embedding
       from (select (select min(row) ${live}) as low, (select max(row) ${live}) as high)
       cross join json_each(@shares) share
       join ${table} v on v.row = (select row ${live}
         and row >= low + (high - low) * share.value order by row limit 1)
       group by v.row`,
    );
  });
  return (visible, limit) => {
    const model = models.current()?.number;
    const shares = JSON.stringify(Array.from({ length: limit }, (_, at) => at / limit));
    const numbers = scopes.numbers(visible);
    return parts
      .flatMap((part) => numbers.flatMap((scope) => part({ shares, model, scope })))
      .slice(0, limit)
      .map(fromBlob);
  };
}

/** A former model's vectors go, once the present one has all of its own; two hundred at a time. */
function clearing({ run, value, inOne, models }: VectorRoom): () => boolean {
  const stale = value<number>("select number from vector_model where current = 0 limit 1");
  // As long as something is missing, a return to the former model finds its vectors still there.
  const complete = value(
    `select 1 from vector_model where number = ? and swept >= (select coalesce(max(row), 0) from
     memory)`,
  );
  const clearRows = run(
    "delete from vector where row in (select row from vector where model = ? limit 200)",
  );
  const clearModel = run("delete from vector_model where number = ?");
  return inOne((): boolean => {
    const number = stale();
    if (number === undefined || complete(models.current()?.number) === undefined) return false;
    if (clearRows(number).changes > 0) return true;
    clearModel(number);
    return true;
  });
}
