import type { Spent } from "../../model/ledger.ts";

const UNITS = { "": 1, k: 1_000, m: 1_000_000 } as const;

/** "16k", "200K", "1m", "1.5m" or plain digits; undefined for anything else. */
export function parseTokens(text: string): number | undefined {
  const [, digits, unit = ""] = /^(\d+(?:\.\d+)?)\s*([km]?)$/i.exec(text.trim()) ?? [];
  return digits === undefined
    ? undefined
    : Math.round(Number(digits) * UNITS[unit.toLowerCase() as keyof typeof UNITS]);
}

const short = (value: number): string =>
  value >= 99.95 ? value.toFixed(0) : value.toFixed(1).replace(/\.0$/, "");

/** 950, 1.2k, 16k, 3.4M. */
export function tokens(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  return count < 999_500 ? `${short(count / 1_000)}k` : `${short(count / 1_000_000)}M`;
}

export const percent = (part: number): string => `${Math.round(part * 100)} %`;

/** Cents where they say something, else as many digits as make two. */
export function money(dollars: number): string {
  if (dollars === 0) return "$0";
  if (Math.abs(dollars) >= 0.995) return `$${dollars.toFixed(2)}`;
  return `$${dollars.toFixed(Math.min(6, Math.max(2, 1 - Math.floor(Math.log10(Math.abs(dollars))))))}`;
}

/** The money of calls as far as their prices are known: "+" where some are not, "?" where none is. */
export const dollarsOf = ({
  calls,
  unpriced,
  dollars,
}: Pick<Spent, "calls" | "unpriced" | "dollars">): string => {
  if (unpriced < calls) return `${money(dollars)}${unpriced > 0 ? " +" : ""}`;
  return calls === 0 ? "$0" : "?";
};

/** How long something took: 850 ms, 3.2 s, 45 s, 1.4 min, 12 min, 1.5 h. */
export function lasted(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_500) return `${ms < 9_950 ? short(ms / 1_000) : Math.round(ms / 1_000)} s`;
  return ms < 3_570_000
    ? `${ms < 597_000 ? short(ms / 60_000) : Math.round(ms / 60_000)} min`
    : `${short(ms / 3_600_000)} h`;
}

export function bytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  if (count < 999_500) return `${short(count / 1_000)} kB`;
  return count < 999_500_000
    ? `${short(count / 1_000_000)} MB`
    : `${short(count / 1_000_000_000)} GB`;
}

/** "1 fold", "2 folds", "no folds". */
export const count = (many: number, one: string, more = `${one}s`): string =>
  `${many === 0 ? "no" : many} ${many === 1 ? one : more}`;

/** Memories and conversations in one sentence's part; of what is not there it says no more than that. */
export function held(of: {
  memories: number;
  past: number;
  conversations: number;
  messages: number;
}): string {
  const past = of.past === 0 ? "" : ` (${count(of.past, "earlier value")})`;
  const messages = of.conversations === 0 ? "" : ` with ${count(of.messages, "message")}`;
  return `${count(of.memories, "memory", "memories")}${past}, ${count(of.conversations, "conversation")}${messages}`;
}

const STEPS = [
  [60_000, 3_600_000, "minute"],
  [3_600_000, 86_400_000, "hour"],
  [86_400_000, 30 * 86_400_000, "day"],
  [30 * 86_400_000, 365 * 86_400_000, "month"],
  [365 * 86_400_000, Infinity, "year"],
] as const;

/** How long ago, as one would say it. */
export function ago(at: number, now: number): string {
  const passed = Math.max(0, now - at);
  const step = STEPS.find(([from, to]) => passed >= from && passed < to);
  return step ? `${count(Math.floor(passed / step[0]), step[2])} ago` : "just now";
}
