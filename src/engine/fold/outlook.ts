import { lastUser } from "../../dialect/common/loop.ts";
import { offersTool } from "../../dialect/common/reading.ts";
import { degraded } from "../../model/errors.ts";
import type { Pin, SessionState } from "../../model/history.ts";
import { middleOut, summaryText } from "../../prompt/summary.ts";
import type { Mask } from "../../secrets/mask.ts";
import { withoutFences } from "../../text/fence.ts";
import { injectOptions } from "../options/options.ts";
import type { Call } from "../session/core.ts";
import type { Outgoing } from "../session/outgoing.ts";
import { renderFrozen } from "../session/sections.ts";

/** What would stand in a request after a fold besides the summary: known before the plan, so that it lands where it says. */
export interface Outlook {
  readonly pins: readonly Pin[];
  readonly frozen?: SessionState["frozen"];
}

/** Without its files a prompt keeps the sections it has. */
export async function foresee(outgoing: Outgoing, summary = ""): Promise<Outlook> {
  const { core, who, session } = outgoing;
  const rendering = renderFrozen(outgoing, summary).catch((thrown: unknown) => {
    core.emit(degraded("prompt sections", thrown));
    return session.state.frozen;
  });
  const [frozen, pins] = await Promise.all([rendering, core.history.pins(who.root, session.id)]);
  return { pins, frozen };
}

/** The message that stands for the first `messages` of the conversation. The user's words in it are stored with it: without their secrets where messages are. */
export function foldText(
  call: Call,
  { outlook, ...fold }: { id: string; messages: number; summary: string; outlook: Outlook },
  mask: Mask = (text) => text,
): string {
  const { keep } = call.core.history.keeps;
  const task = taskBefore(call, fold.messages);
  return summaryText(fold, {
    pins: outlook.pins,
    task: keep === "verbatim" ? task : mask(task),
    readable: canRead(call),
    keep,
  });
}

/** The agent can read what a summary stands for. */
const canRead = ({ core: { options }, request }: Call): boolean =>
  offersTool(request, "memory_read") ||
  ["tools", "self-edit"].includes(String(injectOptions(options).as));

/** Characters of the request under way that a fold keeps word for word, and the share of the limit it may take. */
const TASK = 4_000;
const TASK_SHARE = 0.05;
/** Characters to a token, in the most usual of texts. */
const CHARACTERS = 4;

/** What the user asked last, if the fold takes it away: a loop of a hundred tool calls still works at it. */
function taskBefore({ dialect, conversation, limit }: Call, cut: number): string {
  const index = lastUser(dialect, conversation);
  const message = index >= 0 && index < cut ? conversation[index] : undefined;
  const most = Math.min(TASK, Math.max(400, Math.floor(limit * TASK_SHARE * CHARACTERS)));
  return message
    ? middleOut(withoutFences(dialect.text(message)).trim(), most, "its first message")
    : "";
}
