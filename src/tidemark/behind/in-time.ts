import { TidemarkError } from "../../model/errors.ts";
import { type Complete } from "../../model/ports.ts";
import { type Core } from "../core.ts";

/** A distiller that has not answered by then is taken for dead (design §3.6). */
export const HANG_MS = 60_000;

/** Each call has a minute of its own: one that is late costs what it was to say, not what the calls before it said. */
export function inTime({ timer }: Pick<Core, "timer">, complete: Complete): Complete {
  return async (request) => {
    const own = new AbortController();
    const cancel = timer(HANG_MS, () =>
      own.abort(
        new TidemarkError(
          "connection",
          `The distiller did not answer within ${HANG_MS / 1000} s; it will be asked again.`,
        ),
      ),
    );
    try {
      return await complete({ ...request, signal: AbortSignal.any([request.signal, own.signal]) });
    } finally {
      cancel();
    }
  };
}
