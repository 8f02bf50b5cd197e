import { membersIn } from "../../base/guards.ts";
import type { Folder, Stamps } from "../disk/folder.ts";
import { type Place, shown, ownFile } from "../disk/paths.ts";

const SEEN: Place = ownFile("journal.json");

/** The stamps of the logs as they were last seen. */
export function createStamps(folder: Folder) {
  let known: Promise<Map<string, string>> | undefined;
  const seen = (): Promise<Map<string, string>> => (known ??= recalled(folder));
  return {
    seen,
    /** Runs a write of ours: it does not count as a change, unless there was one already. */
    write: (place: Place, work: (note: (stamps: Stamps) => void) => Promise<void>): Promise<void> =>
      folder.alone(async () => {
        const stamps = await seen();
        await work(({ before, after }) => {
          if ((stamps.get(shown(place)) ?? "") === before) stamps.set(shown(place), after);
        });
      }),
    drop(prefix: string): void {
      void seen().then((stamps) => {
        for (const path of stamps.keys()) if (path.startsWith(prefix)) stamps.delete(path);
      });
    },
    /** Keeps them for the next process. */
    async settle(): Promise<void> {
      if (known === undefined) return;
      const text = `${JSON.stringify(Object.fromEntries(await known))}\n`;
      await folder.change(SEEN, () => text);
    },
  };
}

/** What the last process knew. Unreadable is unknown: then all is read once more. */
async function recalled(folder: Folder): Promise<Map<string, string>> {
  const held = membersIn(await folder.read(SEEN).catch(() => undefined));
  return new Map(
    held.flatMap(([path, stamp]) => (typeof stamp === "string" ? [[path, stamp]] : [])),
  );
}
