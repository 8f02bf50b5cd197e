import { isOneOf, parsed } from "../../base/guards.ts";
import { isScope, type Scope } from "../../model/identity.ts";
import { KINDS, type MemoryKind, isTrusted, type Origin, ORIGINS } from "../../model/memory.ts";
import { digest } from "../../text/hash.ts";
import { UNSEEN } from "../../text/cut.ts";
import { dayOf, isoOf } from "../../model/moment.ts";
import { momentOf, packedLine, readMarkedLine } from "../lines/marked-line.ts";
import { BEGINNING } from "../lines/unread-line.ts";

/**
 * "withdrawn": an event that stands in the log and never came to be, because another process was
 * faster.
 */
const EVENTS = ["saved", "updated", "superseded", "forgotten", "withdrawn"] as const;

/** One memory event: what the journal must hold for a memory to be rebuilt from it. */
export interface LogLine {
  readonly event: (typeof EVENTS)[number];
  readonly id: string;
  /** When it happened, ms since epoch. */
  readonly at: number;
  /** Which value of the memory this is, from 1. Absent in the oldest logs. */
  readonly version?: number;
  /** The same value, other traits: said again, moved, made more important. */
  readonly again?: boolean;
  /**
   * When what it says was so, when it was last stated, and from when the value holds; absent: `at`.
   */
  readonly said?: number;
  readonly statedAt?: number;
  readonly validFrom?: number;
  /** The moment until which a superseded value held. */
  readonly until?: number;
  /** Its category was found, not given. */
  readonly sorted?: boolean;
  /**
   * First characters of the digest of the content as it was written: a person's edit shows. Set
   * when the line is read.
   */
  readonly sum?: string;
  readonly scope: Scope;
  readonly kind: MemoryKind;
  readonly category: string;
  readonly key?: string;
  readonly source: string;
  readonly origin: Origin;
  /** 0…1. */
  readonly importance?: number;
  readonly tags?: readonly string[];
  readonly expiresAt?: number;
  /** On whose behalf it was done, where that is audited: role and identity. */
  readonly author?: string;
  /** The receipt it was written with: of several facts of one distilling, all stand or none. */
  readonly of?: string;
  /** Empty for "forgotten" and "withdrawn", whatever was given. */
  readonly content: string;
}

/** Control characters, line separators, halves of surrogate pairs, and what is not seen. */
const ODD = new RegExp(`[\\p{Cc}\\u2028\\u2029]|\\p{Cs}|${UNSEEN.source}`, "gu");
/**
 * Any text on one line, exactly: "\n" for a line break, "\\" for itself, "\u{…}" for what cannot be
 * seen.
 */
const escapeLine = (text: string): string =>
  text
    .replaceAll("\\", "\\\\")
    .replaceAll("<!--", "<\\!--")
    .replace(ODD, (char) => {
      if (char === "\n") return "\\n";
      if (char === "\r") return "\\r";
      return char === "\t" ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
    });
/** A backslash a person typed before anything else stays a backslash. */
const unescapeLine = (text: string): string =>
  text.replace(
    /\\(?:\\|n|r|!|u\{([0-9a-f]{1,5}|10[0-9a-f]{4})\})/g,
    (whole, code: string | undefined) => {
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
      if (whole === "\\n") return "\n";
      return whole === "\\r" ? "\r" : whole.slice(1);
    },
  );

/** Tells two texts apart, and one from itself edited; short, so that a line stays readable. */
export const sumOf = (content: string): string => digest(content).slice(0, SUM);
/** Characters; logs of before have ten. */
const SUM = 6;
/** Did a person change the text of the line? */
export const isEdited = ({ sum, content }: LogLine): boolean =>
  sum !== undefined && sum !== sumOf(content);

const OF = 4;
/** How the lines of a receipt name it. */
export const ofReceipt = (id: string): string =>
  Buffer.from(digest("receipt", id), "hex").toString("base64url").slice(0, OF);

/** Does it tell a value of a memory? */
export const isValueLine = ({ event }: LogLine): boolean =>
  event === "saved" || event === "updated";

export const logPath = (at: number): string => `memory/${dayOf(at)}.md`;
const GUIDE =
  '<!-- One line per memory event. The text of a "saved" or "updated" line is yours to edit; ' +
  "leave the comment behind it. -->";
export const logOpening = (at: number): string => `# ${dayOf(at)}\n\n${GUIDE}\n\n`;

/**
 * How a log opens that no memory's line stands in yet: that a memory is not told there says
 * nothing.
 */
const ALONE = "<!-- What began and ended, in UTC. -->";
export const eventOpening = (at: number): string => `# ${dayOf(at)}\n\n${ALONE}\n\n`;
/** Characters that tell how a log opens. */
export const OPENING = 80;
export const tellsEventsAlone = (opening: string): boolean =>
  opening.slice(0, OPENING).includes(ALONE);
/** The same log, ready for its first memory. */
export const asJournal = (log: string | undefined): string | undefined =>
  log?.replace(ALONE, GUIDE);

