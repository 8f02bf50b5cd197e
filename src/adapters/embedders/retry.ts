import { TidemarkError } from "../../model/errors.ts";

/** ms before the first repetition; each further one waits twice as long. */
const FIRST_WAIT = 500;
/** ms; a server that asks for more is asked again after this much all the same. */
const LONGEST_WAIT = 60_000;

/** What may be otherwise the next time. */
export const isPassing = (status: number): boolean =>
  status === 408 || status === 409 || status === 429 || status >= 500;

/** ms to wait before attempt `attempt + 1`, by the server's word if it gave one. */
export function waitFor(attempt: number, headers?: Headers): number {
  const asked =
    headers === undefined
      ? undefined
      : (inMs(headers.get("retry-after-ms")) ?? retryAfter(headers));
  return Math.min(LONGEST_WAIT, asked ?? FIRST_WAIT * 2 ** attempt);
}

const inMs = (text: string | null): number | undefined =>
  text !== null && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;

/** Seconds, or a date: by the server's own clock, which ours need not agree with. */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get("retry-after");
  const seconds = inMs(text);
  if (seconds !== undefined) return seconds * 1000;
  const until = Date.parse(text ?? "") - Date.parse(headers.get("date") ?? "");
  return Number.isFinite(until) ? Math.max(0, until) : undefined;
}

/** Rejects at once when the signal aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(aborted(signal));
    const stop = (): void => {
      clearTimeout(timer);
      reject(aborted(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

export const aborted = (signal: AbortSignal | undefined): TidemarkError =>
  new TidemarkError("embed", "Embedding was called off.", { cause: signal?.reason });
