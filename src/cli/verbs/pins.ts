import { onlyWord, shortId, UsageError, wholeId } from "../input/failure.ts";
import { type Flags, type Given, type Verb } from "../input/flags.ts";
import { roomOf, type Io } from "../render/io.ts";
import { withWorkspace } from "../input/open.ts";
import { fit, json, plain, wrap } from "../render/text.ts";
import { count } from "../render/numbers.ts";

const flags: Flags = { json: { says: "as JSON" } };
const INDENT = 10;

/** What is pinned, where, and what it takes. */
export const pins: Verb = {
  flags,
  examples: ["tidemark pins", "tidemark pins --user ada --json"],
  async run(given: Given, io: Io) {
    const { listed, labels } = await withWorkspace(given, io, async (tidemark) => ({
      listed: await tidemark.pins(),
      labels: new Map((await tidemark.history.list()).map(({ id, label }) => [id, label])),
    }));
    if (given.on("json")) {
      io.say(json(listed, 2));
      return 0;
    }
    if (listed.length === 0) io.say('Nothing is pinned. "tidemark pin TEXT" pins a text.');
    const wide = Math.min(100, io.columns) - INDENT;
    for (const { id, text, tokens, conversation: its } of listed) {
      const where =
        its === undefined ? "in all conversations" : `in ${plain(labels.get(its) ?? shortId(its))}`;
      const [first = "", ...more] = wrap(plain(text), wide, 3);
      io.say(`  ${io.paint.cyan(shortId(id))} ${first}`);
      const about = wrap(`${where} · about ${count(tokens, "token")}`, wide).map(io.paint.dim);
      for (const line of [...more, ...about]) io.say(`${" ".repeat(INDENT)}${line}`);
    }
    return 0;
  },
};

/** A text that survives every fold byte for byte. */
export const pin: Verb = {
  flags,
  examples: ['tidemark pin "Invoices are always in euro."', 'tidemark pin "Hotel Ibis" --user ada'],
  async run(given: Given, io: Io) {
    const text = given.words.join(" ");
    if (text.trim() === "")
      throw new UsageError('pin needs a text: tidemark pin "Invoices are always in euro."');
    const id = await withWorkspace(given, io, (tidemark) => tidemark.pin(text));
    if (given.on("json")) io.say(json({ id }));
    else
      for (const line of wrap(
        `Pinned as ${io.paint.cyan(shortId(id))}: it stands word for word in every later fold. "tidemark unpin ${shortId(id)}" takes it off.`,
        roomOf(io),
      ))
        io.say(line);
    return 0;
  },
};

/** From the next fold on the text is like any other. */
export const unpin: Verb = {
  flags,
  examples: ["tidemark unpin 1a2b3c4"],
  async run(given: Given, io: Io) {
    const word = onlyWord(given.words, "unpin", "pin");
    const off = await withWorkspace(given, io, async (tidemark) => {
      const listed = await tidemark.pins();
      const ids = [...new Set(listed.map((one) => one.id))];
      const id = wholeId(word, ids, { one: "pin", lists: "pins" });
      await tidemark.unpin(id);
      return listed.find((one) => one.id === id);
    });
    if (given.on("json")) io.say(json(off, 2));
    else
      io.say(
        `Taken off ${io.paint.cyan(shortId(off?.id ?? word))}: ${fit(plain(off?.text ?? ""), io.columns - 22)}`,
      );
    return 0;
  },
};
