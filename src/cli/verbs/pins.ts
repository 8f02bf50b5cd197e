import { named, shortId } from "../input/failure.ts";
import type { Verb } from "../input/flags.ts";
import { MAKES, opened } from "../input/open.ts";
import { listed, fit, plain } from "../render/layout.ts";
import { count } from "../render/numbers.ts";

export const pins: Verb = {
  flags: {},
  examples: ["tidemark pins", "tidemark pins --user ada --json"],
  run: opened(async (tidemark, _given, io) => {
    const found = await tidemark.pins();
    const labels = new Map((await tidemark.history.list()).map(({ id, label }) => [id, label]));
    const entries = found.map(({ id, text, tokens, conversation }) => {
      const where =
        conversation === undefined
          ? "all conversations"
          : (labels.get(conversation) ?? shortId(conversation));
      return { name: shortId(id), text, about: `in ${where} · about ${count(tokens, "token")}` };
    });
    const nothing = 'Nothing is pinned. "tidemark pin TEXT" pins a text.';
    return { found, lines: [listed(entries, io), found.length === 0 && nothing] };
  }),
};

/** A text that survives every fold byte for byte. */
export const pin: Verb = {
  flags: {},
  needs: "a text",
  examples: ['tidemark pin "Invoices are always in euro."', 'tidemark pin "Hotel Ibis" --user ada'],
  run: opened(async (tidemark, { words }, { paint }) => {
    const id = await tidemark.pin(words.join(" "));
    const name = shortId(id);
    const said =
      `Pinned as ${paint.cyan(name)}: it stands word for word in every later fold. ` +
      `"tidemark unpin ${name}" takes it off.`;
    return { found: { id }, lines: [said] };
  }, MAKES),
};

/** From the next fold on the text is like any other. */
export const unpin: Verb = {
  flags: {},
  one: "pin",
  examples: ["tidemark unpin 1a2b3c4"],
  run: opened(async (tidemark, { line }, { paint, columns }) => {
    // One text may be pinned in several places.
    const once = new Map((await tidemark.pins()).map((one) => [one.id, one]));
    const found = named(line, [...once.values()], { one: "pin", lists: "pins" });
    await tidemark.unpin(found.id);
    const text = fit(plain(found.text), columns - 22);
    return { found, lines: [`Taken off ${paint.cyan(shortId(found.id))}: ${text}`] };
  }),
};
