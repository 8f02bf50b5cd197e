import { onlyWord, shortId, wholeId, Failure } from "../input/failure.ts";
import { type Flags, type Given } from "../input/flags.ts";
import { roomOf, type Io } from "../render/io.ts";
import { withWorkspace } from "../input/open.ts";
import { json, plain, wrap } from "../render/text.ts";
import { count } from "../render/numbers.ts";

export const flags: Flags = { json: { says: "what was brought back, as one JSON object" } };
export const examples = [
  "tidemark undo 1a2b3c4",
  "tidemark undo 7k2p",
  'tidemark undo "never deploy on Fridays"',
];

const isFold = (word: string, ids: readonly string[]): boolean =>
  ids.some((id) => id.startsWith(word) || id.endsWith(word));

/** Brings a fold's messages back for the next call, or a memory that has ended. */
export async function run(given: Given, io: Io): Promise<number> {
  const word = onlyWord(given.words, "undo", "fold");
  const undone = await withWorkspace(given, io, async (tidemark) => {
    const ids = (await tidemark.history.folds()).map(({ id }) => id);
    const memory = isFold(word, ids) ? undefined : await tidemark.memory.undo(word);
    if (memory !== undefined) return memory;
    if (word.includes(" "))
      throw new Failure(
        `nothing that ended in the last thirty days, or more than one thing, says "${word}".`,
      );
    return tidemark.history.undo(wholeId(word, ids, { one: "fold", lists: "folds" }));
  });
  if (undone === undefined) throw new Failure(`fold "${word}" is undone already.`);
  if (given.on("json")) {
    io.say(json(undone, 2));
    return 0;
  }
  if ("content" in undone) {
    io.say(`It is remembered again: ${plain(undone.content)}`);
    return 0;
  }
  const on = undone.folds.length - 1;
  const say = (text: string, paint = (line: string): string => line): void =>
    wrap(text, roomOf(io)).forEach((line) => io.say(paint(line)));
  say(
    `${count(undone.messages, "message")} will be sent word for word again with the next call, as far as its window holds them.`,
  );
  if (on > 0)
    say(
      `${count(on, "fold")} made on top of it went with it: ${undone.folds.slice(1).map(shortId).join(", ")}.`,
    );
  say("What was remembered of them stays.", io.paint.dim);
  return 0;
}
