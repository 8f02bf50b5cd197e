// What Tidemark costs, its own calls and the cache's rewrites included, against the whole history with caching and without:
// generated loops of a thousand turns, and exchanges of ../shared/data/agents where they lie there.
//   npm run bench -- economy [turns]
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { economyOf, paced, type Pace } from "./support/economy-run.ts";
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

const usual = { seed: 1, turns: TURNS, window: 40_000, pace: "mixed", ttl: "5m" } as const;
const cases: Case[] = [
  { ...usual, style: "agent" },
  { ...usual, style: "chat" },
  ...(transcriptFiles().length > 0 ? [{ ...usual, style: "transcripts" } as const] : []),
  { ...usual, style: "agent", seed: 2 },
  { ...usual, style: "agent", pace: "seconds" },
  { ...usual, style: "agent", pace: "minutes" },
  { ...usual, style: "agent", pace: "quarters of an hour" },
  { ...usual, style: "agent", pace: "quarters of an hour", ttl: "1h" },
  { ...usual, style: "agent", ttl: "1h" },
  { ...usual, style: "agent", window: 100_000 },
  // Conversations that end before, at and soon after the first fold: where it may not pay.
  { ...usual, style: "agent", turns: Math.ceil(TURNS / 20) },
  { ...usual, style: "agent", turns: Math.ceil(TURNS / 7) },
  { ...usual, style: "agent", turns: Math.ceil(TURNS / 5) },
  { ...usual, style: "agent", turns: Math.ceil(TURNS / 4) },
  { ...usual, style: "agent", turns: Math.ceil(TURNS / 2) },
];

const started = Date.now();
const rows = [];
for (const one of cases) {
  const { style, turns, window, pace, ttl, seed } = one;
  const figures = await economyOf(paced(ofTurns(one), pace), { window, ttl });
  rows.push({ style, seed, asked: turns, window, pace, cacheLifetime: ttl, ...figures });
  console.error(`${Math.round((Date.now() - started) / 1_000)} s ${style} ${turns} turns, window ${window}, ${pace}, ${ttl}: ${figures.ofFullHistoryCached} of the whole history with caching, ${figures.ofFullHistoryUncached} without`);
}
const long = rows.filter(({ asked }) => asked === TURNS);
const losses = rows.filter(({ ofFullHistoryCached }) => ofFullHistoryCached > 1);
const result = {
  command: "npm run bench -- economy",
  date: new Date(started).toISOString().slice(0, 10),
  node: process.version,
  provider: "simulated: test/support/messages-server with its cache rules; what comes back is a script's, and its summaries fill the bounds they are given",
  prices: { model: MODEL, dollarsPerMillionTokens: PRICES },
  cost: "input of the conversation, cached or not, and all of memory's calls with their output; the conversation's own replies are the same either way. The whole history is reckoned as if no window ended it, by the same cache rules",
  figures: {
    thousandTurns: { ofFullHistoryCached: { lowest: Math.min(...long.map(({ ofFullHistoryCached }) => ofFullHistoryCached)), highest: Math.max(...long.map(({ ofFullHistoryCached }) => ofFullHistoryCached)) }, ofFullHistoryUncached: { highest: Math.max(...long.map(({ ofFullHistoryUncached }) => ofFullHistoryUncached)) } },
    losses: losses.map(({ style, asked, window, pace, cacheLifetime, ofFullHistoryCached, folds }) => ({ style, turns: asked, window, pace, cacheLifetime, folds, ofFullHistoryCached })),
    rows,
  },
};
console.log(JSON.stringify(result, null, 2));
if (TURNS === USUAL) {
  const folder = join(import.meta.dirname, "results");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "economy.json"), `${JSON.stringify(result, null, 2)}\n`);
}
