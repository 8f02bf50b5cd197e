import { posix } from "node:path";
import { degraded, isTidemarkError, TidemarkError } from "../../core/errors-and-events.ts";
import type { Scope } from "../../core/identity.ts";
import {
  check,
  type Fields,
  holding,
  is,
  list,
  optional,
  type Schema,
  words,
} from "../../core/schema.ts";
import { mask } from "../../core/secrets/mask.ts";
import { internalsFor } from "../../session/options/internals.ts";
import type { Tidemark } from "../../session/options/tidemark-api.ts";
import type { NotePlace, Notes } from "../../workspace/documents/notes.ts";

/**
 * What the model may ask of its memory directory, as the SDK's `betaMemoryTool` takes it. All
 * reject with a sentence for the model.
 */
export interface MemoryDirectory {
  view(command: { path: string; view_range?: readonly number[] }): Promise<string>;
  create(command: { path: string; file_text: string }): Promise<string>;
  str_replace(command: { path: string; old_str: string; new_str: string }): Promise<string>;
  insert(command: { path: string; insert_line: number; insert_text: string }): Promise<string>;
  delete(command: { path: string }): Promise<string>;
  rename(command: { old_path: string; new_path: string }): Promise<string>;
}

/**
 * Anthropic's memory tool over notes: `/memories` is `notes` in the folder of the user, where the
 * identity names one, else of the agent; `/memories/team` is that of its team. Answers and errors
 * are those of the SDK's own `BetaLocalFilesystemMemoryTool` at the root of a disk.
 *
 * @example
 * const memory = betaMemoryTool(memoryDirectory(tidemark));
 */
export function memoryDirectory(tidemark: Tidemark): MemoryDirectory {
  const home = internalsFor(tidemark, "memoryDirectory");
  const methods = Object.entries<Command>(COMMANDS).map(([name, { takes, work }]) => {
    const run = async (given: object): Promise<string> => {
      check(takes, given, "The command");
      const room = await home.notes();
      const act = (): Promise<string> => work(room, given as never);
      // One change at a time, over all processes: what it looked at is what it changes.
      return name === "view" ? act() : room.notes.alone(act);
    };
    const told = (thrown: unknown): never => {
      const code = isTidemarkError(thrown) ? thrown.code : undefined;
      if (code === "config") throw thrown;
      if (code === "closed") refuse("Memory is closed.");
      if (code === "scope-denied") refuse("This may be read here, but not changed.");
      // The words of a disk's trouble name the machine's folders.
      home.emit(degraded("memory directory", thrown));
      return refuse("Memory could not do this now; go on without it.");
    };
    return [name, (given: object) => home.underWay(run(given).catch(told))];
  });
  return Object.fromEntries(methods) as MemoryDirectory;
}

interface DirectoryRoom {
  readonly notes: Notes;
  readonly home: Scope;
  readonly team: Scope | undefined;
}

interface Command {
  readonly takes: Schema;
  readonly work: (room: DirectoryRoom, given: never) => Promise<string>;
}

const command = <Given extends object>(
  takes: Fields<Given>,
  work: (room: DirectoryRoom, given: Given) => Promise<string>,
): Command => ({ takes: holding(takes), work });

const TOP = "/memories";
const TEAM = `${TOP}/team`;

function refuse(text: string): never {
  throw new TidemarkError("config", mask(text));
}

interface FoundFile {
  readonly full: string;
  readonly place: NotePlace;
  readonly kind: "file" | "folder" | "other" | undefined;
  readonly bytes: number;
}

/**
 * Where a path leads, and what stands there. The errors of a disk are those that `realpath` gives.
 */
