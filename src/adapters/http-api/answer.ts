import { asDict, type Dict, isDict } from "../../core/base.ts";
import { isTidemarkError } from "../../core/errors-and-events.ts";
import { mask, maskingSlowly } from "../../core/secrets/mask.ts";
import { maskedMessage } from "../../storage/sqlite/masked-messages.ts";
import { Refusal } from "./route.ts";

/** Statuses by code; 500 is all others'. */
const STATUS: Readonly<Partial<Record<string, number>>> = {
  ...{ config: 400, unauthorized: 401, "scope-denied": 403, forbidden: 403, "not-found": 404 },
  ...{ conflict: 409, precondition: 412, "too-large": 413, window: 422, capability: 501 },
  ...{ closed: 503, connection: 503, store: 503, retrieval: 503, workspace: 503, history: 503 },
};

/** Sends JSON without secrets: words of before masking, and pages of people, may hold some. */
const sent = async (value: Dict, init: ResponseInit): Promise<Response> =>
  Response.json(await maskingSlowly((hide) => maskedMessage(value, hide)), init);

/** Sends the thing that was found; a memory, note or file has its tag. */
export async function answered(found: unknown, status: number): Promise<Response> {
  if (found instanceof Response) return found;
  if (found === undefined || found === false || found === 0)
    throw new Refusal("not-found", "There is no such thing here.");
  const { version, digest = version } = asDict(found);
  const headers = digest === undefined ? [] : [["etag", `"${String(digest)}"`] as const];
  return sent(isDict(found) ? found : {}, { status, headers: Object.fromEntries(headers) });
}

/** Tells of trouble by a status and a sentence, with no trace of its place. */
export function refusedBy(thrown: unknown): Promise<Response> {
  // An error that a caller's function threw is the cause of one of ours.
  const refusal = [thrown, asDict(thrown).cause].find((one) => one instanceof Refusal);
  const ours = refusal ?? (isTidemarkError(thrown) ? thrown : undefined);
  const { code, message } = ours ?? { code: "internal", message: "This went wrong inside." };
  const body = { error: { code, message: mask(message) }, current: refusal?.current };
  return sent(body, { status: STATUS[code] ?? 500, headers: { "www-authenticate": "Bearer" } });
}
