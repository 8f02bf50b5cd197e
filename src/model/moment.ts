import { TidemarkError } from "./errors.ts";
import { type Moment } from "./memory.ts";

const ZONED = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?\s?(Z|[+-]\d\d:?\d\d)$/i;

/** Integer ms since epoch. A time without a zone means something else on every machine, so it is refused. */
export function toMs(moment: Moment, what: string): number {
  const ms = moment instanceof Date ? moment.getTime() : typeof moment === "string" ? (ZONED.test(moment) ? Date.parse(moment) : Number.NaN) : moment;
  if (typeof ms !== "number" || !Number.isFinite(ms))
    throw new TidemarkError("config", `${what} must be milliseconds, a Date or ISO 8601 with a zone ("2026-01-31T09:00:00Z"), got ${JSON.stringify(moment)}.`);
  return Math.trunc(ms);
}
