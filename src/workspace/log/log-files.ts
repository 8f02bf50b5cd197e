import { DEFAULT_SCOPE, SCOPE_KINDS, type Scope } from "../../model/identity.ts";
import type { Folder, Listed } from "../disk/folder.ts";
import { fileOf, type Place } from "../disk/paths.ts";
import { OPENING, tellsEventsAlone } from "./daily-log.ts";

const DAY_FILE = /(?:^|\/)memory\/-?\d{4,}-\d\d-\d\d\.md$/;

/** The logs of a scope. */
export const filesOf = async (folder: Folder, scope: Scope): Promise<Listed[]> =>
  (await folder.list(fileOf(scope, "memory"))).filter(({ place }) => DAY_FILE.test(place.path));

export const textOf = async (folder: Folder, place: Place): Promise<string> =>
  (await folder.read(place)) ?? "";

/** The logs of every scope. */
export async function allLogs(folder: Folder): Promise<Place[]> {
  const others = SCOPE_KINDS.map((path) => ({ base: "scopes", path }));
  const roots = [fileOf(DEFAULT_SCOPE, "memory"), ...others];
  const listed = (await Promise.all(roots.map(folder.list))).flat();
  return listed.map(({ place }) => place).filter(({ path }) => DAY_FILE.test(path));
}

/** Does it tell of no memory yet? */
export const isOfEvents = async (folder: Folder, place: Place): Promise<boolean> =>
  tellsEventsAlone((await folder.read(place, { characters: OPENING, keep: "start" })) ?? "");
