import { degraded, shown, refuse, telling } from "../../model/errors.ts";
import type { Listen } from "../../model/events.ts";
import { type Timer, unheldTimer } from "./background.ts";

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

/** What fails once may fail each time: the first says what there is to say. */
function tellingOnce(emit: Listen, where: string): (thrown: unknown) => void {
  let told = false;
  return (thrown) => {
    if (!told) emit(degraded(where, thrown));
    told = true;
  };
}

/** The host's clock in whole ms: one of high resolution gives parts, which no time of ours has. */
export function wholeClock(now: () => number, emit: Listen): () => number {
  const read = (): number => {
    const at: unknown = now();
    if (typeof at === "number" && Number.isFinite(at)) return Math.floor(at);
    quietly(() => at);
    const wanted = 'openTidemark: option "now" must answer ms since 1970, answered';
    refuse(`${wanted} ${shown(at)}.`);
  };
  const trouble = tellingOnce(emit, "now");
  let last = read();
  // Time stands still until it answers again.
  return () => {
    try {
      last = read();
    } catch (thrown) {
      trouble(thrown);
    }
    return last;
  };
}

/** The host's timer. Where it fails, our own takes its place; work that fails fails in neither. */
export function safeTimer(timer: Timer, emit: Listen): Timer {
  const trouble = tellingOnce(emit, "timer");
  const report = telling(emit, "background");
  return (ms, work) => {
    let over = false;
    const once = (): void => {
      if (over) return;
      over = true;
      quietly(work, report);
    };
    let cancel: unknown;
    const instead = (thrown: unknown): void => {
      trouble(thrown);
      if (!over) cancel = unheldTimer(ms, once);
    };
    quietly(() => (cancel = timer(ms, once)), instead);
    return () => {
      over = true;
      quietly(() => (typeof cancel === "function" ? (cancel as () => unknown)() : undefined));
    };
  };
}
