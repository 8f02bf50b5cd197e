import { SCOPE_KINDS, type Scope } from "../../model/identity.ts";
import { type Folder, type Listed } from "../disk/folder.ts";
import { folderOf, type Place } from "../disk/paths.ts";
import { OPENING, tellsEventsAlone } from "./daily-log.ts";

const DAY_FILE = /(?:^|\/)memory\/-?\d{4,}-\d\d-\d\d\.md$/;

/** The logs of a scope. */
export const filesOf = async (folder: Folder, scope: Scope): Promise<Listed[]> =>
  (await folder.list(folderOf(scope), "memory")).filter(({ place }) => DAY_FILE.test(place.path));

export const textOf = async (folder: Folder, place: Place): Promise<string> =>
  (await folder.read(place)) ?? "";

/** The logs of every scope. */
export async function allLogs(folder: Folder): Promise<Place[]> {
  const shared = await folder.list("", "memory");
  const others = await Promise.all(SCOPE_KINDS.map((kind) => folder.list("scopes", kind)));
  const listed = [shared, ...others].flat();
  return listed.map(({ place }) => place).filter(({ path }) => DAY_FILE.test(path));
}

/** Does it tell of no memory yet? */
export const isOfEvents = async (folder: Folder, place: Place): Promise<boolean> =>
  tellsEventsAlone((await folder.read(place, { characters: OPENING, keep: "start" })) ?? "");
