import { learningScope } from "../../model/identity.ts";
import { UsageError } from "../input/failure.ts";
import { type Flags, type Given } from "../input/flags.ts";
import { type Io } from "../render/io.ts";
import { marksFor } from "./memories.ts";
import { withWorkspace } from "../input/open.ts";
import { json, plain } from "../render/text.ts";

export const flags: Flags = {
  category: { takes: "NAME", says: "such as preference, decision or rule" },
  key: { takes: "NAME", says: "a name for it: saved again, it takes the place of what was" },
  json: { says: "as one JSON object" },
};
export const examples = [
  'tidemark save "The deploy key lives in the blue vault."',
  'tidemark save "I am vegetarian." --user ada --category preference',
];

/** Remembers a text. */
export async function run(given: Given, io: Io): Promise<number> {
  const content = given.words.join(" ").trim();
  if (content === "")
    throw new UsageError(
      'save needs what is to be remembered: tidemark save "The deploy key lives in the blue vault."',
    );
  const [category, key] = [given.text("category"), given.text("key")];
  const memory = await withWorkspace(given, io, (tidemark) =>
    tidemark.memory.save({
      content,
      source: "cli",
      scope: learningScope(given.identity),
      ...(category !== undefined && { category }),
      ...(key !== undefined && { key }),
    }),
  );
  if (given.on("json")) io.say(json(memory, 2));
  else
    io.say(
      `${io.paint.green("✓")} ${io.paint.cyan(marksFor([memory]).get(memory.id) ?? "")} ${plain(memory.content)} ${io.paint.dim(`(${plain(memory.category)})`)}`,
    );
  return 0;
}
