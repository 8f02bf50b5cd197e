import { forgetUser } from "../../engine/upkeep/forget-user.ts";
import { UsageError, onlyWord } from "../input/failure.ts";
import type { Given, Verb } from "../input/flags.ts";
import type { Io } from "../render/io.ts";
import { namedMemory } from "./memories.ts";
import { needWorkspace, teller, withWorkspace } from "../input/open.ts";
import { plain } from "../render/text.ts";
import { count, held } from "../render/numbers.ts";

/** One memory, for good: from pages, logs and backups too. */
async function forgetOne(given: Given, io: Io): Promise<number> {
  const word = onlyWord(given.words, "forget", "memory");
  const sure = given.on("yes") && !given.on("dry-run");
  const content = await withWorkspace(given, io, async (tidemark) => {
    const memory = await namedMemory(word, tidemark);
    if (sure) await tidemark.memory.forget(memory.id);
    return memory.content;
  });
  io.say(
    sure
      ? `${io.paint.green("✓")} Forgotten: ${plain(content)}`
      : `Would be forgotten for good: ${plain(content)}`,
  );
  if (!sure) io.say(`Nothing was deleted. To do it: tidemark forget ${word} --yes`);
  return sure || given.on("dry-run") ? 0 : 1;
}

/** All of a user, with every agent; exit 1 when it was not confirmed. */
export const forget: Verb = {
  flags: {
    "dry-run": { says: "only say what would go" },
    yes: { says: "delete it, for good" },
  },
  examples: [
    "tidemark forget 7k2p --yes",
    "tidemark forget --user ada --dry-run",
    "tidemark forget --user ada --yes",
  ],
  async run(given, io) {
    if (given.words.length > 0) return forgetOne(given, io);
    const user = given.text("user");
    if (user === undefined)
      throw new UsageError(
        "forget needs a memory or a user: tidemark forget 7k2p, or tidemark forget --user ada --dry-run",
      );
    const other = ["agent", "team", "project", "org"].find((name) => given.on(name));
    if (other !== undefined)
      throw new UsageError(
        `forget takes a user with all agents and projects; leave --${other} out.`,
      );
    needWorkspace(given.workspace);
    const sure = given.on("yes") && !given.on("dry-run");
    const { memories, past, conversations, messages, files, copies, mentions } = await forgetUser({
      workspace: given.workspace,
      user,
      now: Date.now,
      emit: teller(io),
      dry: !sure,
    });
    const what = `${held({ memories, past, conversations, messages })}, ${count(files, "file")}`;
    if (memories + past + conversations + files === 0)
      io.say(`Nothing of user "${user}" is in ${given.workspace}.`);
    else if (sure)
      io.say(
        `${io.paint.green("✓")} Forgotten of user "${user}": ${what}.${copies > 0 ? " Backups were made anew; damaged files put aside are gone." : ""}`,
      );
    else
      io.say(
        `Of user "${user}" would go: ${what}${copies > 0 ? `; ${count(copies, "backup or file put aside", "backups and files put aside")} would be made anew or go` : ""}.`,
      );
    if (mentions.length > 0)
      io.say(
        io.paint.yellow(
          `! ${count(mentions.length, "page names", "pages name")} "${user}" and ${mentions.length === 1 ? "stays" : "stay"}; look at ${mentions.length === 1 ? "it" : "them"}: ${mentions.slice(0, 5).join(", ")}${mentions.length > 5 ? ", …" : ""}.`,
        ),
      );
    if (sure)
      io.say(
        io.paint.dim(
          "Archives you exported and copies of the folder elsewhere are yours to delete.",
        ),
      );
    else if (memories + past + conversations + files > 0)
      io.say(
        `Nothing was deleted. End what uses the workspace, then: tidemark forget --user ${user} --yes`,
      );
    return sure || given.on("dry-run") ? 0 : 1;
  },
};
