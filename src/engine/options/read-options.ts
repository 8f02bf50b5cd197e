import { resolve } from "node:path";
import { isDict } from "../../base/guards.ts";
import type { WindowOptions } from "../../window/limits-and-marks.ts";
import type { DistilOptions, TurnRecallOptions } from "./option-parts.ts";
import type { Options } from "./types.ts";

/** The options where each thing is said in one way. */
export interface MeantOptions extends Options {
  readonly window?: WindowOptions;
  readonly recall?: false | TurnRecallOptions;
}

/**
 * A number is the window's tokens, and `true` the defaults; what is wrong, or cannot be read, stays
 * for the check.
 */
export function meantBy(options: Options): MeantOptions {
  if (!isDict(options)) return options as MeantOptions;
  try {
    const { window, recall } = options as Options;
    return {
      ...options,
      ...(typeof window === "number" && { window: { tokens: window } }),
      ...(recall === true && { recall: {} }),
    } as MeantOptions;
  } catch {
    return options as MeantOptions;
  }
}

/** The workspace's folder; undefined where nothing is to be on disk. */
export const workspaceRoot = ({ workspace = "workspace" }: Options): string | undefined =>
  workspace === false ? undefined : resolve(workspace);

/** The options of distilling, where they were given as such. */
export const distilOptions = ({ distil }: Options): DistilOptions =>
  isDict(distil) ? (distil as DistilOptions) : {};
