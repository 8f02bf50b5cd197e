import { shown, refuse, telling } from "../../model/errors.ts";
import type { Listen } from "../../model/events.ts";
import type { Timer } from "./background.ts";

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

/** Calls what a host gave: what it throws, at once or later, ends here. */
export function quietly<T>(
  call: () => T,
  trouble: (thrown: unknown) => void = () => {},
): T | undefined {
  try {
    const answer = call();
    if (isObject(answer)) Promise.resolve(answer).catch(trouble);
    return answer;
  } catch (thrown) {
    trouble(thrown);
    return undefined;
  }
}

/** The host's clock in whole ms: one of high resolution gives parts, which no time of ours has. */
export function wholeClock(now: () => number): () => number {
  const at: unknown = now();
  if (typeof at !== "number" || !Number.isFinite(at))
    refuse(`openTidemark: option "now" must answer ms since 1970, answered ${shown(at)}.`);
  return () => Math.floor(now());
}

/** Work that fails in a timer is told of and ends no process. */
export function safeTimer(timer: Timer, emit: Listen): Timer {
  const report = telling(emit, "background");
  return (ms, work) => timer(ms, () => void quietly(work, report));
}
