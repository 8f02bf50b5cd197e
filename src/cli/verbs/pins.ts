import { shortId, UsageError } from "../input/failure.ts";
import { type Flags, type Given } from "../input/flags.ts";
import { type Io } from "../render/io.ts";
import { known } from "./folds.ts";
import { withWorkspace } from "../input/open.ts";
import { json, plain, wrap } from "../render/text.ts";
import { count, tokens } from "../render/numbers.ts";

export const flags: Flags = {
  conversation: { takes: "NAME", says: "those that hold in one conversation, by its label or id" },
  json: { says: "as a JSON list" },
};
export const examples = ["tidemark pins", "tidemark pins --user ada --json"];

const INDENT = 10;

/** What is pinned, where, and what it takes. */
export async function run(given: Given, io: Io): Promise<number> {
  if (given.words.length > 0)
    throw new UsageError('pins takes no words; "tidemark pin" pins a text.');
  const conversation = given.text("conversation");
  const { pins, labels } = await withWorkspace(given, io, async (tidemark) => {
    const listed = await tidemark.history.list();
    if (conversation !== undefined)
      known(conversation, listed, '"tidemark pins" alone lists those of all.');
    return {
      pins: await tidemark.pins(conversation === undefined ? {} : { conversation }),
      labels: new Map(listed.map(({ id, label }) => [id, label])),
    };
  });
  if (given.on("json")) {
    io.say(json(pins, 2));
    return 0;
  }
  if (pins.length === 0) io.say('Nothing is pinned. "tidemark pin TEXT" pins a text.');
  const wide = Math.max(20, Math.min(100, io.columns) - INDENT);
  for (const { id, text, tokens: size, conversation: its } of pins) {
    const lines = wrap(plain(text), wide, 3);
    lines.forEach((line, index) =>
      io.say(`${index === 0 ? `  ${io.paint.cyan(shortId(id))} ` : " ".repeat(INDENT)}${line}`),
    );
    const where =
      its === undefined ? "in all conversations" : `in ${plain(labels.get(its) ?? shortId(its))}`;
    for (const line of wrap(`${where} · about ${count(size, "token")}`, wide))
      io.say(io.paint.dim(`${" ".repeat(INDENT)}${line}`));
  }
  if (pins.length > 1)
    io.say(
      io.paint.dim(`  ${tokens(pins.reduce((sum, pin) => sum + pin.tokens, 0))} tokens together`),
    );
  return 0;
}
