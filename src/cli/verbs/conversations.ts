import { asImported } from "../../conversations/import.ts";
import { present } from "../../core/base.ts";
import type { FoldDiff, FoldInfo, Glance, Undone } from "../../core/folds.ts";
import type { Message } from "../../core/request.ts";
import { dialectFor } from "../../providers/detect.ts";
import type { Tidemark } from "../../session/options/tidemark-api.ts";
import { Failure, named, shortId, type Verb } from "../input/flags.ts";
import { opened, othersLine, withWorkspace } from "../input/workspace-of-verb.ts";
import { fit, padEnd, padStart, paint, plain, table, titled } from "../render/layout.ts";
import { ago, count, tokens } from "../render/numbers.ts";

/** Lines of a terminal: JSON has all. */
const SHOWN = 50;
const LABEL = 28;

/** The conversations that are kept, the latest first. */
export const conversations: Verb = {
  says: "the conversations that are kept",
  examples: ["tidemark conversations", "tidemark conversations --user ada --json"],
  async run(given, io) {
    const all = await withWorkspace(given, io, ({ history }) => history.list());
    const found = all.toSorted((one, other) => other.updatedAt - one.updatedAt);
    const rows = found
      .slice(0, SHOWN)
      .map(({ id, label, messages, folds, updatedAt }) => [
        `${paint.cyan(shortId(id))}${label === undefined ? "" : ` ${fit(plain(label), LABEL)}`}`,
        count(messages, "message"),
        count(folds, "fold"),
        ago(updatedAt),
      ]);
    const notes = present([
      all.length > SHOWN && `  … and ${all.length - SHOWN} more; --json has them`,
      '"tidemark read ID" shows one word for word.',
    ]);
    const lines =
      all.length === 0
        ? [othersLine(given, "conversations") ?? "No conversation is kept yet."]
        : [table(rows), notes.map(paint.dim)];
    return { found, lines };
  },
};

/** The id of one that the host's name or a part of its id names. */
export async function conversationNamed(
  { list }: Tidemark["history"],
  word: string,
): Promise<string> {
  const all = await list();
  const one = all.find(({ label }) => label === word);
  return (one ?? named(word, all, { one: "conversation", lists: "conversations" })).id;
}

/** One conversation word for word, as a person reads it. */
export const read: Verb = {
  says: "a conversation, word for word",
  takes: "CONVERSATION",
  examples: ["tidemark read 1a2b3c4", "tidemark read desk --user ada"],
  run: opened(async ({ history }, given) => {
    const conversation = await conversationNamed(history, given.line);
    const { messages: found } = await history.read({ conversation });
    return { found, lines: transcriptLines(found) };
  }),
};

function transcriptLines(messages: readonly Message[]): string[] {
  const dialect = dialectFor({ messages });
  const part = (text: string): string[] => text.split("\n").map((line) => `  ${plain(line)}`);
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
      words !== "" && part(words),
      [...calls, ...results].flatMap((text) => part(text).map(paint.dim)),
    ]);
  });
}

/** Columns of a conversation's name beside other things. */
const NAME = 12;
const WHAT = { one: "fold", lists: "folds" };
const ENDED = { ...WHAT, one: "fold or ended memory" };

/** The folds that were made, latest first. */
export const folds: Verb = {
  says: "where a summary took the place of messages",
  examples: ["tidemark folds", "tidemark folds --user ada --json"],
  run: opened(async ({ history }) => {
    const found = await history.folds();
    const note =
      '"tidemark diff ID" shows what became of a fold\'s messages, "tidemark undo ID" ' +
      "brings them back.";
    const lines =
      found.length === 0 ? ["Nothing was folded yet."] : [foldLines(found), paint.dim(note)];
    return { found, lines };
  }),
};

export const diff: Verb = {
  says: "what a fold kept, dropped and remembered",
  takes: "FOLD",
  examples: ["tidemark diff 1a2b3c4"],
  run: opened(async ({ history }, given) => {
    const found = await history.diff(named(given.line, await history.folds(), WHAT).id);
    if (found === undefined)
      throw new Failure(`fold "${given.line}" is gone; "tidemark folds" lists those there are.`);
    return { found, lines: diffLines(found) };
  }),
};

/** Brings a fold's messages back for the next call, or a memory that has ended. */
export const undo: Verb = {
  says: "bring back a fold's messages, or a line taken out of MEMORY.md",
  takes: "FOLD | MARK",
  examples: ["tidemark undo 1a2b3c4", "tidemark undo 7k2p"],
  run: opened(async ({ history, memory }, { line }) => {
    const ended = await memory.undo(line);
    if (ended !== undefined)
      return { found: ended, lines: [`It is remembered again: ${plain(ended.content)}`] };
    const found = await history.undo(named(line, await history.folds(), ENDED).id);
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

export function foldLines(folds: readonly FoldInfo[]): string[] {
  const rows = folds.map(
    ({ id, at, messages, before, after, label, conversation: session, undoneAt }) =>
      present([
        paint.cyan(shortId(id)),
        count(messages, "message"),
        `${tokens(before)} → ${tokens(after)} tokens`,
        fit(plain(label ?? shortId(session)), NAME),
        ago(at),
        undoneAt !== undefined && paint.yellow("undone"),
      ]),
  );
  return table(rows, 2);
}

/** Columns of a role, "assistant", and of a message's first words. */
const [ROLE, WORDS] = [9, 60];

export function diffLines(diff: FoldDiff): string[] {
  const { fold, kept, dropped, earlier, remembered, tokens: size } = diff;
  const { memories, gone, pins, summary } = remembered;
  const name = fit(plain(fold.label ?? fold.conversation), 30);
  return present([
    titled(`Fold ${shortId(fold.id)}`, `of ${name}, ${ago(fold.at)}`),
    `${tokens(size.before)} tokens became ${tokens(size.after)}: ` +
      `${count(dropped.length, "message")} replaced by a summary, ${kept.length} kept ` +
      "word for word.",
    fold.undoneAt !== undefined && paint.yellow(`It was undone ${ago(fold.undoneAt)}.`),
    "",
    titled("Replaced", earlier > 0 ? `(the first ${earlier} by an earlier fold)` : ""),
    glances(dropped),
    "",
    titled("Kept"),
    glances(kept),
    "",
    titled("Summary"),
    summary.split("\n").map((line) => `  ${plain(line)}`),
    "",
    titled("Remembered", gone > 0 ? `(${gone} more, forgotten or no longer true)` : ""),
    memories.flatMap(({ content, category, scope }) => [
      `  ${plain(content)}`,
      paint.dim(`    ${plain(category)} · ${plain(scope)}`),
    ]),
    memories.length === 0 && "  nothing new",
    pins.length > 0 && ["", titled("Pinned beside it")],
    pins.map(({ id, text }) => `  ${paint.cyan(shortId(id))} ${fit(plain(text), WORDS)}`),
  ]);
}

function glances(messages: readonly Glance[]): string[] {
  const line = ({ ordinal, role, words, shortened }: Glance): string =>
    `  ${paint.dim(padStart(String(ordinal), 4))} ${padEnd(fit(plain(role), ROLE), ROLE)} ` +
    `${fit(plain(words), WORDS)}${shortened ? paint.yellow(" shortened") : ""}`;
  return messages.length === 0 ? ["  none"] : messages.map(line);
}
