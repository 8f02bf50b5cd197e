import { atBorder, checkOpen, type View } from "../agents/public-calls.ts";
import { isOf } from "../core/identity.ts";
import type { Ports } from "../session/ports.ts";
import type { UsersApi } from "../session/options/tidemark-api.ts";
import { exportLines } from "./upkeep/archive.ts";
import { forgetUser } from "./upkeep/forget-user.ts";
import { type AnyWorkspace, placeOf } from "./upkeep/places.ts";

/** All that is one user's, with whichever agent; the same for every view of a workspace. */
export function usersApi(core: Ports, view: View): UsersApi {
  const { now, emit, background, sessions } = core;
  const border = { background, check: () => checkOpen(core, view) };
  async function within<T>(work: (place: AnyWorkspace) => Promise<T>): Promise<T> {
    const place = await placeOf(core);
    return work(place).finally(() => place.store !== core.store && place.store.close());
  }
  const { export: lines, ...others } = atBorder(border, "users.", {
    list: () =>
      within(async ({ whole }) =>
        (await whole.owners(now())).flatMap(({ scope, ...counted }) =>
          scope.startsWith("user:") ? [{ user: scope.slice("user:".length), ...counted }] : [],
        ),
      ),
    forget: (user: string, { dry }: { dry?: boolean } = {}) =>
      within(async (place) => {
        const owned = await place.whole.conversations((root) => isOf({ user }, root));
        const gone = await forgetUser(place, { user, dry, now, emit });
        if (dry !== true) for (const id of owned.sessions) sessions.drop(id);
        return gone;
      }),
    export: (user: string) =>
      within(async (place) => {
        const told: string[] = [];
        await exportLines(place, { now, of: { user } }, async (all) => {
          for await (const line of all) told.push(line);
        });
        return told;
      }),
  });
  return {
    ...others,
    async *export(user) {
      yield* await lines(user);
    },
  };
}
