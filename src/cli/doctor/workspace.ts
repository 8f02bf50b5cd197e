import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { mask, maskSlowly } from "../../secrets/mask.ts";
import type { WorkspaceAt } from "../../store/sqlite/connect.ts";
import { filesIn } from "../render/sizes.ts";
import { some } from "../render/layout.ts";
import { broken, type Check, look, well } from "./check.ts";
import { checksOfDatabase } from "./databases.ts";

/** The folder, its permissions, the database, secrets in pages. */
export async function checksOfWorkspace(at: WorkspaceAt): Promise<Check[]> {
  const folder = at.workspace;
  const mine = permissions(folder);
  if (mine.state === "broken") return [mine];
  return [
    mine,
    secrecy(join(folder, ".tidemark")),
    ...(await checksOfDatabase(at)),
    ...(await checksOfSecrets(folder)),
  ];
}

function permissions(folder: string): Check {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return well(`workspace ${resolve(folder)}, readable and writable`);
  } catch {
    return broken(
      `${resolve(folder)} cannot be read and written by this user`,
      `check who owns it: ls -ld ${folder}`,
    );
  }
}

function secrecy(hidden: string): Check {
  const first = [hidden, ...filesIn(hidden).map(({ full }) => full)].find(isOpen);
  if (first === undefined) return well("conversations can be read by their owner only");
  return look(
    `${first} can be read by others; conversations lie in it`,
    `chmod -R go= "${hidden}"`,
  );
}

const isOpen = (path: string): boolean =>
  process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0;

/** Secrets in pages of all scopes: the file and the lines, never the secret. */
async function checksOfSecrets(folder: string): Promise<Check[]> {
  const found: { path: string; text: string }[] = [];
  for (const { path, full, hidden } of filesIn(folder)) {
    if (hidden || !path.endsWith(".md")) continue;
    const text = readFileSync(full, "utf8");
    if ((await maskSlowly(text)) !== text) found.push({ path, text });
  }
  if (found.length === 0) return [well("no secret was found in any page")];
  return found.map(({ path, text }) => {
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
