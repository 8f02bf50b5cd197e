import { isoOf } from "../../model/moment.ts";

/**
 * Something that began or ended, as a daily log tells it to a person: a time of day in UTC, what,
 * and the end of its id. The journal passes over such lines as over any note of a person's; no
 * words of a user or a tool stand in them.
 */
export interface LoggedEvent {
  /** ms since epoch. */
  readonly at: number;
  readonly what: "session" | "fold" | "task" | "heartbeat";
  readonly id?: string;
  readonly did: "began" | "went on" | "ended" | "failed";
}

/** As much of an id as the command line shows and understands. */
const SHORT = 7;

export function eventLine({ at, what, id = "", did }: LoggedEvent): string {
  const name = id.replace(/[^\w-]/g, "").slice(-SHORT);
  return ["-", isoOf(at).slice(-13, -8), what, name, did].filter((part) => part !== "").join(" ");
}

const EVENT = new RegExp(
  String.raw`^- \d\d:\d\d (?:session|fold|task|heartbeat)(?: [\w-]{1,7})?` +
    " (?:began|went on|ended|failed)$",
);

export const isEventLine = (raw: string): boolean => EVENT.test(raw.trimEnd());
