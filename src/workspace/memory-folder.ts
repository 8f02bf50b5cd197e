import { type Folder } from "./folder.ts";
import { shown } from "./paths.ts";
import { takingTurns } from "./turns.ts";

/** Files in the memory of the process, for `workspace: false`. Journals are not kept: nothing would ever read them. */
export function memoryFolder(): Folder {
  const files = new Map<string, { text: string; version: number }>();
  const inTurn = takingTurns();
  let version = 0;
  const put = (path: string, text: string) => files.set(path, { text, version: (version += 1) });

  return {
    async read(place, max) {
      const text = files.get(shown(place))?.text;
      if (text === undefined || max === undefined) return text;
      return max.keep === "end" ? text.slice(-max.characters) : text.slice(0, max.characters);
    },
    change: (place, change) =>
      inTurn(shown(place), async () => {
        const before = files.get(shown(place))?.text;
        const after = await change(before);
        if (after !== undefined && after !== before) put(shown(place), after);
      }),
    append: async () => ({ before: "", after: "" }),
    async create(place, text) {
      if (!files.has(shown(place))) put(shown(place), text);
    },
    async list(base, under) {
      const start = shown({ base, path: under });
      return [...files]
        .filter(([path]) => path === start || path.startsWith(`${start}/`))
        .map(([path, file]) => ({
          place: { base, path: base === "" ? path : path.slice(base.length + 1) },
          stamp: String(file.version),
        }));
    },
    async remove(place) {
      files.delete(shown(place));
    },
    async copy(from, to) {
      const text = files.get(shown(from))?.text;
      if (text !== undefined && !files.has(shown(to))) put(shown(to), text);
    },
    // No other process has them, and within this one a store's writers take turns.
    alone: (work) => work(),
    behind: async (then) => void (await then()),
  };
}
