import { type SessionState } from "../model/history.ts";
import { ratioOf } from "../window/calibrate.ts";
import { type Sight } from "./sight.ts";

/** Growth by our own count, in tokens and as a share, behind which a report that falls is no tokenizer's doing. */
const GREW = { tokens: 200, share: 0.05 } as const;
/** Growth behind which the very same count is no chance. */
const SAME = 40;
/** Below this share of the last report a server counts otherwise (without its cache, say) and cuts nothing. */
const LEAST = 0.5;

/**
 * The window of a server that cuts what is longer without a word: its count of the prompt falls or stays while messages are only
 * added. Undefined where nothing shows that. Makers that refuse what is too long never do so.
 */
export function windowThatCuts(
  sight: Sight,
  { anchor, ...state }: SessionState,
  reported: number,
): number | undefined {
  const { call, estimated } = sight;
  const refuses = call.dialect.format === "anthropic" && call.dialect.plain !== true;
  if (refuses || anchor === undefined || anchor.model !== call.model || reported <= 0)
    return undefined;
  const grown = (estimated - anchor.estimated) * ratioOf(state, call.model);
  const stays = reported === anchor.reported && grown >= SAME;
  const falls =
    reported < anchor.reported &&
    reported >= anchor.reported * LEAST &&
    grown >= Math.max(GREW.tokens, anchor.reported * GREW.share);
  return (stays || falls) && goesOn(sight, anchor) ? anchor.reported : undefined;
}

/** Whether the request begins with the one that was counted: after a fold or an edit, other text may take more tokens a character. */
function goesOn(
  { call: { core, dialect }, view: { request } }: Sight,
  anchor: NonNullable<SessionState["anchor"]>,
): boolean {
  if (anchor.messages === undefined || anchor.messages > request.messages.length) return false;
  const before = { ...request, messages: request.messages.slice(0, anchor.messages) };
  return Math.abs(core.measure.request(dialect, before) - anchor.estimated) < 1;
}

/** Tells of it once a process, and keeps to what is really read. */
export function noteCut({ call: { core, model, dialect } }: Sight, window: number): void {
  core.windows.told(model, window);
  core.notice.sayAnew(
    "cut-by-provider",
    `The server reads about ${window.toLocaleString("en")} tokens of a prompt and cuts the rest without a word (${dialect.format === "openai-chat" ? "num_ctx or max_model_len" : "its window"} is smaller than it seems); Tidemark keeps below that from now on. Set window: { tokens } to what the server really has.`,
  );
}
