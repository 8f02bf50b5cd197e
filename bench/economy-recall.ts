// What `recall: {}` costs: the same conversations with and without it, beside ten that were had before.
//   npm run bench -- economy-recall [turns]
import { economyOf, paced } from "./support/economy-run.ts";
import { conversationOf } from "./support/peers-play.ts";
import { type TalkStyle, transcriptFiles } from "./support/peers-talk.ts";
import { record } from "./support.ts";

const TURNS = Number(process.argv[2] ?? 500);
const STYLES: readonly TalkStyle[] = [
  "agent",
  "chat",
  ...(transcriptFiles().length > 0 ? (["transcripts"] as const) : []),
];
const PAST = { count: 10, turns: 30 };

const figures: Record<string, unknown> = {};
for (const style of STYLES) {
  const talk = paced(conversationOf(style, 1, TURNS), "mixed");
  const past = Array.from({ length: PAST.count }, (_, at) =>
    conversationOf(style, 100 + at, PAST.turns),
  );
  const without = await economyOf(talk, { window: 40_000, ttl: "5m" });
  const withIt = await economyOf(talk, { window: 40_000, ttl: "5m", past });
  figures[style] = {
    turns: without.turns,
    ofFullHistoryCached: {
      without: without.ofFullHistoryCached,
      with: withIt.ofFullHistoryCached,
    },
    folds: { without: without.folds, with: withIt.folds },
    recalled: withIt.recalled,
  };
  console.error(style, JSON.stringify(figures[style]));
}
record("economy-recall", figures);
