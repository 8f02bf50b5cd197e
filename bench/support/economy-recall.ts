// The same conversations with recall and without, beside ten that were had before.
import { economyOf, paced } from "./economy-run.ts";
import { conversationOf } from "./peers-play.ts";
import { type TalkStyle, transcriptFiles } from "./peers-talk.ts";

const PAST = { count: 10, turns: 30 };

export async function withRecall(turns: number) {
  const styles: readonly TalkStyle[] =
    transcriptFiles().length > 0 ? ["agent", "chat", "transcripts"] : ["agent", "chat"];
  const figures: Record<string, unknown> = {};
  for (const style of styles) {
    const talk = paced(conversationOf(style, 1, turns), "mixed");
    const past = Array.from({ length: PAST.count }, (_, at) =>
      conversationOf(style, 100 + at, PAST.turns),
    );
    const without = await economyOf(talk, { window: 40_000, ttl: "5m", recall: false });
    const recalling = await economyOf(talk, { window: 40_000, ttl: "5m", past });
    figures[style] = {
      turns: without.turns,
      ofFullHistoryCached: {
        without: without.ofFullHistoryCached,
        with: recalling.ofFullHistoryCached,
      },
      folds: { without: without.folds, with: recalling.folds },
      recalled: recalling.recalled,
    };
    console.error(style, JSON.stringify(figures[style]));
  }
  return figures;
}
