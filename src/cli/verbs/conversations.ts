import { asImported } from "../../conversations/import.ts";
import { present } from "../../core/base.ts";
import type { FoldDiff, FoldInfo, Glance, Undone } from "../../core/folds.ts";
import type { Message } from "../../core/request.ts";
import { dialectFor } from "../../providers/detect.ts";
import { Failure, named, shortId, type Verb } from "../input/flags.ts";
import { opened, othersLine, withWorkspace } from "../input/workspace-of-verb.ts";
import {
  fit,
  hung,
  type Io,
  padEnd,
  padStart,
  plain,
  readable,
  roomOf,
  table,
  type TextPage,
  titled,
  wrap,
} from "../render/layout.ts";
import { ago, count, tokens } from "../render/numbers.ts";

const LIMIT = 50;
const LABEL = 28;

/** The conversations that are kept, the latest first. */
export const conversations: Verb = {
  flags: { limit: { takes: "N", says: `at most so many (default ${LIMIT})` } },
  examples: ["tidemark conversations", "tidemark conversations --user ada --json"],
  async run(given, io) {
    const limit = given.whole("limit", 100_000) ?? LIMIT;
    const all = await withWorkspace(given, io, ({ history }) => history.list());
    const found = all.toSorted((one, other) => other.updatedAt - one.updatedAt).slice(0, limit);
    const rows = found.map(({ id, label, messages, folds, updatedAt }) => [
      `${io.paint.cyan(shortId(id))}${label === undefined ? "" : ` ${fit(plain(label), LABEL)}`}`,
      count(messages, "message"),
      count(folds, "fold"),
      ago(updatedAt),
    ]);
    const notes = present([
      all.length > limit && `  … and ${all.length - limit} more; --limit shows them`,
      '"tidemark read ID" shows one word for word.',
    ]);
    const lines =
      all.length === 0
        ? [othersLine(given, "conversations") ?? "No conversation is kept yet."]
        : [table(rows), notes.map(io.paint.dim)];
    return { found, lines };
  },
};

/** Lines of one message or result, unless all of it is asked for. */
const LINES = { words: 30, results: 4 } as const;

/** One conversation word for word, as a person reads it. */
export const read: Verb = {
  flags: { all: { says: "long messages and results to their end" } },
  one: "conversation",
  examples: ["tidemark read 1a2b3c4", "tidemark read desk --user ada --all"],
  run: opened(async ({ history }, given, io) => {
    const all = await history.list();
    const { id } =
      all.find(({ label }) => label === given.line) ??
      named(given.line, all, { one: "conversation", lists: "conversations" });
    const found = (await history.read({ conversation: id }))?.messages ?? [];
    return { found, lines: transcriptLines(found, { io, all: given.on("all") }) };
  }),
};

function transcriptLines(
  messages: readonly Message[],
  { io, all }: { io: TextPage; all: boolean },
): string[] {
  const { paint } = io;
  const dialect = dialectFor({ messages });
  const room = readable(io) - 2;
  const part = (text: string, most: number): string[] => {
    const lines = text.split("\n").flatMap((line) => wrap(plain(line), room));
    const shown =
      all || lines.length <= most ? lines : [...lines.slice(0, most), "… (--all shows the rest)"];
    return shown.map((line) => `  ${line}`);
  };
  return messages.flatMap((message) => {
    const imported = asImported(message);
    const voice = dialect.speaker(message);
    const speaker = imported?.speaker ?? voice;
    const words = imported?.text ?? dialect.text(message);
    const calls = dialect
      .calls(message)
      .map(({ name, input }) => `→ ${name} ${JSON.stringify(input)}`);
    const results = dialect
      .results(message)
      .map(({ text, failed }) => `← ${failed ? "failed: " : ""}${text}`);
    return present([
      voice === "user" ? paint.cyan(plain(speaker)) : paint.bold(plain(speaker)),
      words !== "" && part(words, LINES.words),
      [...calls, ...results].flatMap((text) => part(text, LINES.results).map(paint.dim)),
    ]);
  });
}

/** Columns of a conversation's name where a person looks. */
const NAME = 12;
const WHAT = { one: "fold", lists: "folds" };

/** The folds that were made, latest first. */
export const folds: Verb = {
  flags: {},
  examples: ["tidemark folds", "tidemark folds --user ada --json"],
  run: opened(async ({ history }, _given, io) => {
    const found = await history.folds();
    const note =
      '"tidemark diff ID" shows what became of a fold\'s messages, "tidemark undo ID" ' +
      "brings them back.";
    const lines =
      found.length === 0
        ? ["Nothing was folded yet."]
        : [foldLines(found, roomOf(io), io), io.paint.dim(note)];
    return { found, lines };
  }),
};

export const diff: Verb = {
  flags: { all: { says: "every message, not only the first and last" } },
  one: "fold",
  examples: ["tidemark diff 1a2b3c4", "tidemark diff 1a2b3c4 --all"],
  run: opened(async ({ history }, given, io) => {
    const found = await history.diff(named(given.line, await history.folds(), WHAT).id);
    if (found === undefined)
      throw new Failure(`fold "${given.line}" is gone; "tidemark folds" lists those there are.`);
    return { found, lines: diffLines(found, io, given.on("all")) };
  }),
};

