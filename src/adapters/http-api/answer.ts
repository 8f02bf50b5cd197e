import { asDict, isDict } from "../../core/base.ts";
import { type ErrorCode, isTidemarkError } from "../../core/errors-and-events.ts";
import { type Mask, mask, maskingSlowly } from "../../core/secrets/mask.ts";
import { maskedMessage } from "../../storage/sqlite/message-rows.ts";
import { Refusal } from "./route.ts";

const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  ...{ config: 400, "scope-denied": 403, "not-found": 404, conflict: 409, window: 422 },
  ...{ capability: 501, closed: 503, connection: 503, store: 503, retrieval: 503 },
  ...{ workspace: 503, history: 503 },
};

/** The value without secrets, a message in it as history would mask it. */
function hidden(value: unknown, hide: Mask, name = ""): unknown {
  if (typeof value === "string") return hide(value);
  if (Array.isArray(value)) return value.map((one: unknown) => hidden(one, hide));
  if (!isDict(value)) return value;
  if (name === "message") return maskedMessage(value, hide);
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([key, held]) => [key, hidden(held, hide, key)]));
}

/** As JSON without secrets: words of before masking, and pages of people, may hold some. */
const sent = async (value: unknown, init: ResponseInit): Promise<Response> =>
  Response.json(await maskingSlowly((hide) => hidden(value, hide)), init);

/** Sends the thing that was found; a memory, note or file has its tag. */
export async function answered(found: unknown, status: number): Promise<Response> {
  if (found instanceof Response) return found;
  if (found === undefined || found === false || found === 0)
    throw new Refusal(404, "not-found", "There is no such thing here.");
  const { version, digest } = asDict(found);
  const tag = version ?? digest;
  return sent(isDict(found) ? found : {}, {
    status,
    headers: tag === undefined ? {} : { etag: `"${String(tag)}"` },
  });
}

/** Tells of trouble by a status and a sentence, with no trace of its place. */
export function refusedBy(thrown: unknown): Promise<Response> {
  const { status, code, message, current } = refusalIn(thrown);
  const headers = { ...(status === 401 && { "www-authenticate": "Bearer" }) };
  return sent({ error: { code, message: mask(message) }, current }, { status, headers });
}

function refusalIn(thrown: unknown): Refusal {
  // An error that a caller's function threw is the cause of one of ours.
  const found = [thrown, asDict(thrown).cause].find((one) => one instanceof Refusal);
  if (found !== undefined) return found;
  return isTidemarkError(thrown)
    ? new Refusal(STATUS[thrown.code] ?? 500, thrown.code, thrown.message)
    : new Refusal(500, "internal", "This went wrong inside.");
}
