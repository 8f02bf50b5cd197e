// One conversation through Tidemark at a given pace and cache lifetime, beside what the whole history would have cost.
import Anthropic from "@anthropic-ai/sdk";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anthropicMiddleware } from "../../src/adapters/anthropic.ts";
import { Dice } from "./trial/dice.ts";
import type { Message } from "../../src/core/request.ts";
import { modelInfo } from "../../test/support/messages-server/index.ts";
import { round } from "../support.ts";
import { openTimed } from "../../test/support/timed.ts";
import { timerBeside } from "./peers-clock.ts";
import { wholeCosts } from "./peers-full.ts";
import { bodyOf, loop } from "./peers-plain.ts";
import { type Conversation, dollarsOf, readShare } from "./peers-play.ts";
import { blocksOf } from "./peers-talk.ts";
import { settling } from "./peers-tidemark.ts";
import { MODEL, openWorld } from "./peers-world.ts";

export const PACES = {
  seconds: (dice: Dice) => 5 + 25 * dice.next(),
  minutes: (dice: Dice) => 60 + 180 * dice.next(),
  "quarters of an hour": (dice: Dice) => 600 + 600 * dice.next(),
  mixed: (dice: Dice) =>
    ((at) =>
      at < 0.7
        ? 5 + 25 * dice.next()
        : at < 0.95
          ? 30 + 90 * dice.next()
          : 360 + 840 * dice.next())(dice.next()),
} as const;
export type Pace = keyof typeof PACES;

export const paced = (conversation: Conversation, pace: Pace): Conversation => {
  const dice = new Dice(conversation.seed + 31);
  return {
    ...conversation,
    exchanges: conversation.exchanges.map((exchange) => ({
      ...exchange,
      pause: Math.round(1_000 * PACES[pace](dice)),
    })),
  };
};

/** What was said in a conversation, without the calls of tools. */
const saidIn = ({ exchanges }: Conversation) =>
  exchanges.flatMap(({ say, steps }) => [
    { role: "user", text: say },
    ...steps.flatMap(({ reply }) =>
      blocksOf(reply).flatMap(({ type, text }) =>
        type === "text" && typeof text === "string" ? [{ role: "assistant", text }] : [],
      ),
    ),
  ]);

export interface EconomyOptions {
  readonly window: number;
  readonly ttl: "5m" | "1h";
  /** Conversations had before: memory looks into them on every turn. */
  readonly past?: readonly Conversation[];
  /** False: nothing is recalled beside a turn, which is not the default. */
  readonly recall?: false;
}

export async function economyOf(
  conversation: Conversation,
  { window, ttl, past, recall }: EconomyOptions,
) {
  const world = await openWorld({
    window,
    tools: conversation.tools,
    inline: false,
    blind: 0,
    seed: conversation.seed,
  });
  const home = mkdtempSync(join(tmpdir(), "tidemark-economy-"));
  let folds = 0;
  const brought: number[] = [];
  const tidemark = await openTimed({
    workspace: join(home, "workspace"),
    window: { tokens: window },
    ...(recall === undefined ? {} : { recall }),
    now: world.clock.now,
    timer: timerBeside(world.clock),
    listen: (event) => {
      folds += event.type === "folded" ? 1 : 0;
      if (event.type === "recalled" && (event.tokens ?? 0) > 0) brought.push(event.tokens ?? 0);
    },
  });
  for (const [at, one] of (past ?? []).entries())
    await tidemark.history.import({ id: `past-${at}`, messages: saidIn(one), learn: false });
  world.settle = settling(world, tidemark);
  const client = new Anthropic({
    baseURL: world.server.url,
    apiKey: "local",
    maxRetries: 0,
    logLevel: "off",
    middleware: [anthropicMiddleware(tidemark)],
  });
  const messages: Message[] = [];
  /** Dollars after each call of the conversation. */
  const paid: number[] = [];
  let booked = 0;
  let spent = 0;
  for (const exchange of conversation.exchanges) {
    await world.clock.pass(exchange.pause, world.settle);
    await loop(
      world,
      exchange,
      messages,
      (all) =>
        client.messages.create({
          ...bodyOf(world, all),
          cache_control: { type: "ephemeral", ttl },
        }) as never,
    );
    world.collect();
    for (; booked < world.booked.length; booked++) {
      const call = world.booked[booked];
      if (call === undefined) continue;
      spent += call.dollars;
      if (call.kind === "turn") paid.push(spent);
    }
  }
  await world.clock.pass(10_000, world.settle);
  world.collect();
  const calls = world.booked;
  await tidemark.close();
  await world.close();
  rmSync(home, { recursive: true, force: true });

  const whole = wholeCosts(conversation, ttl, modelInfo(MODEL).minimumCacheable);
  const sums = { cached: 0, plain: 0 };
  const beyond: number[] = [];
  let worst = 0;
  whole.forEach(({ cached, plain }, turn) => {
    sums.cached += cached;
    sums.plain += plain;
    const difference = (paid[turn] ?? 0) - sums.cached;
    beyond.push(difference);
    worst = Math.max(worst, difference);
  });
  const total = dollarsOf(calls);
  // From the first fold on it is paid off for good when it never costs more again.
  const lastLoss = beyond.findLastIndex(
    (difference, turn) => difference > 0.005 * (whole[turn]?.cached ?? 0) + 0.001,
  );
  return {
    turns: paid.length,
    folds,
    recalled: {
      messages: brought.length,
      /** Tokens that so many turns bring into the request. */
      inFiftyTurns: Math.round((50 * brought.reduce((sum, one) => sum + one, 0)) / paid.length),
    },
    tokensOfTheWholeHistory: whole.at(-1)?.total ?? 0,
    dollars: {
      tidemark: round(total),
      ofThatMemory: round(dollarsOf(calls, "memory")),
      fullHistoryCached: round(sums.cached),
      fullHistoryUncached: round(sums.plain),
    },
    ofFullHistoryCached: round(total / sums.cached),
    ofFullHistoryUncached: round(total / sums.plain),
    readFromCache: readShare(calls, "turn"),
    ...(calls.some(({ kind }) => kind === "memory")
      ? { memoryReadFromCache: readShare(calls, "memory") }
      : {}),
    /** The last turn at which all that was paid until then was more than the whole history; 0: at none. */
    dearerUntilTurn: lastLoss + 1,
    mostDearerByDollars: round(worst),
    saved: round(sums.cached - total),
  };
}
