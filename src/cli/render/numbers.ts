import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import type { Spent } from "../../core/request.ts";

const UNITS = { "": 1, k: 1_000, m: 1_000_000 } as const;

/** "16k", "200K", "1m", "1.5m" or plain digits; undefined for anything else. */
export function parseTokens(text: string): number | undefined {
  const [, digits, unit = ""] = /^(\d+(?:\.\d+)?)\s*([km]?)$/i.exec(text.trim()) ?? [];
  return digits === undefined
    ? undefined
    : Math.round(Number(digits) * UNITS[unit.toLowerCase() as keyof typeof UNITS]);
}

type Scale = readonly (readonly [below: number, one: number, unit: string])[];

/** A value in the unit it has least digits in, with one digit behind the point below a hundred. */
function scaled(value: number, scale: Scale): string {
  const [, one = 1, unit = ""] = scale.find(([below]) => value < below) ?? [];
  const part = value / one;
  if (one === 1 || part >= 99.95) return `${Math.round(part)}${unit}`;
  return part.toFixed(1).replace(/\.0$/, "") + unit;
}

const TOKENS: Scale = [
  [1_000, 1, ""],
  [999_500, 1_000, "k"],
  [Infinity, 1_000_000, "M"],
];
/** 950, 1.2k, 16k, 3.4M. */
export const tokens = (count: number): string => scaled(count, TOKENS);

export const percent = (part: number): string => `${Math.round(part * 100)} %`;

/** Cents where they say something, else as many digits as make two. */
export function money(dollars: number): string {
  if (dollars === 0) return "$0";
  if (dollars >= 0.995) return `$${dollars.toFixed(2)}`;
  const digits = 1 - Math.floor(Math.log10(dollars));
  return `$${dollars.toFixed(Math.min(6, Math.max(2, digits)))}`;
}

/**
 * The money of calls as far as their prices are known: "+" where some are not, "?" where none is.
 */
export const dollarsOf = ({
  calls,
  unpriced,
  dollars,
}: Pick<Spent, "calls" | "unpriced" | "dollars">): string => {
  if (unpriced < calls) return `${money(dollars)}${unpriced > 0 ? " +" : ""}`;
  return calls === 0 ? "$0" : "?";
};

const BYTES: Scale = [
  [1_000, 1, " B"],
  [999_500, 1_000, " kB"],
  [999_500_000, 1_000_000, " MB"],
  [Infinity, 1_000_000_000, " GB"],
];
export const bytes = (count: number): string => scaled(count, BYTES);

/** "1 fold", "2 folds", "no folds". */
export const count = (many: number, one: string, more = `${one}s`): string =>
  `${many === 0 ? "no" : many} ${many === 1 ? one : more}`;

/**
 * Memories and conversations in one sentence's part; of what is not there it says no more than
 * that.
 */
export function held(of: {
  memories: number;
  past: number;
  conversations: number;
  messages: number;
}): string {
  const past = of.past === 0 ? "" : ` (${count(of.past, "earlier value")})`;
  const messages = of.conversations === 0 ? "" : ` with ${count(of.messages, "message")}`;
  return (
    `${count(of.memories, "memory", "memories")}${past}, ` +
    `${count(of.conversations, "conversation")}${messages}`
  );
}

/** The same with the files beside them. */
export const filesAndHeld = (all: Parameters<typeof held>[0] & { files: number }): string =>
  `${count(all.files, "file")}, ${held(all)}`;

const STEPS = [
  [60_000, "minute"],
  [3_600_000, "hour"],
  [86_400_000, "day"],
  [30 * 86_400_000, "month"],
  [365 * 86_400_000, "year"],
] as const;

/** How long ago, as one would say it. */
export function ago(at: number): string {
  const passed = Date.now() - at;
  const step = STEPS.findLast(([from]) => passed >= from);
  return step ? `${count(Math.floor(passed / step[0]), step[1])} ago` : "just now";
}

/**
 * Every file of a folder and of those in it; none where there is no folder. `path` goes from the
 * folder on; `hidden`: it lies among the databases.
 */
export const filesIn = (folder: string) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => {
          const full = join(parentPath, name);
          const path = relative(folder, full);
          return { full, path, name, hidden: parentPath.includes(".tidemark") };
        })
    : [];
