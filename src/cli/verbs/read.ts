import { dialectFor } from "../../dialect/detect.ts";
import { type Message } from "../../model/request.ts";
import { onlyWord, wholeId, Failure } from "../input/failure.ts";
import { type Flags, type Given } from "../input/flags.ts";
import { type Io } from "../render/io.ts";
import { withWorkspace } from "../input/open.ts";
import { json, plain, wrap } from "../render/text.ts";

export const flags: Flags = {
  all: { says: "long messages and results to their end" },
  json: { says: "the messages as they were sent, as a JSON list" },
};
export const examples = ["tidemark read 1a2b3c4", "tidemark read desk --user ada --all"];

const WIDEST = 100;
/** Lines of one message or result, unless all of it is asked for. */
const LINES = { words: 30, results: 4 } as const;

/** One conversation word for word, as a person reads it. */
export async function run(given: Given, io: Io): Promise<number> {
  const word = onlyWord(given.words, "read", "conversation");
  const messages = await withWorkspace(given, io, async ({ history }) => {
    const listed = await history.list();
    const id =
      listed.find(({ label }) => label === word)?.id ??
      wholeId(
        word,
        listed.map((one) => one.id),
        { one: "conversation", lists: "conversations" },
      );
    return (await history.read({ conversation: id }))?.messages;
  });
  if (messages === undefined)
    throw new Failure(
      `conversation "${word}" is gone; "tidemark conversations" lists those there are.`,
    );
  if (given.on("json")) io.say(json(messages, 2));
  else for (const line of transcriptLines(messages, { io, all: given.on("all") })) io.say(line);
  return 0;
}

function transcriptLines(
  messages: readonly Message[],
  { io, all }: { io: Pick<Io, "paint" | "columns">; all: boolean },
): string[] {
  const { paint } = io;
  const dialect = dialectFor({ messages });
  const room = Math.min(WIDEST, io.columns) - 2;
  const indented = (text: string, lines: number): string[] =>
    text
      .split("\n")
      .flatMap((line) => wrap(plain(line), room))
      .slice(0, all ? Infinity : lines);
  const part = (text: string, lines: number): string[] => {
    const shown = indented(text, lines);
    const cut = !all && indented(text, lines + 1).length > lines;
    return [...shown, ...(cut ? ["… (--all shows the rest)"] : [])].map((line) => `  ${line}`);
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
    return [
      speaker === "user" ? paint.cyan(speaker) : paint.bold(speaker),
      ...(words === "" ? [] : part(words, LINES.words)),
      ...[...calls, ...results].flatMap((text) =>
        part(text, LINES.results).map((line) => paint.dim(line)),
      ),
    ];
  });
}
