import type { Scope } from "../../core/identity.ts";
import { isoOf } from "../../core/memory.ts";
import { clip, normalForm } from "../../core/text/cut.ts";
import { codeReader, unwrapped } from "../../core/text/markdown.ts";
import { diskFolder } from "../disk/disk-folder.ts";
import { fileOf, type FilePlace, troubled, unpercent } from "../disk/folder.ts";
import { shownText, wholeMark } from "./page-lines.ts";

/** A part of a person's page that is written here, between two comments. */
interface PartName {
  readonly page: string;
  readonly name: string;
}

/** The lines between the markers, from the first to behind the last. */
interface Span {
  readonly start: number;
  readonly end: number;
}

const opening = (name: string): string => `<!-- tidemark:${name} -->`;
const closing = (name: string): string => `<!-- /tidemark:${name} -->`;

/** Lines as they stand, with what ends them: all but what is changed stays byte for byte. */
const rowsOf = (text: string): string[] => text.split(/(?<=\n)/);

/**
 * "broken": one of the markers is gone or stands twice, so that nothing can be told from a person's
 * own words.
 */
function spanOf(rows: readonly string[], name: string): Span | "broken" | undefined {
  const isCode = codeReader();
  const bare = rows.map((row) => (isCode(row.trimEnd()) ? "" : row.replace(/^\ufeff/, "").trim()));
  const [start, end] = [bare.indexOf(opening(name)), bare.indexOf(closing(name))];
  if (start < 0 && end < 0) return undefined;
  const isWhole =
    start >= 0 &&
    start < end &&
    start === bare.lastIndexOf(opening(name)) &&
    end === bare.lastIndexOf(closing(name));
  return isWhole ? { start: start + 1, end } : "broken";
}

/** The page's lines, each with what ends it, and where the part stands among them. */
function partLines(text: string, name: string): { rows: string[]; span?: Span } {
  const rows = unwrapped(rowsOf(text));
  const span = spanOf(rows, name);
  return { rows, span: span === "broken" ? undefined : span };
}

/**
 * The lines of the part, without what ends them; [] where there is none, or its markers are not
 * whole.
 */
export function partOf(text: string, name: string): string[] {
  const { rows, span } = partLines(text, name);
  return rows.slice(span?.start ?? 0, span?.end ?? 0).map((row) => row.trimEnd());
}

/**
 * The page with a line of the part in place of the one at `at`, or behind its last line where none
 * is named; a page without such a part gets one at its end, below `heading`. Nothing else changes.
 * Throws "workspace" where the markers are not whole.
 */
function withPartLine(
  text: string,
  { page, name }: PartName,
  { line, at = -1, heading }: { line: string; at?: number; heading: string },
): string {
  const rows = rowsOf(text);
  const span = spanOf(rows, name);
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  if (span === "broken")
    throw troubled(
      `${page} does not hold both "${opening(name)}" and "${closing(name)}" once, each ` +
        "on a line of its own: put back the one that is missing, or take out both.",
    );
  if (span === undefined) {
    const before = text.trim() === "" ? "" : text + (text.endsWith("\n") ? end : end + end);
    const made = `${before}${[heading, "", opening(name), line, closing(name), ""].join(end)}`;
    if (typeof spanOf(rowsOf(made), name) === "object") return made;
    throw troubled(
      `${page} ends within a block of code that is not closed, so nothing was added to ` +
        "it. Close the block.",
    );
  }
  const [place, gone] = at < 0 ? [span.end, 0] : [span.start + at, 1];
  return rows.toSpliced(place, gone, `${line}${end}`).join("");
}

/**
 * The part of USER.md in which preferences wait until a person ticks them, or the host accepts
 * them.
 */
const PREFERENCES = { page: "USER.md", name: "preferences" } as const;
const HEADING = "## Preferences";
/** Characters of the part, and of what a line says. */
const MOST_CHARACTERS = 1_500;
const LONGEST_WORDS = 200;
/** As much of a memory's mark as tells a user's preferences apart. */
const MARK = 8;

const PREFERENCE_LINE =
  /^\s*[-*+] \[([ xX])\] (.*) \((\d{4,}-\d\d-\d\d)\) <!-- ([0-9a-z]{4,25}) -->$/;
const WAITS = /^\s*[-*+]\s+\[\s*\]/;
const BOX = /^(\s*[-*+]\s+)\[[xX]\] /;

export type Preference = NonNullable<ReturnType<typeof preferenceIn>>;

/** A preference as a line of the page shows it, with its day, as "2026-08-22". */
const preferenceIn = (raw: string) => {
  const [, box, text = "", day = "", mark = ""] = PREFERENCE_LINE.exec(raw.trimEnd()) ?? [];
  return box === undefined ? undefined : { text, accepted: box !== " ", day, mark };
};

export const preferencesIn = (page: string): Preference[] =>
  unwrapped(rowsOf(page)).flatMap((raw) => preferenceIn(raw) ?? []);

export const isOf = ({ mark }: Preference, id: string): boolean => wholeMark(id).startsWith(mark);

/** All that this part and its lines say, wherever they stand: no agent may change it. */
export const preferenceWords = (page: string): string =>
  [
    ...partOf(page, PREFERENCES.name),
    ...page.split("\n").filter((raw) => PREFERENCE_LINE.test(raw.trimEnd())),
  ].join("\n");

