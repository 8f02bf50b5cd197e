import { type Connection } from "../sqlite/database.ts";
import { likeliest, type Cells, type CellTable } from "./cells.ts";
import { cellDivider, type CellSizes } from "./divide.ts";
import { nearestOf } from "./means.ts";
import { fromBlob } from "./math.ts";
import { FRESH, type Cell, type ModelRow, type VectorRoom } from "./rows.ts";
import { kindNumber, type Shelves } from "./shelf.ts";

/** Rows moved in one slice, and multiplications made to find where: 2 to 5 ms. */
const MOVES = 32;
const WORK = 8_000_000;
/** What leaves a cell goes to one of so many around its middle: its own parts are among them. */
const AROUND = 48;

interface Member {
  readonly row: number;
  readonly scope: number;
  readonly cell: number;
  readonly indexed: number;
  readonly category: string;
  readonly kind: string;
  readonly expires: number | null;
  readonly since: number;
  readonly embedding: Buffer;
}

/** The cells whose middles are nearest to that of the cell that is left; all of them when it has none. */
function around(cells: Cells, centroid: Buffer | null): Cells {
  if (centroid === null || cells.numbers.length <= AROUND) return cells;
  const near = new Set(likeliest(cells, fromBlob(centroid), AROUND));
  const kept = cells.numbers.flatMap((cell, at) => (near.has(cell) ? [at] : []));
  return {
    numbers: kept.map((at) => cells.numbers[at] ?? 0),
    centroids: kept.flatMap((at) => cells.centroids[at] ?? []),
    always: cells.always,
  };
}

interface Beside {
  readonly shelves: Shelves;
  readonly cells: CellTable;
  readonly sizes: CellSizes;
}

type Step = (model: ModelRow) => boolean;

/**
 * Keeps the cells in order, a slice at a time. Each slice is one transaction that leaves every vector in exactly one cell,
 * so it may stop anywhere, for ever, and go on in another process.
 */
export function vectorTender(room: VectorRoom, beside: Beside) {
  const { database, models } = room;
  const members = memberStatements(database);
  const move = mover(room, beside, members);
  const inTransaction = (step: Step): Step => database.transaction(step).immediate;
  const divide = dividing(database, beside);
  const first = [catchingUp(room, beside, members), emptying(database, beside, { members, move })];
  const last = [settling(database, beside, { members, move }), clearing(database, beside)];
  const steps = [...first.map(inTransaction), divide, ...last.map(inTransaction)];
  return {
    /** False when there was nothing to do. */
    tend(): boolean {
      const model = models.current();
      return model !== undefined && steps.some((step) => step(model));
    },
  };
}

type Members = ReturnType<typeof memberStatements>;

function memberStatements(database: Connection) {
  const member = `select v.row, v.scope, v.cell, v.indexed, v.embedding, m.category, m.kind, m.expires_at as expires, m.valid_from as since from vector v join memory m on m.row = v.row`;
  return {
    inCell: database.prepare(
      `${member} where v.model = ? and v.scope = ? and v.cell = ? order by v.row limit ?`,
    ),
    unindexed: database.prepare(
      `${member} where v.model = ? and v.indexed = 0 and v.cell > 0 limit ?`,
    ),
    count: database.prepare("update vector_cell set members = members + ? where cell = ?"),
    place: database.prepare("update vector set cell = ?, indexed = ? where row = ?"),
  };
}

type Move = (
  model: ModelRow,
  members: readonly Member[],
  from: Pick<Cell, "cell" | "centroid">,
) => void;

/** Moves vectors into the nearest cell that has a middle, or the scope's only one. */
function mover(
  { database, categories }: VectorRoom,
  { shelves, cells, sizes }: Beside,
  { count, place }: Members,
): Move {
  const leave = database.prepare("insert or ignore into vector_left (row, model) values (?, ?)");
  const newCell = database.prepare("insert into vector_cell (model, scope, cap) values (?, ?, ?)");
  return (model, members, from) => {
    const scope = members[0]?.scope ?? 0;
    const { numbers, centroids, always } = around(cells.of(model.number, scope), from.centroid);
    const target = (vector: Float32Array): number =>
      numbers[nearestOf(vector, centroids)] ?? always.find((cell) => cell !== from.cell) ?? whole();
    const whole = (): number => {
      const made = Number(newCell.run(model.number, scope, sizes.whole).lastInsertRowid);
      cells.changed(model.number, scope);
      return made;
    };
    const only = numbers.length === 0 ? target(new Float32Array(0)) : undefined;
    const shelf = shelves.of(model.number, model.dimensions);
    const counts = new Map<number, number>();
    for (const { row, indexed, category, kind, expires, since, embedding } of members) {
      const vector = fromBlob(embedding);
      const cell = only ?? target(vector);
      if (indexed === 1 && shelf === undefined) leave.run(row, model.number);
      else if (indexed === 1) shelf?.drop(row);
      const traits = { category: categories.number(category), kind: kindNumber(kind) };
      shelf?.add({ row, scope, cell, ...traits, expires, since, vector });
      place.run(cell, shelf === undefined ? 0 : 1, row);
      counts.set(cell, (counts.get(cell) ?? 0) + 1);
    }
    for (const [cell, added] of counts) count.run(added, cell);
  };
}

const sliceFor = (cells: CellTable, { number, dimensions }: ModelRow, scope: number): number =>
  Math.max(
    8,
    Math.min(MOVES, Math.floor(WORK / (dimensions * (cells.of(number, scope).numbers.length + 1)))),
  );

