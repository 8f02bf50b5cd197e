import { thinkingBudget } from "../../dialect/thinking-mode.ts";
import { type DistilTask } from "../../distil/distiller.ts";
import { type Message } from "../../model/request.ts";
import { placeIn } from "../../prompt/view.ts";
import { estimateTokens } from "../../tokens/estimate.ts";
import { foldIn, marked, type Sight } from "../sight.ts";
import { INSTRUCTION_TOKENS, leastReplyTokens, replyTokens } from "./sizes.ts";

/** What is counted may be a little more: of all where the provider has not counted the like, else of what has come or gone since. */
const DRIFT = 0.05;
const COUNTED_DRIFT = 0.01;
const SINCE_DRIFT = 0.1;

/**
 * As much of the last request as an instruction and its answer fit behind: all of it, or as far as an earlier one of this epoch
 * went, which the provider has cached just as well, or better where this one was not sent yet. `least`: messages of it that must be there;
 * `said`: what the instruction carries.
 */
export function goneOnWith(sight: Sight, { least, said, sent }: { least: number; said: readonly (string | undefined)[]; sent: boolean }): DistilTask["base"] {
  const { call, view, window, ratio } = sight;
  const { core, dialect } = call;
  const { messages } = view.request;
  const instruction = (INSTRUCTION_TOKENS + said.reduce((sum, text) => sum + estimateTokens(text ?? ""), 0)) * Math.max(1, ratio);
  const free = call.window - instruction - thinkingBudget(view.request);
  const { anchor } = sight.placed.session.state;
  const since = anchor?.model === call.model ? Math.abs(sight.estimated - anchor.estimated) * ratio : Infinity;
  const whole = lastGoneOnWith(sight) + 1;
  const earlier = earlierEnds(sight, whole);
  for (const length of sent ? [whole, ...earlier] : [...earlier, whole]) {
    if (length < least || !mayGoOn(sight, length)) continue;
    const tail = messages.slice(length).reduce((sum, message) => sum + core.measure.message(dialect, message), 0) * ratio;
    const drift = Math.min(DRIFT * window.used, COUNTED_DRIFT * window.used + SINCE_DRIFT * (since + tail));
    const tokens = Math.ceil(window.used - tail + drift);
    const room = Math.min(replyTokens(call), Math.floor(free - tokens));
    if (room < leastReplyTokens(call)) continue;
    // With the marks it went out with: what the provider has cached is found by them.
    const { system, tools, messages: shown } = marked(sight, length === whole ? messages.length : length);
    return { system, messages: shown.slice(0, length), ...(tools === undefined ? {} : { tools }), offset: view.offset, tokens, replyTokens: room };
  }
  return undefined;
}

/** How many messages earlier requests of this epoch had of this one, the longest first. */
function earlierEnds({ call: { conversation, dialect }, view, placed }: Sight, whole: number): number[] {
  // What a fold left was sent for the first time by the request that folded.
  const epoch = foldIn(placed)?.length ?? 0;
  const speakers = conversation.map((message) => dialect.speaker(message));
  const ends = speakers.flatMap((speaker, index) => {
    if (index < view.replaced || (placed.positions[index] ?? -1) + 1 < epoch || ["assistant", "system"].includes(speaker)) return [];
    return speakers.slice(index + 1).find((next) => next !== "system") === "assistant" ? [placeIn(view, index) + 1] : [];
  });
  return ends.filter((length) => length < whole).reverse();
}

/**
 * The last message an instruction may stand behind. A system message must be followed by the assistant's, so a request that ends with
 * some, the caller's or what was recalled, is gone on with from before them: what the call before wrote is still read.
 */
function lastGoneOnWith({ call: { dialect, conversation }, view }: Sight): number {
  const { messages } = view.request;
  if (dialect.format === "anthropic") return messages.findLastIndex((message) => dialect.speaker(message) !== "system");
  return messages.length - (view.inserted.at(-1) === conversation.length - 1 ? 2 : 1);
}

/** May a user message follow: no call waits for its result. */
function mayGoOn({ call: { dialect }, view }: Sight, length: number): boolean {
  const last: Message | undefined = view.request.messages[length - 1];
  if (last === undefined) return false;
  const answered = new Set(dialect.results(last).map(({ id }) => id));
  return dialect.calls(last).every(({ id }) => answered.has(id));
}
