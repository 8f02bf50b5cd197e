import { TidemarkError } from "../../core/errors-and-events.ts";
import type { Scope } from "../../core/identity.ts";
import {
  fileOf,
  type FilePlace,
  type FileStanding,
  type Folder,
  safeName,
} from "../disk/folder.ts";
import { backUp } from "../pages/first-pages-and-backups.ts";

/** A note or a folder of them, named from the top of its scope's notes; "" is the top. */
export interface NotePlace {
  readonly scope: Scope;
  readonly path: string;
}

export interface NoteInfo {
  /** From the top of the scope's notes, as `notes.read` takes it. */
  readonly name: string;
  readonly scope: Scope;
  readonly bytes: number;
  /** When it was last changed, ms since epoch. */
  readonly changed: number;
}

/** Characters of a note: as many as a search reads of a file. */
const LONGEST_NOTE = 200_000;
/**
 * Bytes of a file that is read as a note at all: those characters, whatever they are. No text of so
 * many characters is written.
 */
export const LARGEST = 4 * LONGEST_NOTE;

const refused = (text: string): TidemarkError => new TidemarkError("config", text);

const placeOf = ({ scope, path }: NotePlace): FilePlace =>
  fileOf(scope, path === "" ? "notes" : `notes/${path}`);
const parentOf = ({ scope, path }: NotePlace): NotePlace => ({
  scope,
  path: path.replace(/\/?[^/]*$/, ""),
});

/** Lists and reads notes, and makes their folders. */
function noteReader(folder: Folder) {
  const look = (place: NotePlace) => folder.look(placeOf(place));
  /** The names in a folder, in order. */
  const entries = (place: NotePlace) => folder.entries(placeOf(place));

  /** Undefined for what is no note. */
  async function info(place: NotePlace): Promise<NoteInfo | undefined> {
    const { scope, path: name } = place;
    const { kind, bytes = 0, changed = 0 } = (await look(place)) ?? {};
    return kind === "file" ? { name, scope, bytes, changed } : undefined;
  }

  /** All below a place: a folder before what is in it. */
  async function* walk({
    scope,
    path,
  }: NotePlace): AsyncGenerator<NotePlace & Pick<FileStanding, "kind">> {
    for (const { name, kind } of await entries({ scope, path })) {
      const inner = { scope, path: path === "" ? name : `${path}/${name}`, kind };
      yield inner;
      if (kind === "folder") yield* walk(inner);
    }
  }

  /** Makes a folder with those above it. */
  async function makeFolder(place: NotePlace): Promise<void> {
    const kind = (await look(place))?.kind;
    if (kind === "folder") return;
    if (kind !== undefined)
      throw refused(
        `${place.path === "" ? "notes" : place.path} is no folder, so nothing can stand ` +
          "in it. Choose another name.",
      );
    if (place.path !== "") await makeFolder(parentOf(place));
    await folder.makeFolder(placeOf(place));
  }

  return {
    look,
    info,
    entries,
    walk,
    makeFolder,
    async read(place: NotePlace): Promise<string | undefined> {
      const standing = await look(place);
      if (standing === undefined) return undefined;
      if (standing.kind !== "file")
        throw refused(`${place.path} is a ${standing.kind} and no note. Name a note.`);
      if (standing.bytes > LARGEST)
        throw refused(
          `${place.path} has ${Math.ceil(standing.bytes / 1e6)} MB, and a note may have ` +
            `${LONGEST_NOTE} characters. Shorten it, or move it away.`,
        );
      return folder.read(placeOf(place));
    },
    /** Notes that are neither hidden nor links. */
    async list(scope: Scope): Promise<NoteInfo[]> {
      const found: NoteInfo[] = [];
      for await (const { path } of walk({ scope, path: "" })) {
        const note = /(?:^|\/)\./.test(path) ? undefined : await info({ scope, path });
        if (note !== undefined) found.push(note);
      }
      return found;
    },
  };
}

type NoteText = string | undefined;
type NoteChange = (text: NoteText) => NoteText | Promise<NoteText>;

/**
 * The pages under `notes` of each scope, which agents and people write as they like. What was
 * replaced or removed is kept under .tidemark/backups, twenty of each. Rejects with "config" where
 * a note would break a bound, else with "workspace".
 */
export type Notes = ReturnType<typeof notesIn>;

export function notesIn(folder: Folder, now: () => number) {
  const reader = noteReader(folder);
  const { look, walk, read, makeFolder } = reader;

  const keep = ({ scope, path }: NotePlace, text: string): Promise<void> =>
    // One name for the whole way: what was a folder once may be a note later.
    backUp(folder, { name: `notes/${safeName(path)}`, text, now: now() }, scope);

  return {
    ...reader,
    /** No other work changes a file meanwhile. */
    alone: folder.alone,
    /**
     * The new text for the old one, with no other change in between; answers what was written,
     * undefined where that is nothing.
     */
    write: (place: NotePlace, change: NoteChange) =>
      folder.alone(async () => {
        const before = await read(place);
        const after = await change(before);
        if (after === undefined || after === before) return after;
        // A note that is too long may still be shortened.
        if (after.length > LONGEST_NOTE && after.length > (before?.length ?? 0))
          throw refused(
            `${place.path} would be ${after.length} characters long, and a note may have ` +
              `${LONGEST_NOTE}. Shorten it, or keep the rest in another note.`,
          );
        await (before === undefined ? makeFolder(parentOf(place)) : keep(place, before));
        // As a disk would write it.
        await folder.change(placeOf(place), () => after.toWellFormed());
        return after;
      }),
    /** A note or a folder, to where nothing stands. */
    move: (from: NotePlace, to: NotePlace) =>
      folder.alone(async () => {
        await makeFolder(parentOf(to));
        await folder.move(placeOf(from), placeOf(to));
      }),
    /** A note, or a folder with all in it. False: it was not there. */
    remove: (place: NotePlace) =>
      folder.alone(async () => {
        const standing = await look(place);
        if (standing === undefined) return false;
        const files = standing.kind === "file" ? [place] : [];
        for await (const inner of walk(place)) if (inner.kind === "file") files.push(inner);
        for (const one of files) {
          const text = await read(one);
          if (text !== undefined) await keep(one, text);
        }
        await folder.remove(placeOf(place));
        return true;
      }),
  };
}
