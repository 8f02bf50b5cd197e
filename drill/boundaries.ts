// Loaded before all else in a child of the drill: counts every write to files and databases, and kills the process at the
// one it is told, before it, in the middle of it or after it; or lets the disk be full from one write on. The product knows nothing of it.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import Database from "better-sqlite3";

type Part = "before" | "half" | "after";
/** DRILL_KILL: "17 half", the 17th write. Absent: only count. */
const [number = "0", part = "before"] = (process.env.DRILL_KILL ?? "").split(" ");
let count = 0;
const names: string[] = [];

/** From this write that takes room on nothing that takes any goes through. 0: all does. */
let fullFrom = 0;
let taking = 0;
const ROOMLESS =
  /^(?:close|unlink|rm|rename|chmod|ftruncate|truncate|begin|rollback|exec rollback|pragma journal_mode = memory|fsync|open what is there|handle\.(?:sync|datasync|truncate|chmod))/i;

/** A disk that is full from the n-th write on that takes room, counted from here; 0: it has room again. Answers how many there were. */
export function fillDisk(from: number): number {
  const before = taking;
  [taking, fullFrom] = [0, from];
  return before;
}

function refuseFull(write: Write): void {
  if (ROOMLESS.test(write.what)) return;
  taking += 1;
  if (fullFrom === 0 || taking < fullFrom) return;
  // What there was room for was written.
  if (taking === fullFrom) void write.half?.();
  const [message, code] =
    write.sql === true
      ? ["database or disk is full", "SQLITE_FULL"]
      : ["ENOSPC: no space left on device, write", "ENOSPC"];
  throw Object.assign(
    write.sql === true ? new Database.SqliteError(message, code) : new Error(message),
    { code },
  );
}

const die = (): void => void process.kill(process.pid, "SIGKILL");

interface Write {
  readonly what: string;
  /** Writes the first half of it only. */
  readonly half?: () => unknown;
  readonly sql?: true;
}

/** Is this the write to die at, and where? */
function meet({ what }: Write): Part | undefined {
  count += 1;
  if (process.env.DRILL_KILL === undefined) names.push(what);
  return count === Number(number) ? (part as Part) : undefined;
}

function now<T>(write: Write, work: () => T): T {
  const where = meet(write);
  refuseFull(write);
  if (where === "before") die();
  if (where === "half") {
    write.half?.();
    die();
  }
  const result = work();
  if (where === "after") die();
  return result;
}

async function soon<T>(write: Write, work: () => Promise<T>): Promise<T> {
  const where = meet(write);
  refuseFull(write);
  if (where === "before") die();
  if (where === "half") {
    await write.half?.();
    die();
  }
  const result = await work();
  if (where === "after") die();
  return result;
}

type Any = (...args: never[]) => unknown;
type Holder = Record<string, unknown>;

/** Puts `make(old)` in the place of a function. */
function wrap(
  holder: object,
  name: string,
  make: (
    old: (self: unknown, args: readonly unknown[]) => unknown,
  ) => (self: unknown, args: readonly unknown[]) => unknown,
): void {
  const old = (holder as Holder)[name] as Any;
  const made = make((self, args) => Reflect.apply(old, self, args));
  (holder as Holder)[name] = function (this: unknown, ...args: unknown[]) {
    return made(this, args);
  };
}

const changes = (flags: unknown): boolean => typeof flags === "string" && /[wa+]/.test(flags);
const halfOf = (text: unknown): unknown =>
  typeof text === "string" ? text.slice(0, text.length >> 1) : text;

for (const name of [
  "rename",
  "link",
  "unlink",
  "rm",
  "mkdir",
  "chmod",
  "writeFile",
  "appendFile",
  "truncate",
  "copyFile",
])
  wrap(
    fs.promises,
    name,
    (old) => (self, args) => soon({ what: name }, () => old(self, args) as Promise<unknown>),
  );
wrap(
  fs.promises,
  "open",
  (old) => (self, args) =>
    changes(args[1])
      ? soon({ what: "open" }, () => old(self, args) as Promise<unknown>)
      : old(self, args),
);
for (const name of [
  "renameSync",
  "linkSync",
  "unlinkSync",
  "rmSync",
  "mkdirSync",
  "chmodSync",
  "fsyncSync",
  "ftruncateSync",
  "copyFileSync",
  "appendFileSync",
])
  wrap(fs, name, (old) => (self, args) => now({ what: name }, () => old(self, args)));
wrap(
  fs,
  "writeFileSync",
  (old) => (self, args) =>
    now(
      {
        what: "writeFileSync",
        half: () => old(self, [args[0], halfOf(args[1]), ...args.slice(2)]),
      },
      () => old(self, args),
    ),
);
wrap(
  fs,
  "openSync",
  (old) => (self, args) =>
    changes(args[1])
      ? now({ what: args[1] === "r+" ? "open what is there" : "openSync" }, () => old(self, args))
      : old(self, args),
);
wrap(fs, "fdatasync", (old) => (self, args) => {
  const where = meet({ what: "fsync" });
  if (where === "before" || where === "half") die();
  const done = args.at(-1) as (error: unknown) => void;
  return old(self, [
    ...args.slice(0, -1),
    (error: unknown) => {
      if (where === "after") die();
      done(error);
    },
  ]);
});

const handle = await fs.promises.open(import.meta.filename, "r");
const FileHandle = Object.getPrototypeOf(handle) as object;
await handle.close();
wrap(
  FileHandle,
  "writeFile",
  (old) => (self, args) =>
    soon(
      { what: "handle.writeFile", half: () => old(self, [halfOf(args[0]), ...args.slice(1)]) },
      () => old(self, args) as Promise<unknown>,
    ),
);
for (const name of ["write", "sync", "datasync", "truncate", "chmod"])
  wrap(
    FileHandle,
    name,
    (old) => (self, args) =>
      soon({ what: `handle.${name}` }, () => old(self, args) as Promise<unknown>),
  );

// Of a transaction its beginning, its first statement and its end: what lies between leaves no more behind than the first.
let inside = false;
const probe = new Database(":memory:");
const Statement = Object.getPrototypeOf(probe.prepare("select 1")) as object;
probe.close();
wrap(Statement, "run", (old) => (self, args) => {
  const { source, database } = self as { source: string; database: Database.Database };
  const ends = /^\s*(?:begin|commit|rollback)/i.test(source);
  const counts = ends || !database.inTransaction || !inside;
  inside = !ends && database.inTransaction;
  if (!counts) return old(self, args);
  return now({ what: source.trim().slice(0, 24).replace(/\s+/g, " "), sql: true }, () =>
    old(self, args),
  );
});
wrap(
  Database.prototype as object,
  "exec",
  (old) => (self, args) =>
    now({ what: `exec ${String(args[0]).trim().slice(0, 16)}`, sql: true }, () => old(self, args)),
);
wrap(
  Database.prototype as object,
  "close",
  (old) => (self, args) => now({ what: "close" }, () => old(self, args)),
);
wrap(
  Database.prototype as object,
  "pragma",
  (old) => (self, args) =>
    /checkpoint|journal_mode/.test(String(args[0]))
      ? now({ what: `pragma ${String(args[0])}`, sql: true }, () => old(self, args))
      : old(self, args),
);

syncBuiltinESMExports();

// Counted from the first line of the program on, not from what loading it wrote.
count = 0;
names.length = 0;
process.on("exit", () => process.stdout.write(`${JSON.stringify({ boundaries: count, names })}\n`));
