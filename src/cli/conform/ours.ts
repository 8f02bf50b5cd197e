import { defined } from "../../base/defined.ts";
import { type Complete } from "../../model/ports.ts";
import { type Message, type ProviderRequest } from "../../model/request.ts";
import { openTidemark } from "../../engine/open.ts";
import { answers, type Canary, type Survived } from "./canary.ts";
import { type Filler } from "./filler.ts";
import { faultIn } from "./sound.ts";
import { allText, countTokens } from "./words-of.ts";

export interface Trial {
  readonly canaries: readonly Canary[];
  readonly filler: Filler;
  readonly folds: number;
  readonly window: number;
  readonly progress?: (folds: number) => void;
}

export const REPLY = 400;
/** What weighs the same stands the newest first, so turns are not of one moment. */
const START = Date.UTC(2026, 0, 1);
const TURN_MS = 100;
/** What was brought for one question stands in the request alone for that. */
const RECALLED = /<tidemark-recall>[\s\S]*?<\/tidemark-recall>/g;
/** A conversation that does not fold however much is said must end all the same: behind so many windows without a fold. */
const WINDOWS_MOST = 3;
/** The canaries stand in the first part of the window, filler between them. */
export const PLANTED = 0.35;

/** Plants the canaries in a conversation kept by Tidemark, and looks for them after so many folds. */
export async function throughTidemark(
  { canaries, filler, folds, window, progress }: Trial,
  distil: "extractive" | Complete,
): Promise<Survived> {
  const seen = { folds: 0, before: 0, after: 0 };
  let since = 0;
  let time = START;
  const tidemark = await openTidemark({
    workspace: false,
    distil,
    // The same each time, however busy the machine is.
    now: () => time,
    window: { tokens: window, patience: 60_000 },
    recall: {},
    listen: (event) => {
      if (event.type !== "folded") return;
      seen.folds += 1;
      since = 0;
      seen.before += event.before;
      seen.after += event.after;
      progress?.(seen.folds);
    },
  });
  try {
    const messages: Message[] = [];
    let sent: ProviderRequest | undefined;
    let level = 0;
    let invalid = 0;
    let stuck = false;
    let refused: string | undefined;
    const tell = async (exchange: readonly Message[]): Promise<void> => {
      for (const message of exchange) {
        messages.push(message);
        since += countTokens([message]);
        if (message.role !== "user") continue;
        time += TURN_MS;
        const reply = exchange[exchange.indexOf(message) + 1];
        const turn = await tidemark.begin({
          model: "m",
          max_tokens: REPLY,
          messages: [...messages],
        });
        sent = turn.request;
        level = turn.window.level;
        const fault = faultIn(sent.messages, window);
        stuck = fault !== undefined;
        if (fault !== undefined) {
          invalid += 1;
          refused ??= `behind fold ${seen.folds}: ${fault}`;
        }
        if (reply?.role === "assistant")
          await turn.end({
            type: "message",
            role: "assistant",
            model: "m",
            content:
              typeof reply.content === "string"
                ? [{ type: "text", text: reply.content }]
                : reply.content,
            stop_reason: "end_turn",
            usage: { input_tokens: turn.window.used, output_tokens: 1 },
          });
        await tidemark.idle();
      }
    };
    for (const { messages: exchange } of canaries) {
      await tell(exchange);
      if (level < PLANTED) await tell(filler());
    }
    const early = seen.folds > 0;
    while (seen.folds < folds && since < WINDOWS_MOST * window) await tell(filler());
    // The fold shows in the request that was answered by it.
    const text = stuck ? "" : allText(sent).replace(RECALLED, "");
    const inPrompt = canaries.map((canary) => answers(text, canary));
    const inSearch: boolean[] = [];
    for (const canary of canaries)
      inSearch.push(
        (await tidemark.memory.search(canary.question)).some((hit) => answers(hit.text, canary)),
      );
    const inAsked: boolean[] = [];
    for (const canary of canaries) {
      const asking = await tidemark.begin({
        model: "m",
        max_tokens: REPLY,
        messages: [...messages, { role: "user", content: canary.question }],
      });
      inAsked.push(!stuck && answers(allText(asking.request), canary));
    }
    return {
      folds: seen.folds,
      before: seen.before / Math.max(1, seen.folds),
      after: seen.after / Math.max(1, seen.folds),
      invalid,
      ...defined({ refused }),
      stuck,
      early,
      inPrompt,
      inSearch,
      inAsked,
    };
  } finally {
    await tidemark.close();
  }
}
