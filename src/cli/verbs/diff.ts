import { type FoldDiff, type Glance } from "../../model/folds.ts";
import { shortId } from "../input/failure.ts";
import { type Io } from "../render/io.ts";
import { fit, padEnd, padStart, plain, wrap } from "../render/text.ts";
import { ago, count, tokens } from "../render/numbers.ts";
import { titled } from "../render/table.ts";

const WIDEST = 100;
/** Messages shown at each end of a long list. */
const ENDS = 5;
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
  const about = `of ${fit(plain(fold.label ?? fold.conversation), 30)}, ${ago(fold.at, now)}, ${fold.id}`;
  return [
    ...heading(`Fold ${shortId(fold.id)}`, about),
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
    ...summary.split("\n").flatMap((raw) => {
      const title = /^#+\s+(.+)$/.exec(raw)?.[1];
      return wrap(plain(title ?? raw), wide - 2).map(
        (line) => `  ${title === undefined ? line : paint.bold(line)}`,
      );
    }),
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
