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
  const talk = await openTalk(window, { distil, progress });
  const { tidemark, seen } = talk;
  try {
    for (const { messages } of canaries) {
      await talk.tell(messages);
      if (seen.level < PLANTED) await talk.tell(filler());
    }
    const early = seen.folds > 0;
    while (seen.folds < folds && seen.since < WINDOWS_MOST * window) await talk.tell(filler());
    // The fold shows in the request that was answered by it.
    const text = seen.stuck ? "" : allText(seen.sent).replace(RECALLED, "");
    const inSearch: boolean[] = [];
    for (const canary of canaries)
      inSearch.push(
        (await tidemark.memory.search(canary.question)).some((hit) => answers(hit.text, canary)),
      );
    const inAsked: boolean[] = [];
    for (const canary of canaries)
      inAsked.push(!seen.stuck && answers(allText(await talk.asking(canary.question)), canary));
    return {
      folds: seen.folds,
      before: seen.before / Math.max(1, seen.folds),
      after: seen.after / Math.max(1, seen.folds),
      invalid: seen.invalid,
      ...defined({ refused: seen.refused }),
      stuck: seen.stuck,
      early,
      inPrompt: canaries.map((canary) => answers(text, canary)),
      inSearch,
      inAsked,
    };
  } finally {
    await tidemark.close();
  }
}

/** What is seen of a conversation while it is had. */
interface Seen {
  folds: number;
  before: number;
  after: number;
  /** Tokens said since the last fold. */
  since: number;
  level: number;
  sent?: ProviderRequest;
  invalid: number;
  stuck: boolean;
  refused?: string;
}

async function openTalk(
  window: number,
  { distil, progress }: { distil: "extractive" | Complete; progress: Trial["progress"] },
) {
  const seen: Seen = {
    folds: 0,
    before: 0,
    after: 0,
    since: 0,
    level: 0,
    invalid: 0,
    stuck: false,
  };
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
      seen.since = 0;
      seen.before += event.before;
      seen.after += event.after;
      progress?.(seen.folds);
    },
  });
  const messages: Message[] = [];
  const begin = (said: readonly Message[]) =>
    tidemark.begin({ model: "m", max_tokens: REPLY, messages: [...said] });

  async function ask(reply: Message | undefined): Promise<void> {
    const turn = await begin(messages);
    seen.sent = turn.request;
    seen.level = turn.window.level;
    const fault = faultIn(turn.request.messages, window);
    seen.stuck = fault !== undefined;
    if (fault !== undefined) {
      seen.invalid += 1;
      seen.refused ??= `behind fold ${seen.folds}: ${fault}`;
    }
    if (reply?.role === "assistant") await turn.end(replyOf(reply, turn.window.used));
    await tidemark.idle();
  }

  return {
    tidemark,
    seen,
    tell: async (exchange: readonly Message[]): Promise<void> => {
      for (const [index, message] of exchange.entries()) {
        messages.push(message);
        seen.since += countTokens([message]);
        if (message.role !== "user") continue;
        time += TURN_MS;
        await ask(exchange[index + 1]);
      }
    },
    /** The request that a question would be. */
    asking: async (question: string): Promise<ProviderRequest> =>
      (await begin([...messages, { role: "user", content: question }])).request,
  };
}

/** A message as the provider would have given it. */
const replyOf = ({ content }: Message, read: number) => ({
  type: "message",
  role: "assistant",
  model: "m",
  content: typeof content === "string" ? [{ type: "text", text: content }] : content,
  stop_reason: "end_turn",
  usage: { input_tokens: read, output_tokens: 1 },
});
