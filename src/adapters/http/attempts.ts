import { type Turn } from "../../engine/options/types.ts";
import { type ApiRequest } from "./wire.ts";

/** One call of the caller's, through all its HTTP attempts. */
export interface Attempt {
  /** The body it came with. */
  readonly sent: unknown;
  turn: Promise<Turn>;
}

/**
 * A client library runs its middleware once per HTTP attempt: all attempts of one call share its options object, and one turn. A
 * middleware before ours may send on several bodies in one call: each is a turn of its own.
 */
export function createAttempts<A extends Attempt>() {
  const byCall = new WeakMap<object, A>();
  return (call: object, request: ApiRequest, open: () => A): A => {
    const known = byCall.get(call);
    if (known !== undefined && known.sent === request.body) return known;
    const attempt = open();
    byCall.set(call, attempt);
    return attempt;
  };
}
