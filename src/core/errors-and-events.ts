import { defined, either, isDict } from "./base.ts";

/**
 * What went wrong, as a closed list a program can switch on; docs/reference.md says what to do
 * about each.
 */
export const ERROR_CODES = [
  "window", // system and tools alone do not fit
  "config", // an option or argument that cannot be meant
  "closed", // used after close()
  "connection", // a server we called was not reached, did not answer in time, or failed on its side
  "capability", // a model, a package or the storage cannot do what was asked
  "store", // the database could not be opened, or memory not written
  "retrieval", // memories could not be read
  "workspace", // a file of the workspace cannot be read or written
  "history", // the verbatim archive cannot be read or written, or does not keep what was asked for
  "distil", // the distiller answered something unusable
  "embed", // an embedder answered something unusable, or was called off
  "scope-denied", // the identity may not write there
  "conflict", // somebody else changed it meanwhile
  "not-found", // a change of something that is not there
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

const MARK = Symbol.for("tidemark.error");

/** Said of a file or a schema that is opened to be looked at. */
export const OLDER =
  'was written by an older Tidemark, and looking changes nothing: run "tidemark stats", or a ' +
  "program that uses it, once.";

/** The only error Tidemark throws. `message` is one sentence: what, where, what to do. */
export class TidemarkError extends Error {
  override readonly name = "TidemarkError";
  readonly code: ErrorCode;
  readonly [MARK] = true;
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Throws "config": an option or argument that cannot be meant. */
export function refuse(sentence: string, code: ErrorCode = "config"): never {
  throw new TidemarkError(code, sentence);
}

/** True for a TidemarkError of any copy of this package in the process. */
export const isTidemarkError = (value: unknown): value is TidemarkError => {
  try {
    return typeof value === "object" && value !== null && MARK in value;
  } catch {
    return false;
  }
};

/** Any value as a few words of a sentence: never throws, never long. */
export function shown(value: unknown): string {
  try {
    const text = JSON.stringify(value) ?? typeof value;
    return text.length > 100 ? `${text.slice(0, 100)}…` : text;
  } catch {
    return `a value of type ${typeof value}`;
  }
}

/**
 * The words of anything that was thrown: an error's, those in a provider's answer of `{ error: {
 * message } }`, else the value itself.
 */
export function reasonOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return String(thrown.message);
    if (!isDict(thrown)) return typeof thrown === "object" ? shown(thrown) : String(thrown);
    const { error, message } = thrown;
    const said = [message, isDict(error) ? error.message : error].find(
      (words) => typeof words === "string" && words !== "",
    );
    return typeof said === "string" ? said : shown(thrown);
  } catch {
    // Read out, it throws something of its own.
    return "an error that cannot be read";
  }
}

/**
 * An error of ours as it is; anything else as one of ours, under a code and in a sentence on its
 * reason.
 */
export const asOurs = (
  thrown: unknown,
  code: ErrorCode,
  sentence: (reason: string) => string,
): TidemarkError =>
  isTidemarkError(thrown)
    ? thrown
    : new TidemarkError(code, sentence(reasonOf(thrown)), { cause: thrown });

/** The same for an event, with the code where there is one. */
export const troubleOf = (thrown: unknown): { error: string; code?: ErrorCode } => ({
  error: reasonOf(thrown),
  ...defined({ code: isTidemarkError(thrown) ? thrown.code : undefined }),
});

/** The event of trouble that something goes on without. */
export const degraded = (where: string, thrown: unknown) => ({
  type: "degraded" as const,
  where,
  ...troubleOf(thrown),
});

/** Hears what was thrown, and tells of it as such trouble. */
export const telling =
  (emit: (event: ReturnType<typeof degraded>) => void, where: string) =>
  (thrown: unknown): undefined =>
    void emit(degraded(where, thrown));

/** The same where memories could not be read: why the index could not is the cause. */
export const unreadBy = (thrown: unknown): { error: string; code: ErrorCode } => ({
  error: reasonOf(thrown),
  code: isTidemarkError(thrown) && thrown.code !== "store" ? thrown.code : "retrieval",
});

/** Runs a reading of memories whose caller is told of trouble. Rejects with "retrieval". */
export const retrieving = <T>(work: Promise<T>): Promise<T> =>
  work.catch((thrown: unknown) => {
    throw isTidemarkError(thrown) && thrown.code !== "store"
      ? thrown
      : new TidemarkError("retrieval", reasonOf(thrown), { cause: thrown });
  });

/** A notice is good to know and asks for nothing; its members are its subject and figures. */
type Notice =
  | { about: "waited"; session: string; ms: number }
  | { about: "queued" | "thinking-dropped"; session: string; messages: number }
  | { about: "thinking-refused"; session: string; error: string }
  | { about: "budget-spent"; session: string; spent: number; budget: number }
  | { about: "reconciled"; scope: string; changed: number; forgotten: number }
  | { about: "learned"; what: "error" | "correction"; tool?: string; characters: number }
  | { about: "inferable"; id: string }
  | { about: ToldNotice };

/** Notices that a person is told once. */
export type ToldNotice =
  | "adopted"
  | "background-calls"
  | "conversations-alike"
  | "conversations-in-a-row"
  | "cut-by-provider"
  | "no-model"
  | "no-procedures"
  | "policies-differ"
  | "rules-left-out"
  | "turns-not-ended"
  | "usage-untrue"
  | "history-held"
  | "wishes-left-out"
  | "forgotten"
  | "inject-cut"
  | "inject-missing"
  | "page";

/**
 * What happened, as plain objects: counts, ids, sizes; no words of a conversation, since events end
 * up in logs. The library prints nothing; stats, tests and traces all listen.
 */
export type TidemarkEvent =
  | { type: "flushed"; session: string; messages: number; facts: number }
  | { type: "folded"; id: string; messages: number; before: number; after: number }
  | { type: "fold-refused"; reason: string }
  | { type: "shortened"; messages: number; before: number; after: number }
  | {
      type: "distilled";
      session: string;
      by: "model" | "extractive";
      facts: number;
      ms: number;
    }
  | { type: "distil-failed"; session: string; error: string; code?: ErrorCode }
  | ({ type: "notice"; text: string } & Notice)
  | { type: "saved"; id: string; scope: string }
  | {
      type: "recalled";
      characters: number;
      hits: number;
      ms: number;
      session?: string;
      tokens?: number;
    }
  | { type: "injected"; session: string; sections: { section: string; tokens: number }[] }
  | { type: "overflow-recovered"; before: number; after: number }
  | { type: "window-guessed"; model: string; tokens: number }
  | { type: "passed"; reason: string }
  | { type: "degraded"; where: string; error: string; code?: ErrorCode };

export type Listen = (event: TidemarkEvent) => void;
/** With the words an event is about: no host's listener is given these. */
export type Emit = (event: TidemarkEvent, words?: string) => void;

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
