import { isTrusted, type Memory } from "../../model/memory.ts";
import { dayOf, isoOf } from "../../model/moment.ts";
import { clip, oneLine } from "../../text/cut.ts";
import { wholeMark } from "../lines/short-name.ts";

/**
 * Something that began or ended, as a daily log tells it to a person: a time of day in UTC, what,
 * and the end of its id; no words of a user or a tool stand in such a line.
 */
export interface LoggedEvent {
  /** ms since epoch. */
  readonly at: number;
  readonly what: "session" | "fold" | "task" | "heartbeat";
  readonly id?: string;
  readonly did: "began" | "went on" | "ended" | "failed";
}

/** What became of a memory. */
export interface LoggedMemory {
  readonly at: number;
  readonly did: "saved" | "changed" | "ended" | "forgotten";
  readonly memory: Pick<Memory, "id" | "content" | "origin">;
  /** On whose behalf, where that is told: role and identity. */
  readonly author?: string | undefined;
}

export const logPath = (at: number): string => `memory/${dayOf(at)}.md`;
export const logOpening = (at: number): string => `# ${dayOf(at)}\n\n`;

/** As much of an id as the command line shows and understands. */
const SHORT = 7;
/** A line shows a sentence or two. */
const LONGEST_SHOWN = 280;
/** Characters of a memory's mark: no two of a scope have the same. */
const MARK = 8;

export function logLine(told: LoggedEvent | LoggedMemory): string {
  const time = isoOf(told.at).slice(-13, -8);
  if ("what" in told) {
    const name = (told.id ?? "").replace(/[^\w-]/g, "").slice(-SHORT);
    return ["-", time, told.what, name, told.did].filter((part) => part !== "").join(" ");
  }
  const { did, memory, author } = told;
  const doubt = isTrusted(memory.origin) ? "" : "(unverified) ";
  const words =
    did === "forgotten"
      ? ""
      : `: ${doubt}${clip(oneLine(memory.content), LONGEST_SHOWN).replaceAll("<!--", "<! --")}`;
  const by = author === undefined ? "" : ` (by ${author})`;
  return `- ${time} ${did}${words}${by} <!-- ${wholeMark(memory.id).slice(0, MARK)} -->`;
}

const OURS = new RegExp(
  String.raw`^- \d\d:\d\d (?:(?:session|fold|task|heartbeat)(?: [\w-]{1,7})?` +
    String.raw` (?:began|went on|ended|failed)$|(?:saved|changed|ended|forgotten)\b.* ` +
    String.raw`<!-- [0-9a-z]{${MARK}} -->$)`,
);

/** Was the line written here? All else in a log is a person's. */
export const isOurs = (raw: string): boolean => OURS.test(raw.trimEnd());

/** Lines with the rows that a formatter wrapped them into. */
const linesOf = (log: string): string[] => log.split(/\n(?![ \t]+\S)/);

/** A log without the lines on these memories. */
export function withoutLinesOf(log: string, ids: ReadonlySet<string>): string {
  const ends = [...ids].map((id) => `<!-- ${wholeMark(id).slice(0, MARK)} -->`);
  return linesOf(log)
    .filter((raw) => !ends.some((end) => raw.trimEnd().endsWith(end)))
    .join("\n");
}

const ENTRY = /^- \d\d:\d\d [a-z]+\b/;
const BY = /\s\(by\s+\S+\)(?=\s+<!-- [0-9a-z]+ -->$)/;

/** Line by line, and without what blanks stand behind: each is read once. */
const withAuthors = (log: string, named: (by: string) => string): string =>
  linesOf(log)
    .map((line) => {
      const end = line.trimEnd();
      return ENTRY.test(end) ? end.replace(BY, named) + line.slice(end.length) : line;
    })
    .join("\n");

/** A log in which a user's name stands behind no line. */
export const withoutAuthor = (log: string, user: string): string =>
  withAuthors(log, (by) =>
    by
      .split(/(?<=[+ ])|(?=[+)])/)
      .map((part) => (part === `user:${user}` ? "user:forgotten" : part))
      .join(""),
  );

/** A log without the names behind its lines. */
export const withoutAuthors = (log: string): string => withAuthors(log, () => "");
