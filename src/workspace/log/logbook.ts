import type { Scope } from "../../model/identity.ts";
import type { Folder } from "../disk/folder.ts";
import { fileOf } from "../disk/paths.ts";
import {
  type LoggedEvent,
  type LoggedMemory,
  logLine,
  logOpening,
  logPath,
  withoutLinesOf,
} from "./log-line.ts";

export type Logbook = ReturnType<typeof logbook>;

/** The daily logs, for people: written to, and never read for what they say. */
export const logbook = (folder: Folder) => ({
  async tell(all: readonly (LoggedEvent | LoggedMemory)[], scope: Scope): Promise<void> {
    for (const [path, told] of Map.groupBy(all, ({ at }) => logPath(at))) {
      const text = told.map((one) => `${logLine(one)}\n`).join("");
      await folder.append(fileOf(scope, path), text, logOpening(told[0]?.at ?? 0));
    }
  },
  /** Takes out the lines on these memories. */
  async forget(ids: ReadonlySet<string>, scope: Scope): Promise<void> {
    for (const { place } of await folder.list(fileOf(scope, "memory")))
      await folder.change(place, (text) => text && withoutLinesOf(text, ids));
  },
});
