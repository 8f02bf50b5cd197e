import { asDict } from "../../core/base.ts";
import { type ErrorCode, reasonOf, TidemarkError } from "../../core/errors-and-events.ts";

const codeOf = (thrown: unknown): string => String(asDict(thrown).code ?? "");

/**
 * Trouble that may be over the next time: a connection that was cut, a server that is starting, a
 * deadlock, a message that another process forgot at this moment.
 */
const PASSING =
  /^(?:08...|57P0[123]|40001|40P01|23503|53300|EPIPE|ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT)$/;
const CUT = /^(?:Connection terminated|Client has encountered a connection error)/;
const isPassing = (thrown: unknown): boolean =>
  PASSING.test(codeOf(thrown)) || CUT.test(reasonOf(thrown));

/** ms between two tries, 300 in all. */
const PAUSES = [10, 20, 40, 80, 150];

/** Tries again what was cut; what is tried must be safe to do twice. */
export async function again<T>(work: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES)
    try {
      return await work();
    } catch (thrown) {
      if (!isPassing(thrown)) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  return work();
}

const CURES: readonly (readonly [codes: RegExp, cure: string])[] = [
  [/^28...$/, "check the user and the password in its address"],
  [/^3D000$/, "make the database, or name another in its address"],
  [/^(?:3F000|42P01|42883)$/, "the schema is gone: restore it, and open it anew"],
  [/^42501$/, "its user lacks a right: grant it usage and create on the schema"],
  [/^25006$/, "the server is read-only: name the one that takes writes"],
  [/^53100$/, "the server's disk is full: make room there"],
  [/^53300$/, "the server has no connection left: raise max_connections or lower poolSize"],
  [/^(?:57014|55P03)$/, "it took too long: look what holds the server up, and try again"],
  [
    /^(?:08...|57P..|E[A-Z_]+)$/,
    "start the server, or check its address; nothing here need be restarted",
  ],
];

/** Trouble as one sentence; no address is in it, and so no password. */
export function explained(code: ErrorCode, where: string, thrown: unknown): TidemarkError {
  if (thrown instanceof TidemarkError) return thrown;
  const cure =
    CURES.find(([codes]) => codes.test(codeOf(thrown)))?.[1] ??
    (/time ?out/i.test(reasonOf(thrown))
      ? CURES.at(-2)?.[1]
      : CUT.test(reasonOf(thrown)) && CURES.at(-1)?.[1]);
  const reason = reasonOf(thrown).replace(/\.$/, "") || codeOf(thrown);
  return new TidemarkError(code, `${where}: ${reason}${cure ? `; ${cure}` : ""}.`, {
    cause: thrown,
  });
}
