// Canaries of eight kinds planted before the first fold, looked for in the request sent, and by one search, after ten.
import { answers, type Canary, allText } from "./trial/canary.ts";
import { plant } from "./trial/planting.ts";
import type { Contestant } from "./peers-contestant.ts";
import {
  type Exchange,
  exchangeOf,
  namesIn,
  talkOf,
  type TalkStyle,
  toolsFor,
} from "./peers-talk.ts";
import { openWorld } from "./peers-world.ts";

export const FOLDS = 10;
const EACH = 4;
/** What the script misses of the sentences it is shown, each time; the others stand for a model that misses nothing. */
export const BLIND = 1 / 3;
/** The canaries stand in the first part of the window, filler between them. */
const PLANTED = 0.35;
/** Exchanges by which others must have come to ten folds, as a multiple of what Tidemark took. */
const AT_MOST = 2;

export interface Survival {
  readonly canaries: readonly Canary[];
  readonly folds: number;
  readonly exchanges: number;
  readonly refused?: string;
  readonly inPrompt: readonly boolean[];
  readonly inSearch: readonly boolean[];
}

interface Trial {
  readonly style: TalkStyle;
  readonly seed: number;
  readonly window: number;
  readonly blind: number;
  /** Exchanges after which one looks, for who folds in no steps of that kind. */
  readonly length?: number;
}

/** Counts of Mastra are calls, of pruning calls that pruned: they are looked at when Tidemark's are. */
const countsFolds = ({ name }: Contestant): boolean => /Tidemark|LangChain|server/.test(name);

export async function survival(
  contestant: Contestant,
  { style, seed, window, blind, length }: Trial,
): Promise<Survival> {
  const canaries = plant(seed * 1_000 + window / 100 + style.length, EACH);
  const talk = talkOf(style, seed);
  const filler: Exchange[] = Array.from({ length: 3_000 }, talk.next);
  const planted = canaries
    .map(({ messages }) => exchangeOf(messages, 10_000))
    .filter((exchange) => exchange !== undefined);
  if (planted.length !== canaries.length) throw new Error("a canary cannot be played");
  const tools = toolsFor(namesIn([...planted, ...filler.slice(0, 200)]));
  const world = await openWorld({ window, tools, inline: contestant.inline, blind, seed });
  const running = await contestant.open(world);
  let exchanges = 0;
  let next = 0;
  let refused: string | undefined;
  const tell = async (exchange: Exchange): Promise<void> => {
    await world.clock.pass(exchange.pause, world.settle);
    await running.play(exchange);
    world.collect();
    exchanges++;
  };
  const level = (): number =>
    (world.booked.findLast(({ kind }) => kind === "turn")?.total ?? 0) / window;
  const goesOn = (): boolean => {
    if (length === undefined) return running.folds() < FOLDS;
    return countsFolds(contestant)
      ? running.folds() < FOLDS && exchanges < AT_MOST * length
      : exchanges < length;
  };
  try {
    for (const exchange of planted) {
      await tell(exchange);
      if (level() < PLANTED) await tell(filler[next++]!);
    }
    while (goesOn() && next < filler.length) await tell(filler[next++]!);
  } catch (thrown) {
    refused = thrown instanceof Error ? thrown.message.slice(0, 200) : String(thrown);
  }
  await world.clock.pass(10_000, world.settle);
  const text = refused === undefined ? allText(world.lastTurn()?.body) : "";
  const inSearch: boolean[] = [];
  for (const canary of canaries)
    inSearch.push(
      running.recall !== undefined &&
        (await running.recall(canary.question)).some((found) => answers(found, canary)),
    );
  const folds = running.folds();
  await running.close();
  await world.close();
  return {
    canaries,
    folds,
    exchanges,
    ...(refused === undefined ? {} : { refused }),
    inPrompt: canaries.map((canary) => answers(text, canary)),
    inSearch,
  };
}
