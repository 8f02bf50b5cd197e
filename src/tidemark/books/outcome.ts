import { type Usage } from "../../model/ports.ts";
import { chainOf, statusIn } from "../../model/thrown.ts";

/** What there was of an answer that broke. */
export interface Came {
  /** As far as it came. */
  readonly text?: string;
  readonly usage?: Usage;
}

const CAME = Symbol("came");

/** Of a call whose answer began and broke: the provider had read the request by then, and is paid for it. */
export const brokenAnswer = (message: string, came: Came, cause?: unknown): Error =>
  Object.assign(new Error(message, { cause }), { [CAME]: came });

/** Of a call that the provider refused: nobody pays for one. */
export const refusedCall = (message: string, status: number): Error =>
  Object.assign(new Error(message), { status });

/** No line was there to send anything on. */
const UNSENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|UND_ERR_CONNECT_TIMEOUT)$/;

/** What came of the answer, where whoever threw knows. */
export const cameOf = (thrown: unknown): Came | undefined =>
  chainOf(thrown).find((each) => CAME in each)?.[CAME] as Came | undefined;

/**
 * Is it certain that the provider was paid nothing: it refused, by a status as SDKs and fetch name it, or was never reached?
 * All else may have been paid for: a budget that waited for proof would never stop a provider whose answers break.
 */
export function isUnpaid(thrown: unknown): boolean {
  return chainOf(thrown).some((each) => {
    const status = statusIn(each);
    return status === undefined
      ? typeof each.code === "string" && UNSENT.test(each.code)
      : status >= 400;
  });
}

/** The status a provider refused with, where whoever threw names one. */
export const refusalStatus = (thrown: unknown): number | undefined =>
  chainOf(thrown)
    .map(statusIn)
    .find((status) => status !== undefined && status >= 400);
