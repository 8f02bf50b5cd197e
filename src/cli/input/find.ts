import { existsSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** The folder of a workspace where no other is named. */
export const USUAL = "workspace";

/** A folder Tidemark has been in. */
export const isWorkspace = (folder: string): boolean => existsSync(join(folder, ".tidemark"));

/**
 * The workspace that is meant where none is named: the nearest from the working folder upward, as
 * git looks for its own, else one to be made here. That of another user of the machine is not
 * taken.
 */
export function workspaceHere(at = process.cwd()): string {
  const found = [join(at, USUAL), at].find((one) => isWorkspace(one) && isOurs(one));
  if (found !== undefined) return relative(process.cwd(), found) || ".";
  const above = dirname(at);
  return above === at ? USUAL : workspaceHere(above);
}

const isOurs = (folder: string): boolean =>
  process.getuid === undefined || statSync(folder).uid === process.getuid();
