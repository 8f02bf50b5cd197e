import { type FoldDiff, type Glance } from "../../model/folds.ts";
import { onlyWord, shortId, wholeId, Failure } from "../input/failure.ts";
import { type Flags, type Given } from "../input/flags.ts";
import { type Io } from "../render/io.ts";
import { withWorkspace } from "../input/open.ts";
import { json, fit, padEnd, padStart, plain, wrap } from "../render/text.ts";
import { ago, count, tokens } from "../render/numbers.ts";
import { titled } from "../render/table.ts";

export const flags: Flags = {
  all: { says: "every message, not only the first and last" },
  json: { says: "as one JSON object" },
};
export const examples = [
  "tidemark diff 1a2b3c4",
  "tidemark diff 1a2b3c4 --all",
  "tidemark diff 1a2b3c4 --json",
];

/** What a fold kept, dropped and remembered, and where. */
export async function run(given: Given, io: Io): Promise<number> {
  const word = onlyWord(given.words, "diff", "fold");
  const diff = await withWorkspace(given, io, async (tidemark) => {
    const ids = (await tidemark.history.folds()).map(({ id }) => id);
    return tidemark.history.diff(wholeId(word, ids, { one: "fold", lists: "folds" }));
  });
  if (diff === undefined)
    throw new Failure(`fold "${word}" is gone; "tidemark folds" lists those there are.`);
  if (given.on("json")) io.say(json(diff, 2));
  else
    for (const line of diffLines(diff, { io, all: given.on("all"), now: Date.now() })) io.say(line);
  return 0;
}

const WIDEST = 100;
/** Messages shown at each end of a long list. */
const ENDS = 5;
const SUMMARY_LINES = 12;
/** Columns of a role: "assistant". */
const ROLE = 9;

export function diffLines(
  { fold, kept, dropped, earlier, remembered, tokens: size }: FoldDiff,
  { io, all, now }: { io: Pick<Io, "paint" | "columns">; all: boolean; now: number },
): string[] {
  const { paint } = io;
  const wide = Math.min(WIDEST, io.columns);
  const { memories, gone, pins, summary } = remembered;
  const heading = (text: string, note = ""): string[] =>
    note === "" ? [paint.bold(text)] : titled(text, note, { paint, columns: wide });
  const title = `Fold ${shortId(fold.id)}`;
  const [about = "", ...more] = wrap(
    `of ${fit(plain(fold.label ?? fold.conversation), wide - title.length - 4)}, ${ago(fold.at, now)}, ${fold.id}`,
    wide - title.length - 1,
  );
  return [
    `${paint.bold(title)}${paint.dim(` ${about}`)}`,
    ...more.map((line) => paint.dim(line)),
    ...wrap(
      `${tokens(size.before)} tokens became ${tokens(size.after)}: ${count(dropped.length, "message")} replaced by a summary, ${kept.length} kept word for word.`,
      wide,
    ),
    ...(fold.undoneAt === undefined
      ? []
      : [paint.yellow(`It was undone ${ago(fold.undoneAt, now)}.`)]),
    "",
    ...heading("Replaced", earlier > 0 ? `(the first ${earlier} by an earlier fold)` : ""),
    ...glances(dropped, { wide, all, paint }),
    "",
    ...heading("Kept"),
    ...glances(kept, { wide, all, paint }),
    "",
    ...heading("Summary"),
    ...summaryLines(summary, { wide, all, paint }),
    "",
    ...heading("Remembered", gone > 0 ? `(${gone} more, forgotten or no longer true)` : ""),
    ...memories.flatMap(({ content, category, scope, files }) => [
      ...wrap(plain(content), wide - 2, 3).map((line) => `  ${line}`),
      ...wrap([category, scope, ...files].map(plain).join(" · "), wide - 4).map((line) =>
        paint.dim(`    ${line}`),
      ),
    ]),
    ...(memories.length === 0 ? ["  nothing new"] : []),
    ...(pins.length === 0
      ? []
      : [
          "",
          ...heading("Pinned beside it"),
          ...pins.map(
            ({ id, text, pinned }) =>
              `  ${paint.cyan(padEnd(shortId(id), 7))} ${fit(plain(text), wide - (pinned ? 12 : 28))}${pinned ? "" : paint.dim(" (unpinned since)")}`,
          ),
        ]),
  ];
}

/** Line by line as it is written, its headings as headings. */
function summaryLines(
  summary: string,
  { wide, all, paint }: { wide: number; all: boolean; paint: Io["paint"] },
): string[] {
  const lines = summary.split("\n").flatMap((raw) => {
    const heading = /^#+\s+(.+)$/.exec(raw)?.[1];
    return wrap(plain(heading ?? raw), wide - 2).map(
      (line) => `  ${heading === undefined ? line : paint.bold(line)}`,
    );
  });
  if (all || lines.length <= SUMMARY_LINES + 1) return lines;
  return [
    ...lines.slice(0, SUMMARY_LINES),
    paint.dim(`  … ${lines.length - SUMMARY_LINES} more lines (--all shows them)`),
  ];
}

function glances(
  messages: readonly Glance[],
  { wide, all, paint }: { wide: number; all: boolean; paint: Io["paint"] },
): string[] {
  const long = !all && messages.length > 2 * ENDS + 1;
  const digits = Math.max(4, ...messages.map(({ ordinal }) => String(ordinal).length));
  const line = ({ ordinal, role, words, shortened }: Glance): string => {
    const note = shortened ? paint.yellow(" shortened") : "";
    return `  ${paint.dim(padStart(String(ordinal), digits))} ${padEnd(fit(plain(role), ROLE), ROLE)} ${fit(plain(words), wide - digits - ROLE - 4 - (shortened ? 10 : 0))}${note}`;
  };
  if (messages.length === 0) return ["  none"];
  if (!long) return messages.map(line);
  return [
    ...messages.slice(0, ENDS).map(line),
    paint.dim(`       … ${messages.length - 2 * ENDS} more (--all shows them)`),
    ...messages.slice(-ENDS).map(line),
  ];
}
