import { onlyWord, shortId, wholeId } from "../input/failure.ts";
import { type Flags, type Given } from "../input/flags.ts";
import { type Io } from "../render/io.ts";
import { withWorkspace } from "../input/open.ts";
import { json, fit, plain } from "../render/text.ts";

export const flags: Flags = { json: { says: "what was taken off, as one JSON object" } };
export const examples = ["tidemark unpin 1a2b3c4"];

/** From the next fold on the text is like any other. */
export async function run(given: Given, io: Io): Promise<number> {
  const word = onlyWord(given.words, "unpin", "pin");
  const pin = await withWorkspace(given, io, async (tidemark) => {
    const pins = await tidemark.pins();
    const id = wholeId(word, [...new Set(pins.map((one) => one.id))], {
      one: "pin",
      lists: "pins",
    });
    await tidemark.unpin(id);
    return pins.find((one) => one.id === id);
  });
  if (given.on("json")) io.say(json(pin, 2));
  else
    io.say(
      `Taken off ${io.paint.cyan(shortId(pin?.id ?? word))}: ${fit(plain(pin?.text ?? ""), io.columns - 22)}`,
    );
  return 0;
}
