import { defined } from "../../base/guards.ts";
import { type Complete } from "../../model/ports.ts";
import { type Message, type ProviderRequest } from "../../model/request.ts";
import { openTidemark } from "../../engine/open.ts";
import { answers, type Canary, type Survived, allText, countTokens } from "./canary.ts";
import { type Filler } from "./filler.ts";
import { faultIn } from "./sound.ts";
import { type Fold } from "./compactor.ts";

export interface Trial {
  readonly canaries: readonly Canary[];
  readonly filler: Filler;
  readonly folds: number;
  readonly window: number;
  readonly progress?: (folds: number) => void;
}

const REPLY = 400;
/** What weighs the same stands the newest first, so turns are not of one moment. */
const START = Date.UTC(2026, 0, 1);
const TURN_MS = 100;
/** What was brought for one question stands in the request alone for that. */
const RECALLED = /<tidemark-recall>[\s\S]*?<\/tidemark-recall>/g;
/** A conversation that does not fold however much is said must end all the same: behind so many windows without a fold. */
const WINDOWS_MOST = 3;
/** The canaries stand in the first part of the window, filler between them. */
const PLANTED = 0.35;

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

/** Share of the limit at which the messages are given to the compactor: where Tidemark folds. */
const COMPACT_AT = 0.7;
const NEXT: Message = { role: "user", content: "Go on." };

/** Plants the canaries in a conversation whose owner replaces its messages by what the compactor makes of them. */
export async function throughCompactor(
  { canaries, filler, folds, window, progress }: Trial,
  fold: Fold,
): Promise<Survived> {
  const limit = window - REPLY;
  const seen = { folds: 0, before: 0, after: 0, invalid: 0 };
  let messages: Message[] = [];
  let first: string | undefined;
  let [early, planting, refused] = [false, true, false];
  // A request that is larger than the window ends the conversation, however often it would be made smaller again.
  const goesOn = (): boolean => countTokens(messages) <= window;
  const tell = async (exchange: readonly Message[]): Promise<void> => {
    for (const message of exchange) {
      if (!goesOn()) return;
      messages.push(message);
      const before = countTokens(messages);
      if (message.role !== "user" || before <= COMPACT_AT * limit || seen.folds >= folds) continue;
      messages = await fold(messages, { fold: seen.folds + 1, limit });
      seen.folds += 1;
      seen.before += before;
      seen.after += countTokens(messages);
      const fault = faultIn(messages, window);
      refused = fault !== undefined;
      if (fault !== undefined) {
        seen.invalid += 1;
        first ??= `at fold ${seen.folds}: ${fault}`;
      }
      early ||= planting;
      progress?.(seen.folds);
    }
  };
  for (const { messages: exchange } of canaries) {
    await tell(exchange);
    if (countTokens(messages) < PLANTED * limit) await tell(filler());
  }
  planting = false;
  while (seen.folds < folds && goesOn()) await tell(filler());
  const last = faultIn(messages.at(-1)?.role === "user" ? messages : [...messages, NEXT], window);
  if (last !== undefined && !refused) {
    seen.invalid += 1;
    first ??= `behind fold ${seen.folds}: ${last}`;
  }
  const stuck = refused || last !== undefined;
  const text = stuck ? "" : allText(messages);
  const mean = (sum: number): number => sum / Math.max(1, seen.folds);
  return {
    folds: seen.folds,
    before: mean(seen.before),
    after: mean(seen.after),
    invalid: seen.invalid,
    ...defined({ refused: first }),
    stuck,
    early,
    inPrompt: canaries.map((canary) => answers(text, canary)),
  };
}
