import { AsyncLocalStorage } from "node:async_hooks";
import { digest } from "../../text/hash.ts";
import { type Folder, type Listed } from "./folder.ts";
import { shown } from "./paths.ts";
import { takingTurns } from "./turns.ts";

/** Files in the memory of the process, for `workspace: false`. Journals are not kept: nothing would ever read them. */
export function memoryFolder(): Folder {
  const files = new Map<string, string>();
  const folders = new Set<string>();
  const inTurn = takingTurns();

  const isFolder = (path: string): boolean =>
    folders.has(path) || [...files.keys()].some((file) => file.startsWith(`${path}/`));

  const listed = (base: string, under: string): Listed[] =>
    [...files]
      .filter(([path]) => within(path, shown({ base, path: under })))
      .map(([path, text]) => ({
        place: { base, path: base === "" ? path : path.slice(base.length + 1) },
        // Of the text itself: an index may outlive the process.
        stamp: digest(text),
      }));

  return {
    async read(place, max) {
      const text = files.get(shown(place));
      if (text === undefined || max === undefined) return text;
      return max.keep === "end" ? text.slice(-max.characters) : text.slice(0, max.characters);
    },
    change: (place, change) =>
      inTurn(shown(place), async () => {
        const before = files.get(shown(place));
        const after = await change(before);
        if (after !== undefined && after !== before) files.set(shown(place), after);
      }),
    append: async () => ({ before: "", after: "" }),
    async create(place, text) {
      if (!files.has(shown(place))) files.set(shown(place), text);
    },
    list: async (base, under) => listed(base, under),
    async *walk(base, under) {
      yield listed(base, under);
    },
    async remove(place) {
      files.delete(shown(place));
    },
    async copy(from, to) {
      const text = files.get(shown(from));
      if (text !== undefined && !files.has(shown(to))) files.set(shown(to), text);
    },
    async look(place) {
      const [path, file] = [shown(place), files.get(shown(place))];
      if (file !== undefined) return { kind: "file", bytes: Buffer.byteLength(file), changed: 0 };
      return isFolder(path) ? { kind: "folder", bytes: 0, changed: 0 } : undefined;
    },
    async entries(place) {
      const start = `${shown(place)}/`;
      const below = [...files.keys(), ...folders].filter((path) => path.startsWith(start));
      const found = new Set(below.map((path) => path.slice(start.length).split("/")[0] ?? ""));
      return [...found]
        .sort()
        .map((name) => ({ name, kind: files.has(start + name) ? "file" : "folder" }));
    },
    async makeFolder(place) {
      const parts = shown(place).split("/");
      parts.forEach((_, at) => folders.add(parts.slice(0, at + 1).join("/")));
    },
    async move(from, to) {
      const [start, end] = [shown(from), shown(to)];
      for (const [path, file] of [...files])
        if (within(path, start) && files.delete(path))
          files.set(end + path.slice(start.length), file);
      for (const path of [...folders])
        if (within(path, start) && folders.delete(path))
          folders.add(end + path.slice(start.length));
    },
    async removeFolder(place) {
      const start = shown(place);
      for (const paths of [files, folders])
        for (const path of [...paths.keys()]) if (within(path, start)) paths.delete(path);
    },
    ...units(),
  };
}

/** No other process has the files; within this one such work takes turns. */
function units(): Pick<Folder, "alone" | "behind"> {
  const inTurn = takingTurns();
  const under = new AsyncLocalStorage<{ readonly later: (() => unknown)[]; ended?: true }>();
  const current = () => {
    const unit = under.getStore();
    return unit?.ended === true ? undefined : unit;
  };
  return {
    alone: (work) => {
      if (current() !== undefined) return work();
      return inTurn("", async () => {
        const unit: NonNullable<ReturnType<typeof current>> = { later: [] };
        try {
          const done = await under.run(unit, work);
          unit.ended = true;
          for (const then of unit.later) await then();
          return done;
        } finally {
          unit.ended = true;
        }
      });
    },
    behind: async (then) => {
      const unit = current();
      if (unit === undefined) await then();
      else unit.later.push(then);
    },
  };
}

const within = (path: string, start: string): boolean =>
  path === start || path.startsWith(`${start}/`);
