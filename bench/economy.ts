// What Tidemark costs, its own calls and the cache's rewrites included, against the whole history with caching and without:
// generated loops of a thousand turns, and exchanges of ../shared/data/agents where they lie there; and fifty short sessions,
// which end far below the marks and are read by the model afterwards; and what recall, on by default, adds.
//   npm run bench -- economy [turns]
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { economyOf, paced, type Pace } from "./support/economy-run.ts";
import { withRecall } from "./support/economy-recall.ts";
import { shortSessions } from "./support/economy-short.ts";
import { type Conversation, conversationOf } from "./support/peers-play.ts";
import { type TalkStyle, transcriptFiles } from "./support/peers-talk.ts";
import { MODEL, PRICES } from "./support/peers-world.ts";

const USUAL = 1_000;
const TURNS = Number(process.argv[2] ?? USUAL);

interface Case {
  readonly style: TalkStyle;
  readonly seed: number;
  readonly turns: number;
  readonly window: number;
  readonly pace: Pace;
  readonly ttl: "5m" | "1h";
}

/** As many exchanges as make the turns, each call of the model being one. */
function ofTurns({ style, seed, turns }: Case): Conversation {
  const whole = conversationOf(style, seed, turns);
  let calls = 0;
  const enough = whole.exchanges.findIndex(({ steps }) => (calls += steps.length) >= turns);
  return { ...whole, exchanges: whole.exchanges.slice(0, enough + 1) };
}

const long = { seed: 1, turns: TURNS, window: 40_000, pace: "mixed", ttl: "5m" } as const;
/** Fewer turns in a smaller window fold as often. */
const short = {
  style: "agent",
  seed: 2,
  turns: Math.ceil(TURNS * 0.3),
  window: 16_000,
  pace: "mixed",
  ttl: "5m",
} as const;
const cases: Case[] = [
  // Conversations that end before, at and soon after the first folds: where it may not pay.
  ...[0.03, 0.05, 0.07, 0.09, 0.12, 0.16].map((share): Case => ({
    ...short,
    turns: Math.ceil(TURNS * share),
  })),
  short,
  { ...short, pace: "seconds" },
  { ...short, pace: "minutes" },
  { ...short, pace: "quarters of an hour" },
  { ...short, pace: "quarters of an hour", ttl: "1h" },
  { ...short, ttl: "1h" },
  { ...long, style: "agent" },
  { ...long, style: "chat" },
  ...(transcriptFiles().length > 0 ? [{ ...long, style: "transcripts" } as const] : []),
];

const started = Date.now();
const SHORT = 50;
const short50 = {
  half: await shortSessions({ count: SHORT }),
  chats: await shortSessions({ count: SHORT, styles: ["chat"] }),
  work: await shortSessions({ count: SHORT, styles: ["agent"] }),
};
console.error(
  `${SHORT} short sessions: ${short50.half.share} of what they cost; of chats alone ${short50.chats.share}, of work with tools ${short50.work.share}`,
);
const recalling = await withRecall(Math.ceil(TURNS / 2));
const rows: ({
  style: TalkStyle;
  asked: number;
  window: number;
  pace: Pace;
  cacheLifetime: "5m" | "1h";
} & Awaited<ReturnType<typeof economyOf>>)[] = [];
for (const one of cases) {
  const { style, turns, window, pace, ttl } = one;
  const figures = await economyOf(paced(ofTurns(one), pace), { window, ttl });
  rows.push({ style, asked: turns, window, pace, cacheLifetime: ttl, ...figures });
  console.error(
    `${Math.round((Date.now() - started) / 1_000)} s ${style} ${turns} turns, window ${window}, ${pace}, ${ttl}: ${figures.ofFullHistoryCached} of the whole history with caching, ${figures.ofFullHistoryUncached} without`,
  );
  if (TURNS === USUAL) keep();
}
console.log(JSON.stringify(resultOf(), null, 2));

function resultOf() {
  const whole = rows.filter(({ asked }) => asked === TURNS);
  const shares = whole.map(({ ofFullHistoryCached }) => ofFullHistoryCached);
  return {
    command: "npm run bench -- economy",
    date: new Date(started).toISOString().slice(0, 10),
    node: process.version,
    provider:
      "simulated: test/support/messages-server with its cache rules; what comes back is a script's, and its summaries fill the bounds they are given",
    prices: { model: MODEL, dollarsPerMillionTokens: PRICES },
    cost: "input of the conversation, cached or not, and all of memory's calls with their output; the conversation's own replies are the same either way. The whole history is reckoned as if no window ended it, by the same cache rules",
    figures: {
      thousandTurns: {
        lowest: Math.min(...shares),
        highest: Math.max(...shares),
        uncachedHighest: Math.max(
          ...whole.map(({ ofFullHistoryUncached }) => ofFullHistoryUncached),
        ),
      },
      losses: rows
        .filter(({ ofFullHistoryCached }) => ofFullHistoryCached > 1)
        .map(({ style, turns, window, pace, cacheLifetime, ofFullHistoryCached, folds }) => ({
          style,
          turns,
          window,
          pace,
          cacheLifetime,
          folds,
          ofFullHistoryCached,
        })),
      /** Of what the host pays in all: chats and work with tools by turns, and each alone. */
      shortSessions: short50,
      withRecall: recalling,
      rows,
    },
  };
}

function keep(): void {
  const folder = join(import.meta.dirname, "results");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "economy.json"), `${JSON.stringify(resultOf(), null, 2)}\n`);
}
