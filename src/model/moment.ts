import { shown, refuse } from "./errors.ts";
import type { Moment } from "./memory.ts";

const ISO = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?$/;
/** The farthest moment a Date can hold, in ms (ECMA-262 §21.4.1.1). */
const FARTHEST = 8.64e15;

/** A moment as integer ms since epoch. `what` names the field in the error. */
export function momentOf(moment: Moment, what = "at"): number {
  const value: unknown = moment;
  const given = typeof value === "string" ? parsed(value, what) : value;
  const ms = value instanceof Date ? value.getTime() : given;
  if (typeof ms !== "number" || !Number.isFinite(ms) || Math.abs(ms) > FARTHEST)
    refuse(
      `${what} must be ms since 1970, a valid Date or ISO 8601 with a zone, got ${named(value)}.`,
    );
  return Math.round(ms);
}

function named(value: unknown): string {
  if (value instanceof Date) return "an invalid Date";
  if (typeof value === "string") return shown(value);
  return typeof value === "number" ? String(value) : `a value of type ${typeof value}`;
}

function parsed(text: string, what: string): number {
  const [, day, zone] = ISO.exec(text.trim()) ?? [];
  if (day !== undefined && zone === undefined)
    refuse(
      `${what} "${text}" names no zone, so it would mean another moment on each machine; add "Z" or an offset such as "+02:00", or pass a Date.`,
    );
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // Date.parse takes 30 February for a day in March.
  if (
    day === undefined ||
    !Number.isFinite(midnight) ||
    !new Date(midnight).toISOString().startsWith(day)
  )
    return NaN;
  return Date.parse(text.trim());
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
