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

/** As much of a log as is looked at for what was told before. */
const LATEST = { characters: 65_536, keep: "end" } as const;

/** The daily logs, for people: written to, and never read for what they say. */
export const logbook = (folder: Folder) => ({
  /** `once`: they may have been told before, by a process that died. */
  async tell(
    all: readonly (LoggedEvent | LoggedMemory)[],
    scope: Scope,
    { once = false } = {},
  ): Promise<void> {
    for (const [path, told] of Map.groupBy(all, ({ at }) => logPath(at))) {
      const place = fileOf(scope, path);
      const before = once ? ((await folder.read(place, LATEST)) ?? "") : "";
      const fresh = told.map((one) => `${logLine(one)}\n`).filter((one) => !before.includes(one));
      if (fresh.length > 0)
        await folder.append(place, fresh.join(""), logOpening(told[0]?.at ?? 0));
    }
  },
  /** Takes out the lines on these memories. */
  async forget(ids: ReadonlySet<string>, scope: Scope): Promise<void> {
    for (const { place } of await folder.list(fileOf(scope, "memory")))
      await folder.change(place, (text) => text && withoutLinesOf(text, ids));
  },
});
