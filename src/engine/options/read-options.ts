import { resolve } from "node:path";
import { isDict } from "../../base/guards.ts";
import type { DistilOptions } from "./option-parts.ts";
import type { Options } from "./types.ts";

/** The workspace's folder; undefined where nothing is to be on disk. */
export const workspaceRoot = ({ workspace = "workspace" }: Options): string | undefined =>
  workspace === false ? undefined : resolve(workspace);

/** The options of distilling, where they were given as such. */
export const distilOptions = ({ distil }: Options): DistilOptions =>
  isDict(distil) ? (distil as DistilOptions) : {};
