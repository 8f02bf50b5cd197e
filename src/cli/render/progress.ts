import type { Progress } from "../../engine/upkeep/database-files.ts";
import type { Io } from "./io.ts";

/** A work that ends sooner says nothing on its way; a longer one every so often, ms. */
const EVERY = 2_000;

/** Says on standard error how far a long work is. */
export function progressOn({ warn, now = Date.now }: Pick<Io, "warn" | "now">): Progress {
  let next = now() + EVERY;
  return (done, what) => {
    const at = now();
    if (at < next) return;
    next = at + EVERY;
    warn(`tidemark: ${done.toLocaleString("en")} ${what} …`);
  };
}
