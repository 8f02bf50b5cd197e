import { digest } from "../../core/text/cut.ts";
import { type FilePut, type FileRow, type Files, isUnder } from "../../storage/files.ts";
import { methods } from "../../storage/methods.ts";
import { takingTurnsWithin } from "./disk-folder.ts";
import { type FilePlace, type Folder, isPage, partOf, placeIn, shown, troubled } from "./folder.ts";

/** Others may be faster so many times. */
const TRIES = 50;

/** Files as rows of a storage. */
export function rowFolder(files: Files, now: () => number): Folder {
  const alone = takingTurnsWithin((_key, work) => files.alone(work));
  /** Makes the changes anew until nothing has come in between. */
  async function put(place: FilePlace, changes: () => Promise<readonly FilePut[]>): Promise<void> {
    for (let time = 0; time < TRIES; time += 1) {
      const made = await changes();
      if (made.length === 0 || (await files.put(made, now()))) return;
    }
    throw troubled(`Others keep writing to ${shown(place)}. Look what they write, and try again.`);
  }
  const change: Folder["change"] = (place, change) =>
    put(place, async () => {
      const path = shown(place);
      const held = await files.read(path);
      const text = await change(held?.text);
      return text === undefined || text === held?.text ? [] : [{ path, text, on: held?.digest }];
    });
  const create = (place: FilePlace, text: () => Promise<string | undefined>): Promise<void> =>
    put(place, async () => {
      const made = (await files.read(shown(place))) === undefined ? await text() : undefined;
      return made === undefined ? [] : [{ path: shown(place), text: made, on: undefined }];
    });
  async function* walk(under: FilePlace) {
    for (const { path, digest } of await files.list(shown(under))) {
      const place = placeIn(under.base, path);
      if (isPage(place)) yield { place, stamp: digest };
    }
  }

  return {
    read: async (place, part) => {
      const held = await files.read(shown(place));
      return held && partOf(held.text, part);
    },
    change,
    append: (place, text, opening) =>
      change(place, (before = opening) => before + (/[^\n]$/.test(before) ? "\n" : "") + text),
    create: (place, text) => create(place, async () => text),
    list: (place) => Array.fromAsync(walk(place)),
    walk,
    remove: (place) =>
      put(place, async () =>
        (await files.list(shown(place))).map(({ path, digest: on }) => ({
          ...{ path, on },
          text: undefined,
        })),
      ),
    copy: (from, to) => create(to, async () => (await files.read(shown(from)))?.text),
    async look(place) {
      const rows = await files.list(shown(place));
      const file = rows.find(({ path }) => path === shown(place));
      if (file !== undefined) return { ...file, kind: "file" };
      return rows.length === 0 ? undefined : { kind: "folder", bytes: 0, changed: 0 };
    },
    async entries(place) {
      const from = shown(place).length + 1;
      const kinds = new Map<string, "file" | "folder">();
      for (const { path } of await files.list(shown(place))) {
        const [name = "", ...below] = path.slice(from).split("/");
        if (name !== "") kinds.set(name, below.length > 0 ? "folder" : "file");
      }
      return [...kinds].map(([name, kind]) => ({ name, kind })).sort(byName);
    },
    makeFolder: (place) => create({ base: "", path: `${shown(place)}/` }, async () => ""),
    move: (from, to) => put(from, () => moved(files, shown(from), shown(to))),
    alone: (work) => alone("", work),
  };
}

async function moved(files: Files, from: string, to: string): Promise<FilePut[]> {
  const rows = await files.list(from);
  const held = await Promise.all(rows.map(({ path }) => files.read(path)));
  return rows.flatMap(({ path, digest }, at) => {
    const text = held[at]?.text;
    if (text === undefined) return [];
    return [
      { path, text: undefined, on: digest },
      { path: to + path.slice(from.length), text, on: undefined },
    ];
  });
}

const byName = (one: { name: string }, other: { name: string }): number =>
  one.name < other.name ? -1 : 1;

/**
 * Files in the memory of the process, for `workspace: false`. Journals are not kept: nothing would
 * ever read them.
 */
export const memoryFolder = (): Folder => ({
  ...rowFolder(memoryFiles(), () => 0),
  append: async () => {},
});

function memoryFiles(): Files {
  const held = new Map<string, string>();
  const rowOf = (path: string, text: string): FileRow => ({
    // The digest is of the text itself: an index may outlive the process.
    ...{ path, digest: digest(text), bytes: Buffer.byteLength(text), changed: 0 },
  });
  return {
    async read(path) {
      const text = held.get(path);
      return text === undefined ? undefined : { text, digest: digest(text) };
    },
    list: async (under) =>
      [...held]
        .filter(([path]) => isUnder(path, under))
        .map(([path, text]) => rowOf(path, text))
        .sort((one, other) => (one.path < other.path ? -1 : 1)),
    async put(files) {
      const isSame = ({ path, on }: FilePut): boolean => {
        const text = held.get(path);
        return on === (text === undefined ? undefined : digest(text));
      };
      if (!files.every(isSame)) return false;
      for (const { path, text } of files)
        if (text === undefined) held.delete(path);
        else held.set(path, text);
      return true;
    },
    alone: (work) => work(),
  };
}

const ROUTED = "change append create list walk remove copy look entries makeFolder move";
/** Pages that people write for an agent, whatever of its own words is kept. */
const OF_PEOPLE = /^(?:SOUL|USER|AGENTS|HEARTBEAT)\.md$/;

/** Pages of groups stand in `kept`, all others in `own`; what people wrote there is read, too. */
export function levelFolder({ kept, own }: Readonly<Record<"kept" | "own", Folder>>): Folder {
  const folderOf = (place: FilePlace): Folder =>
    /^scopes\/(?:team|project|org)\//.test(`${shown(place)}/`) ? kept : own;
  return {
    ...methods<Folder>(ROUTED.split(" "), (call, _, [place]) => call(folderOf(place as FilePlace))),
    read: async (place, part) =>
      (await folderOf(place).read(place, part)) ??
      (OF_PEOPLE.test(place.path) ? kept.read(place, part) : undefined),
    alone: kept.alone,
  };
}
