import { lifetimeOf } from "../../prompt/lifetimes.ts";
import { marked, type Sight } from "../sight.ts";

/** ms after which a provider that caches by itself has surely let go. */
const BY_ITSELF = 3_600_000;

/** Has the provider forgotten this conversation since its last reply, so that all of it will be written anew? */
export function isCold(sight: Sight): boolean {
  const { call, placed } = sight;
  const last = placed.entries.findLast(({ reply }) => reply)?.at;
  const life = call.dialect.format === "anthropic" ? lifetimeOf(marked(sight)) : BY_ITSELF;
  return last !== undefined && life !== undefined && call.core.now() - last > life;
}
