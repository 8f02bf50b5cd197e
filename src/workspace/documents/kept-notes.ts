import type { Storage } from "../../storage/port.ts";
import type { Folder } from "../disk/folder.ts";

/** Which agents were seen, what waits to be decided, and where skills were written. */
type Note = "agents" | "proposals" | "skills";

/** Notes of the machine's own, which stand on no page. */
export const keptNotes = (store: Pick<Storage, "note" | "commit">, folder: Folder) => ({
  kept: (name: Note): Promise<string | undefined> => store.note(name),
  /** No other change of it comes in between. */
  keep: (name: Note, change: (text: string | undefined) => string): Promise<void> =>
    folder.alone(async () => {
      const before = await store.note(name);
      const text = change(before);
      if (text !== before) await store.commit({ notes: { [name]: text } }, { durable: true });
    }),
});

export type KeptNotes = ReturnType<typeof keptNotes>;
