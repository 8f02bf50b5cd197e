import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openTidemark } from "../../engine/open.ts";
import { type Flags, type Given, historyFlag, historyFrom } from "../input/flags.ts";
import { type Io } from "../render/io.ts";
import { isWorkspace, teller } from "../input/open.ts";
import { count } from "../render/numbers.ts";

export const flags: Flags = historyFlag;
export const examples = [
  "tidemark init",
  "tidemark init --workspace ~/agents/support",
  "tidemark init --history masked",
];

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
export async function run(given: Given, io: Io): Promise<number> {
  const folder = given.workspace;
  const known = isWorkspace(folder);
  const before = new Set(filesIn(folder));
  const tidemark = await openTidemark({
    workspace: folder,
    identity: given.identity,
    history: historyFrom(given, io),
    listen: teller(io),
  });
  await tidemark.close();
  const made = filesIn(folder).filter((path) => !before.has(path));
  const pages = made.filter((path) => path.endsWith(".md"));

  if (known) {
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
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length)
        .replace(/^[\\/]+/, ""),
    )
    .sort();
}
