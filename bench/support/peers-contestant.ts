import type { Exchange } from "./peers-talk.ts";
import type { World } from "./peers-world.ts";

/** A way of keeping a conversation under its window, at work in one conversation. */
export interface Running {
  /** Plays an exchange to its last reply. Rejects with what the provider refused. */
  play(exchange: Exchange): Promise<void>;
  /** ms each call of the conversation waited for the contestant's own doing; calls of memory it waited for count by the clock. */
  readonly waits: readonly number[];
  folds(): number;
  /** Finds what was said by a question, where the contestant can. */
  recall?(question: string): Promise<string[]>;
  close(): Promise<void>;
}

export interface Contestant {
  readonly name: string;
  readonly version?: string;
  /** How it was set up. */
  readonly how: string;
  /** Its summaries are made while a turn waits. */
  readonly inline: boolean;
  /** Its turns take long by themselves. */
  readonly slow?: true;
  open(world: World): Promise<Running>;
}

/** The time of work that is nobody's but the contestant's own, and what it waited for by the clock. */
export async function timed<T>(
  world: World,
  waits: number[],
  work: () => T | Promise<T>,
): Promise<T> {
  world.waited = 0;
  const begun = performance.now();
  const result = await work();
  waits.push(performance.now() - begun + world.waited);
  world.waited = 0;
  return result;
}
