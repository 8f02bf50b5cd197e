import type { Scope } from "../../core/identity.ts";
import { dayOf, isoOf, isTrusted, type Memory } from "../../core/memory.ts";
import { clip, digest, normalForm, oneLine } from "../../core/text/cut.ts";
import { fileOf, type Folder, shown, stampAt, troubled } from "../disk/folder.ts";
import { writtenAt } from "../disk/write-whole.ts";
import { backupAt, stampName } from "./first-pages-and-backups.ts";
import type { PageCopy } from "./memory-page.ts";
import { wholeMark } from "./page-lines.ts";

/**
 * Something that began or ended, as a daily log tells it to a person: a time of day in UTC, what,
 * and the end of its id; no words of a user or a tool stand in such a line.
 */
export interface LoggedEvent {
  /** ms since epoch. */
  readonly at: number;
  readonly what: "session" | "fold" | "task";
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

const logPath = (at: number): string => `memory/${dayOf(at)}.md`;
const logOpening = (at: number): string => `# ${dayOf(at)}\n\n`;

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
  String.raw`^- \d\d:\d\d (?:(?:session|fold|task)(?: [\w-]{1,7})?` +
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

/**
 * A log in which a user's name stands behind no line. Line by line, and without what blanks stand
 * behind: each is read once.
 */
export const withoutAuthor = (log: string, user: string): string =>
  linesOf(log)
    .map((line) => {
      const end = line.trimEnd();
      const named = (by: string): string =>
        by
          .split(/(?<=[+ ])|(?=[+)])/)
          .map((part) => (part === `user:${user}` ? "user:forgotten" : part))
          .join("");
      return ENTRY.test(end) ? end.replace(BY, named) + line.slice(end.length) : line;
    })
    .join("\n");

/** As much of a log as is looked at for what was told before. */
const LATEST = { characters: 65_536, keep: "end" } as const;

/** The daily logs, for people: written to, and never read for what they say. */
export const logbook = (folder: Folder) => ({
  /** `once`: they may have been told before, by a process that died. */
  async tell(
    all: readonly (LoggedEvent | LoggedMemory)[],
    scope: Scope,
    { once = false } = {},
  ): Promise<void> {
    for (const [path, told] of Map.groupBy(all, ({ at }) => logPath(at))) {
      const place = fileOf(scope, path);
      const before = once ? ((await folder.read(place, LATEST)) ?? "") : "";
      const fresh = told.map((one) => `${logLine(one)}\n`).filter((one) => !before.includes(one));
      if (fresh.length > 0)
        await folder.append(place, fresh.join(""), logOpening(told[0]?.at ?? 0));
    }
  },
  /** Takes out the lines on these memories. */
  async forget(ids: ReadonlySet<string>, scope: Scope): Promise<void> {
    for (const { place } of await folder.list(fileOf(scope, "memory")))
      await folder.change(place, (text) => text && withoutLinesOf(text, ids));
  },
});

/** An editor that has had the page open for a while saves on top of an older writing. */
const KEPT = 3;
/** Characters of a page that is read for edits. */
const LARGEST = 400_000;
const PAGE = "MEMORY.md";

/** The name under which a database keeps how the page of a scope was last written. */
export const copiesOf = (scope: Scope): string => `page:${scope}`;

/** MEMORY.md of a scope. Written within `alone`. */
export function pagesIn(folder: Folder) {
  const seen = new Map<Scope, string>();
  const stampOf = (scope: Scope): Promise<string> => stampAt(folder, fileOf(scope, PAGE));
  return {
    /** Was it looked at or written here before? */
    isKnown: (scope: Scope): boolean => seen.has(scope),
    /**
     * Has another process or a person written to it since it was last looked at or written here?
     */
    changed: async (scope: Scope): Promise<boolean> => seen.get(scope) !== (await stampOf(scope)),
    /** How long the page that was read has been without a word, ms; undefined where it has some. */
    blankFor: (scope: Scope, text: string | undefined, now: number): number | undefined =>
      text?.trim() === "" ? now - writtenAt(seen.get(scope) ?? "") : undefined,
    /** It counts as looked at. */
    async read(scope: Scope): Promise<string | undefined> {
      seen.set(scope, await stampOf(scope));
      const text = await folder.read(fileOf(scope, PAGE), {
        characters: LARGEST + 1,
        keep: "start",
      });
      if ((text?.length ?? 0) > LARGEST)
        throw troubled(
          `${shown(fileOf(scope, PAGE))} has more than ${LARGEST / 1000},000 characters, ` +
            "so it is not read for edits. Shorten it, or keep the rest in another file.",
        );
      return text;
    },
    async write(scope: Scope, text: string): Promise<void> {
      await folder.change(fileOf(scope, PAGE), () => text);
      seen.set(scope, await stampOf(scope));
    },
    /** Copies the file as it stands to where backups are; answers where, from the root. */
    async putAside(scope: Scope, now: number): Promise<string> {
      const place = backupAt(scope, `${PAGE}/${stampName(now)}-aside.md`);
      await folder.copy(fileOf(scope, PAGE), place);
      return shown(place);
    },
  };
}

/** The last writings of a page as they are kept, the latest last. */
export const readCopies = (text = "[]"): PageCopy[] => JSON.parse(text) as PageCopy[];

export const keptCopies = (copies: readonly PageCopy[]): string =>
  JSON.stringify(copies.slice(-KEPT));

/** Memories that are forgotten or expired, and digests of the normal forms they said. */
export interface Gone {
  readonly ids: ReadonlySet<string>;
  readonly said: ReadonlySet<string>;
}
export const isSaid = ({ said }: Gone, text: string): boolean => said.has(digest(normalForm(text)));

/** Without the lines of these memories, and without what says the same in a person's own part. */
export const withoutGoneIn = (copies: readonly PageCopy[], gone: Gone): readonly PageCopy[] =>
  copies.map((copy) => ({
    ...copy,
    head: copy.head
      .split("\n")
      .filter((row) => !isSaid(gone, row.replace(/^\s*[-*+]\s+|<!--[^<]*?-->/g, "")))
      .join("\n"),
    lines: copy.lines.filter(({ id, text }) => !gone.ids.has(id) && !isSaid(gone, text)),
  }));
