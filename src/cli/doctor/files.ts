import { present } from "../../base/guards.ts";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { PROMPT_CAPS, written } from "../../workspace/pages/prompt-files.ts";
import { filesIn } from "../render/sizes.ts";
import { some } from "../render/layout.ts";
import { loadMask, maskAtOnce, type Mask } from "../../secrets/mask.ts";
import { type Check, look, well } from "./machine.ts";

/** Pages a person writes, and how much of each reaches the agent. */
const PAGES = new Map([
  ["SOUL.md", PROMPT_CAPS.soul],
  ["USER.md", PROMPT_CAPS.user],
  ["AGENTS.md", PROMPT_CAPS.agents],
]);

/** Secrets in pages, and pages longer than the agent reads. */
export async function checksOfFiles(folder: string): Promise<Check[]> {
  // Pages of all scopes; backups and the databases' folder aside.
  const pages = filesIn(folder).filter(({ path, hidden }) => path.endsWith(".md") && !hidden);
  const texts = new Map(
    pages.map(({ path, full }) => [path.replaceAll("\\", "/"), readFileSync(full, "utf8")]),
  );
  const over = present([...texts].map(([path, text]) => overCap(path, text)));
  return [...checksOfSecrets(texts, await loadMask().catch(() => maskAtOnce)), ...over];
}

function overCap(path: string, text: string): Check | false {
  const cap = PAGES.get(basename(path));
  if (cap === undefined) return false;
  const long = written(text, undefined).length;
  return (
    long > cap &&
    look(
      `${path} has ${thousands(long)} characters and the agent reads the first ${thousands(cap)}`,
      "shorten it, or move what is rarely needed to a page of its own",
    )
  );
}

const thousands = (value: number): string => value.toLocaleString("en-US");

/** Secrets in pages: the file and the lines, never the secret. */
function checksOfSecrets(texts: ReadonlyMap<string, string>, mask: Mask): Check[] {
  const found = [...texts].filter(([, text]) => mask(text) !== text);
  if (found.length === 0) return [well("no secret was found in any page")];
  return found.map(([path, text]) => {
    const lines = text
      .split("\n")
      .flatMap((line, at) => (mask(line) === line ? [] : [`line ${at + 1}`]));
    return look(
      // A key of several lines is found in the whole text only.
      `${path} holds a secret (${some(lines, 3) || "over several lines"})`,
      "take it out by hand, and have a new one made where it came from: it has been readable",
    );
  });
}
