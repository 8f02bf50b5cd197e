import { atBorder, checkOpen, type View } from "../agents/public-calls.ts";
import { refuse } from "../core/errors-and-events.ts";
import { isOf } from "../core/identity.ts";
import type { Ports } from "../session/ports.ts";
import type { UsersApi } from "../session/options/tidemark-api.ts";
import { ownedHistory } from "../storage/sqlite/backup.ts";
import { exportLines } from "./upkeep/archive.ts";
import { forgetUser, usersIn } from "./upkeep/forget-user.ts";
import { databaseOf, type UpkeepOf } from "./upkeep/mend.ts";

/** All that is one user's, with whichever agent; the same for every view of a workspace. */
export function usersApi(core: Ports, view: View): UsersApi {
  const { files, now, emit, background } = core;
  const place = (): UpkeepOf =>
    files === undefined
      ? refuse(
          "users are told apart in the database of a folder: open one with `workspace`.",
          "capability",
        )
      : { ...files, now, emit };
  const border = { background, check: () => checkOpen(core, view) };
  const { export: lines, ...others } = atBorder(border, "users.", {
    list: async () => usersIn(place(), now()),
    async forget(user: string, { dry = false }: { dry?: boolean } = {}) {
      const at = place();
      const { sessions } = ownedHistory(databaseOf(at), (root) => isOf({ user }, root));
      const gone = await forgetUser({ ...at, user, dry });
      if (dry) return gone;
      for (const id of sessions) core.sessions.drop(id);
      return gone;
    },
    async export(user: string) {
      const told: string[] = [];
      const take = async (all: AsyncIterable<string>): Promise<void> => {
        for await (const line of all) told.push(line);
      };
      await exportLines({ ...place(), of: { user } }, take);
      return told;
    },
  });
  return {
    ...others,
    async *export(user) {
      yield* await lines(user);
    },
  };
}