async function find(room: DirectoryRoom, given: string): Promise<FoundFile> {
  if (!given.startsWith(TOP)) refuse(`Path must start with ${TOP}, got: ${given}`);
  const full = posix.resolve(posix.join(TOP, given.slice(TOP.length).replace(/^\//, "")));
  if (full !== TOP && !full.startsWith(`${TOP}/`))
    refuse(`Path ${given} would escape ${TOP} directory`);
  let found = await at(room, TOP);
  for (const name of full.split("/").slice(2)) {
    if (found.kind !== undefined && found.kind !== "folder")
      refuse(`ENOTDIR: not a directory, realpath '${full}'`);
    found = await at(room, `${found.full}/${name}`);
  }
  return found;
}

async function at({ notes, home, team }: DirectoryRoom, full: string): Promise<FoundFile> {
  const shared = team !== undefined && (full === TEAM || full.startsWith(`${TEAM}/`));
  const place = shared
    ? { scope: team, path: full.slice(TEAM.length + 1) }
    : { scope: home, path: full.slice(TOP.length + 1) };
  const standing = await notes.look(place);
  if (standing?.kind === "link") return refuse(`Path would escape ${TOP} directory via symlink`);
  const kind = standing?.kind ?? (place.path === "" ? "folder" : undefined);
  return { full, place, kind, bytes: standing?.bytes ?? 0 };
}

const nowhere = (path: string): never =>
  refuse(`The path ${path} does not exist. Please provide a valid path.`);

const numbered = (lines: readonly string[], first: number): string =>
  lines.map((line, index) => `${String(index + first).padStart(6, " ")}\t${line}`).join("\n");

/**
 * What stands in a folder and in those within it, each with its size and by the way it was asked
 * for.
 */
async function listed(
  room: DirectoryRoom,
  full: string,
  path: string,
  depth = 1,
): Promise<string[]> {
  const { place } = await at(room, full);
  const entries = await room.notes.entries(place);
  const kinds = new Map(entries.map(({ name, kind }) => [name, kind]));
  if (full === TOP && room.team !== undefined) kinds.set("team", "folder");
  const lines: string[] = [];
  for (const [name, kind] of [...kinds].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (name.startsWith(".") || name === "node_modules") continue;
    if (kind !== "file" && kind !== "folder") continue;
    const [inner, shown] = [`${full}/${name}`, `${path}/${name}`];
    const { bytes, kind: still } = await at(room, inner);
    if (still === undefined) continue;
    lines.push(`${size(bytes)}\t${shown}${kind === "folder" ? "/" : ""}`);
    if (kind === "folder" && depth < 2)
      lines.push(...(await listed(room, inner, shown, depth + 1)));
  }
  return lines;
}

function size(bytes: number): string {
  if (bytes === 0) return "0B";
  const power = Math.floor(Math.log(bytes) / Math.log(1024));
  const amount = bytes / 1024 ** power;
  return `${amount % 1 === 0 ? amount : amount.toFixed(1)}${["B", "K", "M", "G"][power]}`;
}

const gone = (path: string): never =>
  refuse(`The file ${path} no longer exists (may have been deleted or renamed concurrently).`);

/** A file that is there, to be changed. */
async function file(room: DirectoryRoom, path: string): Promise<FoundFile> {
  const found = await find(room, path);
  if (found.kind === undefined) return nowhere(path);
  return found.kind === "file" ? found : refuse(`The path ${path} is not a file.`);
}

/** Neither the whole directory nor the team's part of it is the agent's to move. */
function notATop(what: string, { full }: FoundFile, { team }: DirectoryRoom): void {
  if (full === TOP || (team !== undefined && full === TEAM))
    refuse(`Cannot ${what} the ${full} directory itself`);
}

const line = is<number>("a number", (value) => typeof value === "number");
const range = optional(list("a list of numbers", line));

/** The words are those of the SDK, which models were trained on. */
const COMMANDS: Readonly<Record<keyof MemoryDirectory, Command>> = {
  view: command({ path: words, view_range: range }, async (room, { path, view_range: asked }) => {
    const found = await find(room, path);
    if (found.kind === undefined) nowhere(path);
    if (found.kind === "folder") {
      const lines = [`${size(found.bytes)}\t${path}`, ...(await listed(room, found.full, path))];
      return (
        `Here're the files and directories up to 2 levels deep in ${path}, excluding ` +
        `hidden items and node_modules:\n${lines.join("\n")}`
      );
    }
    if (found.kind === "other") refuse(`Unsupported file type for ${path}`);
    const lines = ((await room.notes.read(found.place)) ?? gone(path)).split("\n");
    const [first = 1, last = -1] = asked?.length === 2 ? asked : [];
    const start = Math.max(1, first) - 1;
    const shown = lines.slice(start, last === -1 ? lines.length : last);
    return `Here's the content of ${path} with line numbers:\n${numbered(shown, start + 1)}`;
  }),

  create: command({ path: words, file_text: words }, async (room, { path, file_text: text }) => {
    const { place, kind } = await find(room, path);
    if (kind !== undefined) refuse(`File ${path} already exists`);
    await room.notes.write(place, () => text);
    return `File created successfully at: ${path}`;
  }),

  str_replace: command(
    { path: words, old_str: words, new_str: words },
    async (room, { path, old_str: old, new_str: text }) => {
      const { place } = await file(room, path);
      const before = (await room.notes.read(place)) ?? gone(path);
      const places = before
        .split("\n")
        .flatMap((one, index) => (one.includes(old) ? [index + 1] : []));
      const [at = 1] = places;
      if (places.length === 0)
        refuse(
          `No replacement was performed, old_str \`${old}\` did not appear verbatim in ${path}.`,
        );
      if (places.length > 1)
        refuse(
          `No replacement was performed. Multiple occurrences of old_str \`${old}\` in ` +
            `lines: ${places.join(", ")}. Please ensure it is unique`,
        );
      const written = await room.notes.write(place, () => before.replace(old, () => text));
      const start = Math.max(0, at - 3);
      const around = (written ?? "").split("\n").slice(start, at + 2);
      return (
        "The memory file has been edited. Here is the snippet showing the change (with line " +
        `numbers):\n${numbered(around, start + 1)}`
      );
    },
  ),

  insert: command(
    { path: words, insert_line: line, insert_text: words },
    async (room, { path, insert_line: at, insert_text: text }) => {
      const { place } = await file(room, path);
      const lines = ((await room.notes.read(place)) ?? gone(path)).split("\n");
      if (at < 0 || at > lines.length)
        refuse(
          `Invalid \`insert_line\` parameter: ${at}. It should be within the range of ` +
            `lines of the file: [0, ${lines.length}]`,
        );
      const after = lines.toSpliced(at, 0, text.replace(/\n$/, "")).join("\n");
      await room.notes.write(place, () => after);
      return `The file ${path} has been edited.`;
    },
  ),

  delete: command({ path: words }, async (room, { path }) => {
    const found = await find(room, path);
    notATop("delete", found, room);
    if (found.kind === undefined) refuse(`The path ${path} does not exist`);
    await room.notes.remove(found.place);
    return `Successfully deleted ${path}`;
  }),

  rename: command(
    { old_path: words, new_path: words },
    async (room, { old_path: from, new_path: to }) => {
      const [old, next] = [await find(room, from), await find(room, to)];
      notATop("rename", old, room);
      if (next.kind !== undefined) refuse(`The destination ${to} already exists`);
      await room.notes.makeFolder((await at(room, posix.dirname(next.full))).place);
      if (next.full.startsWith(`${old.full}/`))
        refuse(`EINVAL: invalid argument, rename '${old.full}' -> '${next.full}'`);
      if (old.kind === undefined) refuse(`The path ${from} does not exist`);
      await room.notes.move(old.place, next.place);
      return `Successfully renamed ${from} to ${to}`;
    },
  ),
};
