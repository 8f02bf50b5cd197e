import { onlyWord, shortId, wholeId } from "./abbreviated.ts";
import { Failure } from "./failure.ts";
import { type Flags, type Given } from "./flags.ts";
import { roomOf, type Io } from "./io.ts";
import { withWorkspace } from "./open.ts";
import { json } from "./render/json.ts";
import { count } from "./render/numbers.ts";
import { wrap } from "./render/text.ts";

export const flags: Flags = { json: { says: "what was brought back, as one JSON object" } };
export const examples = ["tidemark undo 1a2b3c4"];

/** Brings a fold's messages back for the next call. */
export async function run(given: Given, io: Io): Promise<number> {
  const word = onlyWord(given.words, "undo", "fold");
  const undone = await withWorkspace(given, io, async (tidemark) => {
    const ids = (await tidemark.history.folds()).map(({ id }) => id);
    return tidemark.history.undo(wholeId(word, ids, { one: "fold", lists: "folds" }));
  });
  if (undone === undefined) throw new Failure(`fold "${word}" is undone already.`);
  if (given.on("json")) {
    io.say(json(undone, 2));
    return 0;
  }
  const on = undone.folds.length - 1;
  const say = (text: string, paint = (line: string): string => line): void => wrap(text, roomOf(io)).forEach((line) => io.say(paint(line)));
  say(`${count(undone.messages, "message")} will be sent word for word again with the next call, as far as its window holds them.`);
  if (on > 0) say(`${count(on, "fold")} made on top of it went with it: ${undone.folds.slice(1).map(shortId).join(", ")}.`);
  say("What was remembered of them stays.", io.paint.dim);
  return 0;
}
