import { openTidemark } from "../../../src/tidemark/open-tidemark.ts";
import type { Complete, Message } from "../../../src/core/request.ts";
import { modelInfo } from "../../../test/support/messages-server/models.ts";
import { refusalOf } from "../../../test/support/messages-server/refusals.ts";
import { allText, answers, type Canary, countTokens, type Survived, user } from "./canary.ts";
import type { Filler } from "./filler.ts";

export interface Trial {
  readonly canaries: readonly Canary[];
  readonly filler: Filler;
  readonly folds: number;
  readonly window: number;
}

const REPLY = 400;
/** The newest of equals stands first, so turns are not of one moment. */
const START = Date.UTC(2026, 0, 1);
const TURN_MS = 100;
/** A text recalled for one question stands in the request for that question alone. */
const RECALLED = /<tidemark-recall>[\s\S]*?<\/tidemark-recall>/g;
/** A conversation that never folds ends after this many windows of talk. */
const WINDOWS_WITHOUT_FOLD = 3;
/** The canaries stand in the first part of the window, filler between them. */
const PLANTED = 0.35;
const TOOLS = [{ name: "run", input_schema: { type: "object" } }];

/** Plants the canaries in a conversation kept by Tidemark, and looks for them after so many folds. */
export async function throughTidemark(
  { canaries, filler, folds, window }: Trial,
  distil: "extractive" | Complete,
): Promise<Survived> {
  const sizes: { readonly before: number; readonly after: number }[] = [];
  const refusals: string[] = [];
  const info = modelInfo("m", { systemMessages: false, prefill: false }, window);
  let tokensSinceFold = 0;
  let time = START;
  const tidemark = await openTidemark({
    workspace: false,
    distil,
    // The clock is the trial's own, so that a busy machine changes nothing.
    now: () => time,
    window: { tokens: window, patience: 60_000 },
    recall: {},
    listen: (event) => {
      if (event.type !== "folded") return;
      tokensSinceFold = 0;
      sizes.push(event);
    },
  });
  const messages: Message[] = [];
  const begin = (said: readonly Message[]) =>
    tidemark.begin({ model: "m", max_tokens: REPLY, messages: [...said] });
  let sent: unknown;
  let level = 0;
  let stuck = false;
  async function tell(exchange: readonly Message[]): Promise<void> {
    for (const [index, message] of exchange.entries()) {
      messages.push(message);
      tokensSinceFold += countTokens([message]);
      if (message.role !== "user") continue;
      time += TURN_MS;
      const turn = await begin(messages);
      sent = turn.request;
      level = turn.window.level;
      const body = { model: "m", max_tokens: 1, tools: TOOLS, messages: turn.request.messages };
      const refusal = refusalOf(body, info)?.message;
      stuck = refusal !== undefined;
      if (refusal !== undefined) refusals.push(`behind fold ${sizes.length}: ${refusal}`);
      const reply = exchange[index + 1];
      const usage = { input_tokens: turn.window.used, output_tokens: 1 };
      if (reply?.role === "assistant") await turn.end({ reply, usage });
      await tidemark.idle();
    }
  }
  try {
    for (const canary of canaries) {
      await tell(canary.messages);
      if (level < PLANTED) await tell(filler());
    }
    const early = sizes.length > 0;
    while (sizes.length < folds && tokensSinceFold < WINDOWS_WITHOUT_FOLD * window)
      await tell(filler());
    // The fold shows in the request that was answered by it.
    const text = allText(sent).replace(RECALLED, "");
    const inSearch: boolean[] = [];
    for (const canary of canaries) {
      const hits = await tidemark.memory.search(canary.question);
      inSearch.push(hits.some((hit) => answers(hit.text, canary)));
    }
    const inAsked: boolean[] = [];
    for (const canary of canaries) {
      const { request } = await begin([...messages, user(canary.question)]);
      inAsked.push(!stuck && answers(allText(request), canary));
    }
    return {
      folds: sizes.length,
      before: average(sizes.map(({ before }) => before)),
      after: average(sizes.map(({ after }) => after)),
      invalid: refusals.length,
      refused: refusals[0],
      early,
      inPrompt: canaries.map((canary) => !stuck && answers(text, canary)),
      inSearch,
      inAsked,
    };
  } finally {
    await tidemark.close();
  }
}

const average = (numbers: readonly number[]): number =>
  numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length);