/** The page as it holds: without what waits, and without the boxes of what was accepted. */
export function inForce(page: string): string {
  let waits = false;
  let held = 0;
  const { rows, span } = partLines(page, PREFERENCES.name);
  const isIn = (at: number): boolean => span !== undefined && at >= span.start && at < span.end;
  const kept = rows.map((raw, at) => {
    const bare = raw.trimEnd();
    const known = preferenceIn(bare);
    if (known === undefined && !isIn(at)) return raw;
    // Lines that go on below one that waits belong to it.
    waits =
      known?.accepted === false ||
      WAITS.test(bare) ||
      (waits && /^\s+\S/.test(bare) && !BOX.test(bare));
    if (waits) return "";
    if (bare.trim() !== "" && isIn(at)) held += 1;
    return raw.replace(BOX, "$1");
  });
  const before = rows.slice(0, Math.max(0, (span?.start ?? 0) - 1));
  const heading = before.findLastIndex((raw) => raw.trim() !== "");
  if (held === 0 && rows[heading]?.trim() === HEADING) kept[heading] = "";
  return kept.join("");
}

/** A preference to be proposed. */
interface Proposed {
  readonly id: string;
  readonly content: string;
  /** ms since epoch. */
  readonly at: number;
}

/**
 * The page with lines for these, as far as there is room for them, and which those are. Throws
 * "workspace".
 */
export function withProposed(
  page: string,
  proposals: readonly Proposed[],
): { text: string; added: string[] } {
  let text = page;
  const added: string[] = [];
  for (const { id, content, at } of proposals) {
    const words = clip(shownText(content), LONGEST_WORDS);
    const known = preferencesIn(text);
    const stands = known.some((one) => isOf(one, id) || normalForm(one.text) === normalForm(words));
    const mark = wholeMark(id).slice(0, MARK);
    const line = `- [ ] ${words} (${isoOf(at).slice(0, 10)}) <!-- ${mark} -->`;
    const size = partOf(text, PREFERENCES.name).reduce((sum, row) => sum + row.length + 1, 0);
    if (words === "" || stands || size + line.length + 1 > MOST_CHARACTERS) continue;
    text = withPartLine(text, PREFERENCES, { line, heading: HEADING });
    added.push(id);
  }
  return { text, added };
}

/**
 * The page with the line of this memory ticked, or without it; undefined where no line of it waits.
 */
export function decided(page: string, id: string, accepted: boolean): string | undefined {
  const rows = unwrapped(rowsOf(page));
  const at = rows.findIndex((raw) => {
    const one = preferenceIn(raw);
    return one?.accepted === false && isOf(one, id);
  });
  const line = rows[at]?.replace("[ ]", "[x]");
  return line && rows.toSpliced(at, 1, accepted ? line : "").join("");
}

/**
 * The page, or an old one, without the lines of these memories that wait, and those that are
 * `accepted`.
 */
export function withoutMemories(
  page: string,
  ids: ReadonlySet<string>,
  { accepted }: { accepted: boolean },
): string {
  const marks = [...ids].map(wholeMark);
  const isGone = (one: Preference): boolean =>
    (accepted || !one.accepted) && marks.some((mark) => mark.startsWith(one.mark));
  return unwrapped(rowsOf(page))
    .filter((raw) => !preferencesIn(raw).some(isGone))
    .join("");
}

/** An agent as the page AGENTS.md tells of it: its name, and what it does. */
interface ListedAgent {
  readonly agent: string;
  readonly does: string;
}

const FLEET = { page: "AGENTS.md", name: "fleet" } as const;
const AGENT_LINE = /^[-*+]\s+\*\*(.+?)\*\*:?\s*(.*)$/;

const readAgent = (line: string): ListedAgent | undefined => {
  const [, agent, does = ""] = AGENT_LINE.exec(line) ?? [];
  return agent === undefined ? undefined : { agent, does };
};

/** The agents of a page's fleet section. */
export const agentsIn = (text: string): ListedAgent[] =>
  partOf(text, FLEET.name).flatMap((line) => readAgent(line) ?? []);

/**
 * The page with the agent's line: the one it has, or one more. Both texts on one line, a name
 * without "*". Throws "workspace".
 */
export function withAgent(text: string, { agent, does }: ListedAgent): string {
  const at = partOf(text, FLEET.name).findIndex((line) => readAgent(line)?.agent === agent);
  return withPartLine(text, FLEET, { line: `- **${agent}**: ${does}`, heading: "## Fleet", at });
}

/**
 * The pages of the whole fleet, and those of its teams and projects, that a folder on disk holds.
 */
export async function fleetPages(
  root: string,
): Promise<{ readonly kind: "team" | "project" | undefined; id: string; text: string }[]> {
  const folder = diskFolder(root, () => undefined);
  const textAt = async (place: FilePlace): Promise<string> =>
    (await folder.read(place).catch(() => undefined)) ?? "";
  const fleet: Scope = "agent:default";
  const pages = [{ kind: undefined, id: "", text: await textAt(fileOf(fleet, FLEET.page)) }];
  const groups = await Promise.all(
    (["team", "project"] as const).map(async (kind) => {
      const entries = await folder.entries({ base: "scopes", path: kind }).catch(() => []);
      return Promise.all(
        entries
          .filter((entry) => entry.kind === "folder")
          .map(async ({ name }) => ({
            kind,
            id: unpercent(name),
            text: await textAt({ base: `scopes/${kind}/${name}`, path: FLEET.page }),
          })),
      );
    }),
  );
  return [...pages, ...groups.flat()];
}