/** Brings a fold's messages back for the next call, or a memory that has ended. */
export const undo: Verb = {
  flags: {},
  one: "fold",
  examples: ["tidemark undo 1a2b3c4", "tidemark undo 7k2p"],
  run: opened(async ({ history, memory }, { line }) => {
    const made = await history.folds();
    const isFold = made.some(({ id }) => id.startsWith(line) || id.endsWith(line));
    const ended = isFold ? undefined : await memory.undo(line);
    if (ended !== undefined)
      return { found: ended, lines: [`It is remembered again: ${plain(ended.content)}`] };
    if (!isFold)
      throw new Failure(
        `no fold and no memory that ended is called "${line}"; "tidemark folds" lists the folds.`,
      );
    const found = await history.undo(named(line, made, WHAT).id);
    if (found === undefined) throw new Failure(`fold "${line}" is undone already.`);
    return { found, lines: undoneLines(found) };
  }),
};

function undoneLines(undone: Undone): string[] {
  const [, ...above] = undone.folds;
  return present([
    `${count(undone.messages, "message")} will be sent word for word again with the next ` +
      "call, as far as its window holds them.",
    above.length > 0 &&
      `${count(above.length, "fold")} made on top of it went with it: ` +
        `${above.map(shortId).join(", ")}.`,
    "What was remembered of them stays.",
  ]);
}

export function foldLines(
  folds: readonly FoldInfo[],
  room: number,
  { paint }: Pick<Io, "paint">,
): string[] {
  const rows = folds.map(
    ({ id, at, messages, before, after, label, conversation: session, undoneAt }) =>
      present([
        paint.cyan(shortId(id)),
        count(messages, "message"),
        `${tokens(before)} → ${tokens(after)} tokens`,
        fit(plain(label ?? shortId(session)), room === Infinity ? room : NAME),
        ago(at),
        undoneAt !== undefined && paint.yellow("undone"),
      ]),
  );
  return table(rows, 2);
}

/** Messages shown at each end of a long list. */
const ENDS = 5;
/** Columns of a role: "assistant". */
const ROLE = 9;

export function diffLines(
  { fold, kept, dropped, earlier, remembered, tokens: size }: FoldDiff,
  page: TextPage,
  all: boolean,
): string[] {
  const { paint } = page;
  const wide = readable(page);
  const { memories, gone, pins, summary } = remembered;
  const heading = (text: string, note = ""): string[] => [
    note === "" ? paint.bold(text) : titled(text, note, page),
  ];
  const name = fit(plain(fold.label ?? fold.conversation), 30);
  const about = `of ${name}, ${ago(fold.at)}`;
  return present([
    heading(`Fold ${shortId(fold.id)}`, about),
    wrap(
      `${tokens(size.before)} tokens became ${tokens(size.after)}: ` +
        `${count(dropped.length, "message")} replaced by a summary, ${kept.length} kept ` +
        "word for word.",
      wide,
    ),
    fold.undoneAt !== undefined && paint.yellow(`It was undone ${ago(fold.undoneAt)}.`),
    "",
    heading("Replaced", earlier > 0 ? `(the first ${earlier} by an earlier fold)` : ""),
    glances(dropped, { wide, all, paint }),
    "",
    heading("Kept"),
    glances(kept, { wide, all, paint }),
    "",
    heading("Summary"),
    summary.split("\n").flatMap((line) => hung("  ", plain(line), wide)),
    "",
    heading("Remembered", gone > 0 ? `(${gone} more, forgotten or no longer true)` : ""),
    memories.flatMap(({ content, category, scope }) => [
      ...hung("  ", plain(content), wide, 3),
      ...hung("    ", [category, scope].map(plain).join(" · "), wide).map(paint.dim),
    ]),
    memories.length === 0 && "  nothing new",
    pins.length > 0 && ["", ...heading("Pinned beside it")],
    pins.map(({ id, text, pinned }) => {
      const note = pinned ? "" : paint.dim(" (unpinned since)");
      const words = fit(plain(text), wide - (pinned ? 12 : 28));
      return `  ${paint.cyan(padEnd(shortId(id), 7))} ${words}${note}`;
    }),
  ]);
}

function glances(
  messages: readonly Glance[],
  { wide, all, paint }: { wide: number; all: boolean; paint: Io["paint"] },
): string[] {
  const digits = Math.max(4, ...messages.map(({ ordinal }) => String(ordinal).length));
  const line = ({ ordinal, role, words, shortened }: Glance): string => {
    const note = shortened ? paint.yellow(" shortened") : "";
    return (
      `  ${paint.dim(padStart(String(ordinal), digits))} ` +
      `${padEnd(fit(plain(role), ROLE), ROLE)} ` +
      `${fit(plain(words), wide - digits - ROLE - 4 - (shortened ? 10 : 0))}${note}`
    );
  };
  if (messages.length === 0) return ["  none"];
  if (all || messages.length <= 2 * ENDS + 1) return messages.map(line);
  return [
    ...messages.slice(0, ENDS).map(line),
    paint.dim(`       … ${messages.length - 2 * ENDS} more (--all shows them)`),
    ...messages.slice(-ENDS).map(line),
  ];
}
