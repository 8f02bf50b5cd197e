import { type Folder } from "../disk/folder.ts";
import { type PageSync } from "./page-sync.ts";
import { type Place } from "../disk/paths.ts";

/** The folder, with each change told when it stands. */
export function telling(folder: Folder, { wrote, turned }: PageSync): Folder {
  const told = async <T>(place: Place, work: Promise<T>, tell = wrote): Promise<T> => {
    const done = await work;
    await folder.behind(() => tell(place));
    return done;
  };
  return {
    ...folder,
    change: (place, change) => told(place, folder.change(place, change)),
    append: (place, ...given) => told(place, folder.append(place, ...given)),
    create: (place, text) => told(place, folder.create(place, text)),
    remove: (place) => told(place, folder.remove(place)),
    copy: (from, to) => told(to, folder.copy(from, to)),
    move: (from, to) => told(to, told(from, folder.move(from, to), turned), turned),
    removeFolder: (place) => told(place, folder.removeFolder(place), turned),
  };
}
