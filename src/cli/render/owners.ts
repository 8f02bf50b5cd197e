import type { Owner } from "../../engine/upkeep/owners.ts";
import { plain, some } from "./layout.ts";
import { count } from "./numbers.ts";

/** Owners named in one line. */
const NAMED = 5;

export type Counted = "memories" | "conversations";

/** "user ada (3 memories), agent sky (1 memory)". */
export function ownersNamed(owners: readonly Owner[], what: Counted): string {
  const one = what === "memories" ? "memory" : "conversation";
  const all = owners.map(
    ({ scope, [what]: many }) => `${plain(scope.replace(":", " "))} (${count(many, one, what)})`,
  );
  return some(all, NAMED);
}
