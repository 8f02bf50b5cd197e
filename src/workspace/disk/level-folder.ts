import { methods } from "../../storage/methods.ts";
import { type FilePlace, type Folder, shown } from "./folder.ts";

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
