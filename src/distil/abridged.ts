import { type DistilTask } from "./distiller.ts";

/** Messages quoted while a turn waits, from the beginning and from the end: what was set out to do, and what it came to. */
const [FIRST, LAST] = [400, 1_600];

/** The task without the midst of a very long range: for a turn that must go out, when a model is asked for all of it later. */
export function abridged(task: DistilTask): DistilTask {
  const { messages, injected = [], factsFrom } = task;
  const gap = messages.length - FIRST - LAST;
  if (gap <= 0) return task;
  const moved = (at: number): number => (at < FIRST ? at : Math.max(FIRST, at - gap));
  const isKept = (at: number | undefined): boolean => at === undefined || at < FIRST || at >= FIRST + gap;
  return {
    ...task,
    messages: [...messages.slice(0, FIRST), ...messages.slice(-LAST)],
    injected: injected.flatMap((one) => (isKept(one.at) ? [one.at === undefined ? one : { ...one, at: moved(one.at) }] : [])),
    factsFrom: moved(factsFrom),
  };
}
