import { resolve } from "node:path";
import { isDict } from "../../base/guards.ts";
import type { DistilOptions } from "./option-parts.ts";
import type { InjectAs, Options } from "./types.ts";

/** The workspace's folder; undefined where nothing is to be on disk. */
export const workspaceRoot = ({ workspace = "workspace" }: Options): string | undefined =>
  workspace === false ? undefined : resolve(workspace);

/** All that was learnt, of pages and of memory together, in tokens. */
const LEARNT = 600;

/** How memory enters the system text, and how much of it. */
export function injectOptions({ inject = "context" }: Options): {
  as: InjectAs | false;
  tokens: number;
} {
  return isDict(inject)
    ? { as: "context", tokens: inject.tokens ?? LEARNT }
    : { as: inject, tokens: LEARNT };
}

/** The options of distilling, where they were given as such. */
export const distilOptions = ({ distil }: Options): DistilOptions =>
  isDict(distil) ? (distil as DistilOptions) : {};
