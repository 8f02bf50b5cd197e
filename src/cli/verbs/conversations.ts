import { present } from "../../base/guards.ts";
import { dialectFor } from "../../dialect/detect.ts";
import type { Message } from "../../model/request.ts";
import { Failure, named, shortId } from "../input/failure.ts";
import { JSON_FLAG, type Verb } from "../input/flags.ts";
import { roomOf } from "../render/io.ts";
import { opened, withWorkspace } from "../input/open.ts";
import { fit, plain, wrap } from "../render/text.ts";
import { ago, count } from "../render/numbers.ts";
import { type Page, readable, table } from "../render/table.ts";

const LIMIT = 50;
const LABEL = 40;

/** The conversations that are kept, the latest first. */
export const conversations: Verb = {
  flags: { limit: { takes: "N", says: `at most so many (default ${LIMIT})` }, ...JSON_FLAG },
  examples: ["tidemark conversations", "tidemark conversations --user ada --json"],
  async run(given, io) {
    const limit = given.whole("limit", 100_000) ?? LIMIT;
    const all = await withWorkspace(given, io, ({ history }) => history.list());
    const found = all.toSorted((one, other) => other.at - one.at).slice(0, limit);
    const rows = found.map(({ id, label, messages, folds, at }) => [
      `${io.paint.cyan(shortId(id))}${label === undefined ? "" : ` ${fit(plain(label), LABEL)}`}`,
      count(messages, "message"),
      count(folds, "fold"),
      ago(at, Date.now()),
    ]);
    const notes = present([
      all.length > limit && `  … and ${all.length - limit} more; --limit shows them`,
      '"tidemark read ID" shows one word for word.',
    ]);
    const lines =
      all.length === 0
        ? ["No conversation is kept yet."]
        : [table(rows, { columns: roomOf(io) }), notes.map(io.paint.dim)];
    return { found, lines };
  },
};

/** Lines of one message or result, unless all of it is asked for. */
const LINES = { words: 30, results: 4 } as const;

/** One conversation word for word, as a person reads it. */
export const read: Verb = {
  flags: { all: { says: "long messages and results to their end" }, ...JSON_FLAG },
  one: "conversation",
  examples: ["tidemark read 1a2b3c4", "tidemark read desk --user ada --all"],
  run: opened(async ({ history }, given, io) => {
    const listed = await history.list();
    const { id } =
      listed.find(({ label }) => label === given.line) ??
      named(given.line, listed, { one: "conversation", lists: "conversations" });
    const found = (await history.read({ conversation: id }))?.messages;
    if (found === undefined)
      throw new Failure(
        `conversation "${given.line}" is gone; "tidemark conversations" lists those there are.`,
      );
    return { found, lines: transcriptLines(found, { io, all: given.on("all") }) };
  }),
};

function transcriptLines(
  messages: readonly Message[],
  { io, all }: { io: Page; all: boolean },
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
    const speaker = dialect.speaker(message);
    const words = dialect.text(message);
    const calls = dialect
      .calls(message)
      .map(({ name, input }) => `→ ${name} ${JSON.stringify(input)}`);
    const results = dialect
      .results(message)
      .map(({ text, failed }) => `← ${failed ? "failed: " : ""}${text}`);
    return present([
      speaker === "user" ? paint.cyan(speaker) : paint.bold(speaker),
      words !== "" && part(words, LINES.words),
      [...calls, ...results].flatMap((text) => part(text, LINES.results).map(paint.dim)),
    ]);
  });
}
