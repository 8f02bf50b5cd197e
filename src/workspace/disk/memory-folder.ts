import { digest } from "../../core/text/cut.ts";
import { type FilePlace, type Folder, type Listed, partOf, placeIn, shown } from "./folder.ts";
import { takingTurnsWithin } from "./lock.ts";

/**
 * Files in the memory of the process, for `workspace: false`. Journals are not kept: nothing would
 * ever read them.
 */
export function memoryFolder(): Folder {
  /** Texts of files by their paths; undefined of a folder. */
  const held = new Map<string, string | undefined>();
  // No other process has the files; within this one changes take turns.
  const inTurn = takingTurnsWithin((_key, work) => work());
  const run = <T>(work: () => Promise<T>): Promise<T> => inTurn("", work);

  const pathsIn = (start: string): string[] =>
    [...held.keys()].filter((path) => within(path, start));
  const create = (path: string, text?: string): void => {
    if (held.get(path) === undefined) held.set(path, text);
  };
  const listed = (under: FilePlace): Listed[] =>
    pathsIn(shown(under)).flatMap((path) => {
      const text = held.get(path);
      if (text === undefined) return [];
      // The stamp is of the text itself: an index may outlive the process.
      return { place: placeIn(under.base, path), stamp: digest(text) };
    });

  return {
    async read(place, part) {
      const text = held.get(shown(place));
      return text && partOf(text, part);
    },
    change: (place, change) =>
      run(async () => {
        const after = await change(held.get(shown(place)));
        if (after !== undefined) held.set(shown(place), after);
      }),
    append: async () => {},
    create: async (place, text) => create(shown(place), text),
    list: async (place) => listed(place),
    async *walk(place) {
      yield* listed(place);
    },
    async remove(place) {
      for (const path of pathsIn(shown(place))) held.delete(path);
    },
    async copy(from, to) {
      const text = held.get(shown(from));
      if (text !== undefined) create(shown(to), text);
    },
    async look(place) {
      const text = held.get(shown(place));
      if (text !== undefined) return { kind: "file", bytes: Buffer.byteLength(text), changed: 0 };
      return pathsIn(shown(place)).length > 0
        ? { kind: "folder", bytes: 0, changed: 0 }
        : undefined;
    },
    async entries(place) {
      const start = `${shown(place)}/`;
      const below = pathsIn(shown(place)).map(
        (path) => path.slice(start.length).split("/")[0] ?? "",
      );
      return [...new Set(below)]
        .filter((name) => name !== "")
        .sort()
        .map((name) => ({ name, kind: held.get(start + name) === undefined ? "folder" : "file" }));
    },
    async makeFolder(place) {
      const parts = shown(place).split("/");
      parts.forEach((_, at) => create(parts.slice(0, at + 1).join("/")));
    },
    async move(from, to) {
      for (const path of pathsIn(shown(from))) {
        const text = held.get(path);
        held.delete(path);
        held.set(shown(to) + path.slice(shown(from).length), text);
      }
    },
    alone: run,
  };
}

const within = (path: string, start: string): boolean =>
  path === start || path.startsWith(`${start}/`);
