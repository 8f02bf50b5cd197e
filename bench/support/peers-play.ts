// Plays one conversation through one contestant, and reads off what it cost.
import { percentile, round } from "../support.ts";
import type { Contestant, Running } from "./peers-contestant.ts";
import { type Exchange, namesIn, talkOf, type TalkStyle, toolsFor } from "./peers-talk.ts";
import { type Booked, openWorld, type World, type WorldOptions } from "./peers-world.ts";

export interface Conversation {
  readonly style: TalkStyle;
  readonly seed: number;
  readonly exchanges: readonly Exchange[];
  readonly tools: ReturnType<typeof toolsFor>;
}

export function conversationOf(style: TalkStyle, seed: number, turns: number): Conversation {
  const talk = talkOf(style, seed);
  const exchanges = Array.from({ length: turns }, talk.next);
  return { style, seed, exchanges, tools: toolsFor(namesIn(exchanges)) };
}

export interface Played {
  /** Exchanges that were answered. */
  readonly answered: number;
  readonly refused?: string;
  readonly folds: number;
  readonly waits: readonly number[];
  readonly booked: readonly Booked[];
  readonly seconds: number;
}

export async function play(
  contestant: Contestant,
  { exchanges, tools, seed }: Conversation,
  options: Pick<WorldOptions, "window"> & { thinking?: boolean; blind?: number },
  look?: (running: Running, world: World) => void,
): Promise<Played> {
  const world = await openWorld({ blind: 0, ...options, tools, seed, inline: contestant.inline });
  const begun = performance.now();
  const running = await contestant.open(world);
  let answered = 0;
  let refused: string | undefined;
  try {
    for (const exchange of exchanges) {
      await world.clock.pass(exchange.pause, world.settle);
      await running.play(exchange);
      world.collect();
      answered++;
    }
  } catch (thrown) {
    refused = thrown instanceof Error ? thrown.message.slice(0, 300) : String(thrown);
  }
  await world.clock.pass(10_000, world.settle);
  world.collect();
  look?.(running, world);
  const folds = running.folds();
  await running.close();
  await world.close();
  return {
    answered,
    ...(refused === undefined ? {} : { refused }),
    folds,
    waits: running.waits,
    booked: world.booked,
    seconds: round((performance.now() - begun) / 1_000),
  };
}

export const dollarsOf = (booked: readonly Booked[], kind?: Booked["kind"]): number =>
  booked.reduce(
    (sum, call) => sum + (kind === undefined || call.kind === kind ? call.dollars : 0),
    0,
  );
export const readShare = (booked: readonly Booked[], kind: Booked["kind"]): number => {
  const chosen = booked.filter((call) => call.kind === kind);
  const total = chosen.reduce((sum, call) => sum + call.total, 0);
  return total === 0
    ? 0
    : round(chosen.reduce((sum, { usage }) => sum + usage.cacheRead, 0) / total);
};
export const waitsOf = (waits: readonly number[]) => ({
  p50: percentile(waits, 0.5),
  p99: percentile(waits, 0.99),
  max: round(Math.max(0, ...waits)),
});