interface Moving {
  readonly members: Members;
  readonly move: Move;
}

/** What has just come goes into cells. */
function settling(
  database: Connection,
  { cells, sizes }: Beside,
  { members: { inCell }, move }: Moving,
): Step {
  const freshScope = database
    .prepare("select scope from vector_scope where model = ? and fresh >= ? limit 1")
    .pluck();
  const countFresh = database.prepare(
    "update vector_scope set fresh = max(0, fresh - ?) where model = ? and scope = ?",
  );
  return (model) => {
    const scope = freshScope.get(model.number, sizes.settle) as number | undefined;
    if (scope === undefined) return false;
    const slice = sliceFor(cells, model, scope);
    const members = inCell.all(model.number, scope, FRESH, slice) as Member[];
    move(model, members, { cell: FRESH, centroid: null });
    // Counted anew where the count and the rows disagree, or this slice would come up for ever.
    countFresh.run(Math.max(members.length, 1), model.number, scope);
    return true;
  };
}

/** A cell that was divided loses its vectors to its parts, and goes. */
function emptying(
  database: Connection,
  { cells }: Beside,
  { members: { inCell, count }, move }: Moving,
): Step {
  const draining = database.prepare(
    "select cell, scope, members, centroid from vector_cell where model = ? and draining = 1 limit 1",
  );
  const dropCell = database.prepare("delete from vector_cell where cell = ?");
  return (model) => {
    const cell = draining.get(model.number) as Cell | undefined;
    if (cell === undefined) return false;
    const slice = sliceFor(cells, model, cell.scope);
    const members = inCell.all(model.number, cell.scope, cell.cell, slice) as Member[];
    if (members.length > 0) {
      move(model, members, cell);
      count.run(-members.length, cell.cell);
    } else {
      dropCell.run(cell.cell);
      cells.changed(model.number, cell.scope);
    }
    return true;
  };
}

/** What was stored, or went, while there was no extension. */
function catchingUp(
  { database, categories }: VectorRoom,
  { shelves }: Beside,
  { unindexed, place }: Members,
): Step {
  const left = database.prepare("select row from vector_left where model = ? limit ?").pluck();
  const forgetLeft = database.prepare("delete from vector_left where model = ? and row = ?");
  return (model) => {
    if (shelves.handicap() !== undefined) return false;
    const gone = left.all(model.number, MOVES) as number[];
    const behind = gone.length > 0 ? [] : (unindexed.all(model.number, MOVES) as Member[]);
    const shelf =
      gone.length + behind.length > 0 ? shelves.of(model.number, model.dimensions) : undefined;
    for (const row of gone) {
      shelf?.drop(row);
      forgetLeft.run(model.number, row);
    }
    for (const { row, scope, cell, category, kind, expires, since, embedding } of behind) {
      const traits = { category: categories.number(category), kind: kindNumber(kind) };
      shelf?.add({ row, scope, cell, ...traits, expires, since, vector: fromBlob(embedding) });
      place.run(cell, 1, row);
    }
    return shelf !== undefined;
  };
}

/** Divides a cell that is too full; or as many that have just come as would fill all cells there are, which get cells of their own at once. */
function dividing(database: Connection, { cells, sizes }: Beside): Step {
  const freshMany = database.prepare(
    "select scope, fresh from vector_scope where model = ? and fresh > ? order by fresh desc limit 1",
  );
  const full = database.prepare(
    "select cell, scope, members from vector_cell where model = ? and members > cap and draining = 0 limit 1",
  );
  const divide = cellDivider(database, { cells, sizes });
  let under: { readonly model: number; readonly work: Generator<void, void> } | undefined;

  function next(model: ModelRow): Generator<void, void> | undefined {
    const cell = full.get(model.number) as Cell | undefined;
    if (cell !== undefined) return divide.full(model, cell);
    const many = freshMany.get(model.number, sizes.whole) as
      { scope: number; fresh: number } | undefined;
    if (many === undefined) return undefined;
    const standing = cells.of(model.number, many.scope).numbers.length;
    return many.fresh <= (standing * sizes.cap) / 2 ? undefined : divide.fresh(model, many);
  }

  return (model) => {
    if (under?.model !== model.number) {
      const work = next(model);
      under = work && { model: model.number, work };
    }
    if (under === undefined) return false;
    if (under.work.next().done === true) under = undefined;
    return true;
  };
}

/** A former model's vectors go, once the present one has all of its own. */
function clearing(database: Connection, { shelves }: Beside): Step {
  const stale = database
    .prepare("select number from vector_model where current = 0 limit 1")
    .pluck();
  // As long as something is missing, a return to the former model finds its vectors still there.
  const complete = database
    .prepare(
      "select 1 from vector_model where number = ? and swept >= (select coalesce(max(row), 0) from memory)",
    )
    .pluck();
  const clearRows = database.prepare(
    "delete from vector where row in (select row from vector where model = ? limit 200)",
  );
  return (model) => {
    const number = stale.get() as number | undefined;
    if (number === undefined || complete.get(model.number) === undefined) return false;
    if (shelves.handicap() !== undefined) return false;
    if (clearRows.run(number).changes > 0) return true;
    shelves.destroy(number);
    for (const table of ["vector_cell", "vector_scope", "vector_category", "vector_left"])
      database.prepare(`delete from ${table} where model = ?`).run(number);
    database.prepare("delete from vector_model where number = ?").run(number);
    return true;
  };
}
