import { openTidemark } from "../../engine/open.ts";
import { historyFlag, historyFrom, type Verb } from "../input/flags.ts";
import { isWorkspace, teller } from "../input/open.ts";
import { filesIn } from "../render/troubles.ts";
import { count } from "../render/numbers.ts";

const WHAT: readonly (readonly [path: string, says: string])[] = [
  ["SOUL.md", "who the agent is; a page in your words"],
  ["USER.md", "who you are, and how you like to be talked to"],
  ["AGENTS.md", "the rules of the house"],
  ["MEMORY.md", "what is remembered; change, delete or add a line"],
  ["learnings/", "errors and corrections, noted as they pass"],
  ["memory/", "a log for each day, from the first memory on"],
  [".tidemark/", "the databases: history, and the memory's index"],
];

/** Makes a workspace and says what is what; a second time it only puts back what is missing. */
export const init: Verb = {
  flags: historyFlag,
  examples: [
    "tidemark init",
    "tidemark init --workspace ~/agents/support",
    "tidemark init --history masked",
  ],
  async run(given, io) {
    const folder = given.workspace;
    const known = isWorkspace(folder);
    const before = new Set(filesIn(folder).map(({ path }) => path));
    const tidemark = await openTidemark({
      workspace: folder,
      identity: given.identity,
      history: historyFrom(given, io),
      listen: teller(io),
    });
    await tidemark.close();
    if (known) {
      const pages = filesIn(folder)
        .map(({ path }) => path)
        .filter((path) => !before.has(path) && path.endsWith(".md"))
        .sort();
      io.say(
        pages.length === 0
          ? `${folder} is a workspace already; nothing changed.`
          : `${folder} was a workspace already; ${count(pages.length, "file was", "files were")} missing and made anew: ${pages.join(", ")}.`,
      );
      return 0;
    }
    io.say(
      `${io.paint.green("✓")} ${before.size === 0 ? "Made" : `Made among your ${count(before.size, "file")} in`} ${io.paint.bold(folder)}`,
    );
    for (const [path, says] of WHAT) io.say(`  ${io.paint.cyan(path.padEnd(12))} ${says}`);
    io.say(
      `Next: write a line in USER.md, then "tidemark chat"; or "tidemark replay FILE" to see it work.`,
    );
    return 0;
  },
};
