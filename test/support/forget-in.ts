import { forgetUser } from "../../src/tidemark/upkeep/forget-user.ts";
import type { UpkeepOf } from "../../src/tidemark/upkeep/mend.ts";
import { openPlace } from "../../src/tidemark/upkeep/places.ts";

/** Forgets a user of a folder that nobody has open. */
export async function forgetIn({ user, ...of }: UpkeepOf & { user: string }) {
  const place = await openPlace(of);
  const host = { now: of.now, emit: () => {} };
  return forgetUser(place, { user, ...host }).finally(place.store.close);
}
