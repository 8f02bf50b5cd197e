import { shown } from "../model/errors.ts";
import { shortId } from "./abbreviated.ts";
import { Failure, UsageError } from "./failure.ts";
import { type Flags, type Given } from "./flags.ts";
import { type Io } from "./io.ts";
import { didYouMean } from "./near.ts";
import { withWorkspace } from "./open.ts";
import { ago, count, tokens } from "./render/numbers.ts";
import { table } from "./render/table.ts";
import { plain } from "./render/text.ts";

export const flags: Flags = {
  conversation: { takes: "NAME", says: "only those of one conversation, by its label or id" },
  json: { says: "as a JSON list" },
};
export const examples = ["tidemark folds", "tidemark folds --user ada --conversation desk"];

/** The folds that were made, latest first. */
export async function run(given: Given, io: Io): Promise<number> {
  if (given.words.length > 0) throw new UsageError("folds takes no words; --conversation names one conversation.");
  const conversation = given.text("conversation");
  const folds = await withWorkspace(given, io, async ({ history }) => {
    // A name that was mistyped is not a conversation without folds.
    if (conversation !== undefined) known(conversation, await history.list());
    return history.folds(conversation === undefined ? {} : { conversation });
  });
  if (given.on("json")) {
    io.say(JSON.stringify(folds, null, 2));
    return 0;
  }
  if (folds.length === 0) {
    io.say("Nothing was folded yet.");
    return 0;
  }
  const rows = folds.map(({ id, at, messages, before, after, label, conversation: session, undoneAt }) => [
    io.paint.cyan(shortId(id)),
    count(messages, "message"),
    `${tokens(before)} → ${tokens(after)} tokens`,
    plain(label ?? shortId(session)),
    ago(at, Date.now()),
    ...(undoneAt === undefined ? [] : [io.paint.yellow("undone")]),
  ]);
  for (const line of table(rows)) io.say(line);
  io.say(io.paint.dim('"tidemark diff ID" shows what became of a fold\'s messages, "tidemark undo ID" brings them back.'));
  return 0;
}

function known(conversation: string, listed: readonly { readonly id: string; readonly label?: string }[]): void {
  const names = listed.flatMap(({ id, label }) => (label === undefined ? [id] : [id, label]));
  if (names.includes(conversation)) return;
  throw new Failure(`there is no conversation ${shown(conversation)}.${didYouMean(conversation, names) || ' "tidemark folds" alone lists the folds of all.'}`);
}
