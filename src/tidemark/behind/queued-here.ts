import { type Core } from "../core.ts";

const here = new WeakMap<Core, Set<string>>();

/** Work that a turn of this process left to the queue waits for the flush mark, or for `tidy`: it is nothing to catch up with. */
export function noteQueued(core: Core, id: string): void {
  here.set(core, (here.get(core) ?? new Set()).add(id));
}

export const isQueuedHere = (core: Core, id: string): boolean => here.get(core)?.has(id) === true;
