import { isDict } from "../model/guards.ts";

const NETWORK = /^(?:ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE|EHOST|ENET|UND_ERR)/;
const NAMES = /^(?:API)?(?:Connection|ConnectionTimeout|Timeout)Error$/;
/** Errors wrap each other, some of them themselves. */
const DEEPEST = 5;

/** Was a provider not reached, or did it fail on its side: what may be otherwise the next time, as SDKs and fetch say it? */
export function isUnreached(thrown: unknown): boolean {
  for (let at = thrown, depth = 0; (isDict(at) || at instanceof Error) && depth < DEEPEST; depth += 1) {
    const { status, code, name, cause }: { status?: unknown; code?: unknown; name?: unknown; cause?: unknown } = at;
    if (typeof status === "number") return status === 408 || status === 409 || status === 429 || status >= 500;
    if ([name, at.constructor?.name].some((each) => typeof each === "string" && NAMES.test(each)) || (typeof code === "string" && NETWORK.test(code))) return true;
    at = cause;
  }
  return false;
}
