import { shortId, UsageError } from "../input/failure.ts";
import { type Flags, type Given } from "../input/flags.ts";
import { roomOf, type Io } from "../render/io.ts";
import { known } from "./folds.ts";
import { withWorkspace } from "../input/open.ts";
import { json, wrap } from "../render/text.ts";

export const flags: Flags = {
  conversation: {
    takes: "NAME",
    says: "only in one conversation, by its label or id (default: in all)",
  },
  json: { says: "its id, as one JSON object" },
};
export const examples = [
  'tidemark pin "Invoices are always in euro."',
  'tidemark pin "The desk is on the left." --conversation desk --user ada',
];

/** A text that survives every fold byte for byte. */
export async function run(given: Given, io: Io): Promise<number> {
  const text = given.words.join(" ");
  if (text.trim() === "")
    throw new UsageError('pin needs a text: tidemark pin "Invoices are always in euro."');
  const conversation = given.text("conversation");
  const id = await withWorkspace(given, io, async (tidemark) => {
    if (conversation !== undefined)
      known(
        conversation,
        await tidemark.history.list(),
        "Without --conversation the text is pinned in all.",
      );
    return tidemark.pin(text, conversation === undefined ? {} : { conversation });
  });
  if (given.on("json")) io.say(json({ id }));
  else
    for (const line of wrap(
      `Pinned as ${io.paint.cyan(shortId(id))}: it stands word for word in every later fold. "tidemark unpin ${shortId(id)}" takes it off.`,
      roomOf(io),
    ))
      io.say(line);
  return 0;
}
