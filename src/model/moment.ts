import { shown, refuse } from "./errors.ts";
import type { Moment } from "./memory.ts";
import { is } from "./schema.ts";

const ISO = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?$/;
/** The farthest moment a Date can hold, in ms (ECMA-262 §21.4.1.1). */
const FARTHEST = 8.64e15;

const MOMENT = 'ms since 1970, a Date or ISO 8601 with a zone ("Z" or an offset such as "+02:00")';
export const moment = is<Moment>(MOMENT, (value) => msOf(value) !== undefined);

/** A moment as integer ms since epoch. `what` names the field in the error. */
export const momentOf = (value: Moment, what = "at"): number =>
  msOf(value) ?? refuse(`${what} must be ${MOMENT}, got ${shown(value)}.`);

/** Without a zone it would be another moment on each machine. */
function msOf(value: unknown): number | undefined {
  const given = typeof value === "string" ? parsed(value.trim()) : value;
  const ms = given instanceof Date ? given.getTime() : given;
  return typeof ms === "number" && Math.abs(ms) <= FARTHEST ? Math.round(ms) : undefined;
}

function parsed(text: string): number | undefined {
  const [, day, zone] = ISO.exec(text) ?? [];
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // Date.parse takes 30 February for a day in March.
  const isDay =
    Number.isFinite(midnight) && new Date(midnight).toISOString().startsWith(String(day));
  return zone !== undefined && isDay ? Date.parse(text) : undefined;
}

let last = { at: 0, iso: new Date(0).toISOString() };
/** A moment as ISO 8601 in UTC; one that no Date can hold as the nearest that it can. */
export function isoOf(at: number): string {
  // A line and its file name the same moment some six times.
  if (last.at !== at) {
    const held = Number.isFinite(at) ? Math.max(-FARTHEST, Math.min(FARTHEST, at)) : 0;
    last = { at, iso: new Date(held).toISOString() };
  }
  return last.iso;
}

/** The day of a moment, as 2026-11-25, in UTC. */
export const dayOf = (at: number): string => isoOf(at).replace(/T.*$/, "");

/** The same with its time, as 2026-11-25 10:30. */
export const minuteOf = (at: number): string => isoOf(at).slice(0, 16).replace("T", " ");
