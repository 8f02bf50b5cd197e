import { onlyWord, shortId, wholeId } from "./abbreviated.ts";
import { Failure } from "./failure.ts";
import { type Flags, type Given } from "./flags.ts";
import { type Io } from "./io.ts";
import { withWorkspace } from "./open.ts";
import { count } from "./render/numbers.ts";

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
    io.say(JSON.stringify(undone, null, 2));
    return 0;
  }
  const on = undone.folds.length - 1;
  io.say(`${count(undone.messages, "message")} will be sent word for word again with the next call.`);
  if (on > 0) io.say(`${count(on, "fold")} made on top of it went with it: ${undone.folds.slice(1).map(shortId).join(", ")}.`);
  io.say(io.paint.dim("What was remembered of them stays."));
  return 0;
}
