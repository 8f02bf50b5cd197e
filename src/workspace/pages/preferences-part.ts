import { clip, normalForm } from "../../text/cut.ts";
import { isoOf } from "../../model/moment.ts";
import { unwrapped } from "../../text/formatted.ts";
import { partLines, partOf, rowsOf, withPartLine } from "./marked-part.ts";
import { wholeMark } from "../lines/short-name.ts";
import { shownText } from "./page-line.ts";

/**
 * The part of USER.md in which preferences wait until a person ticks them, or the host accepts
 * them.
 */
const PART = { page: "USER.md", name: "preferences" } as const;
const HEADING = "## Preferences";
/** Characters of the part, and of what a line says. */
const MOST_CHARACTERS = 1_500;
const LONGEST_WORDS = 200;
/** As much of a memory's mark as tells a user's preferences apart. */
const MARK = 8;

const LINE = /^\s*[-*+] \[([ xX])\] (.*) \((\d{4,}-\d\d-\d\d)\) <!-- ([0-9a-z]{4,25}) -->$/;
const WAITS = /^\s*[-*+]\s+\[\s*\]/;
const BOX = /^(\s*[-*+]\s+)\[[xX]\] /;

export type Preference = NonNullable<ReturnType<typeof preferenceIn>>;

/** A preference as a line of the page shows it, with its day, as "2026-08-22". */
const preferenceIn = (raw: string) => {
  const [, box, text = "", day = "", mark = ""] = LINE.exec(raw.trimEnd()) ?? [];
  return box === undefined ? undefined : { text, accepted: box !== " ", day, mark };
};

export const preferencesIn = (page: string): Preference[] =>
  unwrapped(rowsOf(page)).flatMap((raw) => preferenceIn(raw) ?? []);

export const isOf = ({ mark }: Preference, id: string): boolean => wholeMark(id).startsWith(mark);

/** All that this part and its lines say, wherever they stand: no agent may change it. */
export const preferenceWords = (page: string): string =>
  [...partOf(page, PART.name), ...page.split("\n").filter((raw) => LINE.test(raw.trimEnd()))].join(
    "\n",
  );

/** The page as it holds: without what waits, and without the boxes of what was accepted. */
export function inForce(page: string): string {
  let waits = false;
  let held = 0;
  const { rows, span } = partLines(page, PART.name);
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
    const size = partOf(text, PART.name).reduce((sum, row) => sum + row.length + 1, 0);
    if (words === "" || stands || size + line.length + 1 > MOST_CHARACTERS) continue;
    text = withPartLine(text, PART, { line, heading: HEADING });
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
