import type { Json, Refusal } from "./wire.ts";

/** What may go wrong with a request that was fine. */
export type Failure =
  | "rate-limit" // 429
  | "overloaded" // 529
  | "error" // 500
  | "hang" // no answer until the client gives up
  | "disconnect" // the line is cut before the answer
  | "junk" // an answer that is no JSON, a stream that holds none
  | { readonly cutAfter: number } // the line is cut after so many events
  | Refusal;

/** Failures in the order of the requests, undefined for one that goes well; or a choice by request. */
export type FailurePlan =
  | readonly (Failure | undefined)[]
  | ((request: Json, about: { readonly index: number }) => Failure | undefined);

/** The errors among the failures, as the API words them. */
export function errorOf(failure: Failure): Refusal | undefined {
  switch (failure) {
    case "rate-limit":
      return {
        status: 429,
        type: "rate_limit_error",
        message: "This request would exceed your organization's rate limit.",
      };
    case "overloaded":
      return { status: 529, type: "overloaded_error", message: "Overloaded" };
    case "error":
      return { status: 500, type: "api_error", message: "Internal server error" };
    case "hang":
    case "disconnect":
    case "junk":
      return undefined;
    default:
      return "status" in failure ? failure : undefined;
  }
}
