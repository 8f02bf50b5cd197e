import { either } from "./patterns.ts";
import { isDict } from "./guards.ts";

const NETWORK = /^(?:ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE|EHOST|ENET|UND_ERR)/;
const NAMES = /^(?:API)?(?:Connection|ConnectionTimeout|Timeout)Error$/;
/** Errors wrap each other, some of them themselves. */
const DEEPEST = 5;

function chainOf(thrown: unknown): Record<PropertyKey, unknown>[] {
  const chain: Record<PropertyKey, unknown>[] = [];
  for (let at = thrown; isDict(at) && chain.length < DEEPEST; at = at.cause) chain.push(at);
  return chain;
}

/** The status a provider refused with, as SDKs and fetch name it. */
const statusIn = ({
  status,
  statusCode,
  response,
}: Record<PropertyKey, unknown>): number | undefined =>
  [status, statusCode, isDict(response) ? response.status : undefined].find(
    (each) => typeof each === "number",
  );

/** Was a provider not reached, or did it fail on its side: what may be otherwise the next time? */
export function isUnreached(thrown: unknown): boolean {
  for (const each of chainOf(thrown)) {
    const status = statusIn(each);
    if (status !== undefined)
      return status === 408 || status === 409 || status === 429 || status >= 500;
    const { name, code, constructor } = each;
    if (
      [name, typeof constructor === "function" ? constructor.name : ""].some(
        (one) => typeof one === "string" && NAMES.test(one),
      ) ||
      (typeof code === "string" && NETWORK.test(code))
    )
      return true;
  }
  return false;
}

/** No line was there to send anything on. */
const UNSENT = either(
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN)$/,
  /^(?:UND_ERR_CONNECT_TIMEOUT)$/,
);

/**
 * Is it certain that the provider was paid nothing: it refused, by a status as SDKs and fetch name
 * it, or was never reached? All else may have been paid for: a budget that waited for proof would
 * never stop a provider whose answers break.
 */
export function isUnpaid(thrown: unknown): boolean {
  return chainOf(thrown).some((each) => {
    const status = statusIn(each);
    return status === undefined
      ? typeof each.code === "string" && UNSENT.test(each.code)
      : status >= 400;
  });
}
