import { membersIn } from "../../base/guards.ts";
import { DEFAULT_SCOPE, SCOPE_KINDS, type Scope } from "../../model/identity.ts";
import type { Folder, Listed, Stamps } from "../disk/folder.ts";
import { fileOf, ownFile, type FilePlace, shown } from "../disk/paths.ts";
import { OPENING, tellsEventsAlone } from "./daily-log.ts";

const DAY_FILE = /(?:^|\/)memory\/-?\d{4,}-\d\d-\d\d\.md$/;

/** The logs of a scope. */
export const filesOf = async (folder: Folder, scope: Scope): Promise<Listed[]> =>
  (await folder.list(fileOf(scope, "memory"))).filter(({ place }) => DAY_FILE.test(place.path));

export const textOf = async (folder: Folder, place: FilePlace): Promise<string> =>
  (await folder.read(place)) ?? "";

/** The logs of every scope. */
export async function allLogs(folder: Folder): Promise<FilePlace[]> {
  const others = SCOPE_KINDS.map((path) => ({ base: "scopes", path }));
  const roots = [fileOf(DEFAULT_SCOPE, "memory"), ...others];
  const listed = (await Promise.all(roots.map(folder.list))).flat();
  return listed.map(({ place }) => place).filter(({ path }) => DAY_FILE.test(path));
}

/** Does it tell of no memory yet? */
export const isOfEvents = async (folder: Folder, place: FilePlace): Promise<boolean> =>
  tellsEventsAlone((await folder.read(place, { characters: OPENING, keep: "start" })) ?? "");

const SEEN: FilePlace = ownFile("journal.json");

/** The stamps of the logs as they were last seen. */
export function createStamps(folder: Folder) {
  let known: Promise<Map<string, string>> | undefined;
  const seen = (): Promise<Map<string, string>> => (known ??= recalled(folder));
  return {
    seen,
    /** Runs a write of ours: it does not count as a change, unless there was one already. */
    write: (
      place: FilePlace,
      work: (note: (stamps: Stamps) => void) => Promise<void>,
    ): Promise<void> =>
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

/** The stamps the last process knew. If they cannot be read, all logs are read once more. */
async function recalled(folder: Folder): Promise<Map<string, string>> {
  const held = membersIn(await folder.read(SEEN).catch(() => undefined));
  return new Map(
    held.flatMap(([path, stamp]) => (typeof stamp === "string" ? [[path, stamp]] : [])),
  );
}
