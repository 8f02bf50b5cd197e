import { named, onlyWord, shortId, UsageError } from "../input/failure.ts";
import { JSON_FLAG, show, type Verb } from "../input/flags.ts";
import { roomOf } from "../render/io.ts";
import { withWorkspace } from "../input/open.ts";
import { listed } from "../render/table.ts";
import { fit, plain, wrap } from "../render/text.ts";
import { count } from "../render/numbers.ts";

/** What is pinned, where, and what it takes. */
export const pins: Verb = {
  flags: JSON_FLAG,
  examples: ["tidemark pins", "tidemark pins --user ada --json"],
  async run(given, io) {
    const { pinned, labels } = await withWorkspace(given, io, async (tidemark) => ({
      pinned: await tidemark.pins(),
      labels: new Map((await tidemark.history.list()).map(({ id, label }) => [id, label])),
    }));
    const entries = pinned.map(({ id, text, tokens, conversation }) => {
      const where =
        conversation === undefined
          ? "all conversations"
          : (labels.get(conversation) ?? shortId(conversation));
      return { name: shortId(id), text, about: `in ${where} · about ${count(tokens, "token")}` };
    });
    return show(given, io, pinned, () =>
      pinned.length === 0
        ? ['Nothing is pinned. "tidemark pin TEXT" pins a text.']
        : listed(entries, io),
    );
  },
};

/** A text that survives every fold byte for byte. */
export const pin: Verb = {
  flags: JSON_FLAG,
  examples: ['tidemark pin "Invoices are always in euro."', 'tidemark pin "Hotel Ibis" --user ada'],
  async run(given, io) {
    const text = given.words.join(" ");
    if (text.trim() === "")
      throw new UsageError('pin needs a text: tidemark pin "Invoices are always in euro."');
    const id = await withWorkspace(given, io, (tidemark) => tidemark.pin(text));
    const said = `Pinned as ${io.paint.cyan(shortId(id))}: it stands word for word in every later fold. "tidemark unpin ${shortId(id)}" takes it off.`;
    return show(given, io, { id }, () => wrap(said, roomOf(io)));
  },
};

/** From the next fold on the text is like any other. */
export const unpin: Verb = {
  flags: JSON_FLAG,
  examples: ["tidemark unpin 1a2b3c4"],
  async run(given, io) {
    const word = onlyWord(given.words, "unpin", "pin");
    const off = await withWorkspace(given, io, async (tidemark) => {
      const pinned = await tidemark.pins();
      const once = pinned.filter(({ id }, at) => pinned.findIndex((one) => one.id === id) === at);
      const meant = named(word, once, { one: "pin", lists: "pins" });
      await tidemark.unpin(meant.id);
      return meant;
    });
    return show(given, io, off, () => [
      `Taken off ${io.paint.cyan(shortId(off.id))}: ${fit(plain(off.text), io.columns - 22)}`,
    ]);
  },
};