/** Undefined where it is no moment of its own. */
const other = (moment: number | undefined, at?: number): string | undefined =>
  moment === undefined || moment === at ? undefined : isoOf(moment);

export function formatLogLine(line: LogLine): string {
  const gone = line.event === "forgotten";
  const empty = gone || line.event === "withdrawn";
  const doubt = empty || isTrusted(line.origin) ? "" : " (unverified)";
  return packedLine(
    `${isoOf(line.at).replace(/^.*T|\..*$/g, "")} ${line.event}${doubt}: ` +
      `${empty ? "" : escapeLine(line.content)}`,
    {
      id: line.id,
      at: isoOf(line.at),
      scope: line.scope,
      kind: line.kind,
      category: line.category,
      // A key or a tag can tell what was forgotten.
      key: gone ? undefined : line.key,
      source: line.source,
      origin: line.origin,
      importance: line.importance?.toString(),
      tags: gone || !line.tags?.length ? undefined : JSON.stringify(line.tags),
      expires: other(line.expiresAt),
      author: line.author,
      of: line.of === undefined || line.of.length <= OF ? line.of : ofReceipt(line.of),
      version: line.version?.toString(),
      again: line.again === true ? "yes" : undefined,
      said: gone ? undefined : other(line.said, line.at),
      stated: gone ? undefined : other(line.statedAt, line.at),
      from: gone ? undefined : other(line.validFrom, line.at),
      until: other(line.until),
      sorted: line.sorted === true ? "yes" : undefined,
      // Not even the digest of a forgotten text stays: a short text could be guessed from it.
      sum: gone ? undefined : (line.sum ?? sumOf(line.content)),
    },
  );
}

/** More than any memory is given: a line is a file's word, and a file may come from anywhere. */
const TAGS = 1_000;
function tagsOf(field: string | undefined): readonly string[] | undefined {
  const tags = parsed(field ?? "");
  return Array.isArray(tags)
    ? tags.filter((tag) => typeof tag === "string").slice(0, TAGS)
    : undefined;
}

/** The memories a log tells of. */
export const toldIn = (log: string): ReadonlySet<string> =>
  new Set(log.split("\n").flatMap((raw) => parseLogLine(raw)?.id ?? []));

/** The event a line of a daily log holds; undefined for any other line, a torn one included. */
export function parseLogLine(raw: string): LogLine | undefined {
  const line = readMarkedLine(raw);
  const [, event, text = ""] =
    /^\S+ (\w+)(?: \(unverified\))?: (.*)$/su.exec(line?.text ?? "") ?? [];
  if (line === undefined || !isOneOf(EVENTS, event)) return undefined;
  const { fields } = line;
  const { id, scope, kind, origin, category = "general", source = "manual" } = fields;
  const at = momentOf(fields.at);
  if (
    id === undefined ||
    at === undefined ||
    !isScope(scope) ||
    !isOneOf(KINDS, kind) ||
    !isOneOf(ORIGINS, origin)
  )
    return undefined;
  const [version, importance] = [Number(fields.version), Number(fields.importance)];
  return {
    event,
    id,
    at,
    scope,
    kind,
    origin,
    category,
    source,
    content: event === "forgotten" || event === "withdrawn" ? "" : unescapeLine(text),
    version: Number.isInteger(version) && version > 0 ? version : undefined,
    again: fields.again === "yes" || undefined,
    said: momentOf(fields.said),
    statedAt: momentOf(fields.stated),
    validFrom: momentOf(fields.from),
    until: momentOf(fields.until),
    sorted: fields.sorted === "yes" || undefined,
    sum: fields.sum?.slice(0, SUM),
    key: fields.key,
    importance: Number.isNaN(importance) ? undefined : importance,
    tags: tagsOf(fields.tags),
    expiresAt: momentOf(fields.expires),
    author: fields.author,
    of: fields.of,
  };
}

/**
 * The beginning of a line that was not written to its end: its writer died. What stands in it never
 * came to be, and would outlive its being forgotten, since it has no id. A last line of a person's
 * own is none, nor is one of ours that is only without a line break.
 */
export const isTorn = (last: string): boolean =>
  OPENED.test(last) || (BEGINNING.test(last) && !last.trimEnd().endsWith("-->"));
/** Not even its event was written. */
const OPENED = /^- \d\d:\d\d:\d{0,2}(?: [a-z]{0,10})?$/;

/** The log without such a last line. */
export function withoutTorn(text: string): string {
  const start = text.lastIndexOf("\n") + 1;
  return isTorn(text.slice(start)) ? text.slice(0, start) : text;
}

/**
 * The log with every event of these ids turned into a tombstone; the same text when there is none.
 */
export function blanked(text: string, gone: (line: LogLine) => boolean): string {
  const lines = text.split("\n").map((raw) => {
    const line = parseLogLine(raw);
    return line !== undefined && gone(line)
      ? formatLogLine({ ...line, event: "forgotten", content: "" })
      : raw;
  });
  return lines.join("\n");
}
