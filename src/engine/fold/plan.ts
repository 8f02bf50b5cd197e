import { defined } from "../../base/defined.ts";
import { offersTool } from "../../dialect/common/offered.ts";
import { type Bounds, type Pin, type SessionState, type Signed } from "../../model/history.ts";
import { type Message } from "../../model/request.ts";
import { middleOut, shortened } from "../../prompt/shorten.ts";
import { placeIn } from "../../prompt/view.ts";
import { summaryText } from "../../prompt/summary.ts";
import { withoutFences } from "../../text/fence.ts";
import { type Mask } from "../../secrets/mask.ts";
import { LANDING } from "../../window/limits.ts";
import { lastUser, leastTail, seamBefore } from "../../dialect/common/loop.ts";
import { planFold, type FoldPlan, type Shortening } from "../../window/plan.ts";
import { type Call } from "../session/context.ts";
import { summaryTokens } from "../background/going-on.ts";
import { injectOptions } from "../options/options.ts";
import { renderFrozen } from "../session/sections.ts";
import { foldIn, type Sight } from "../session/outgoing.ts";
import { maySign } from "../session/thinking.ts";
import { type Prepared } from "../background/work.ts";

/** What would stand in a request after a fold besides the summary: known before the plan, so that it lands where it says. */
export interface Outlook {
  readonly pins: readonly Pin[];
  readonly frozen?: SessionState["frozen"];
}

/** Rejects with what reading files or pins rejects with. */
export async function outlookOf({ call, placed }: Sight, summary: string): Promise<Outlook> {
  const [frozen, pins] = await Promise.all([
    renderFrozen(call, summary),
    call.core.history.pins(call.who.root, placed.session.id),
  ]);
  return { pins, frozen };
}

/** How far a fold would reach now: up to the seam before the last `keepLast` messages, as a position; 0 for nowhere. */
export function target(sight: Sight): number {
  const { call, placed } = sight;
  const opens = opener(call, placed.positions);
  const before = call.conversation.length - call.core.marks.keepLast;
  // Where the provider is to write the summary, the kept part begins with a reply of its own.
  const signed = maySign(call)
    ? seamBefore(before, (index) => opens(index) && isReplySeam(call, index))
    : 0;
  const seam = signed > 0 ? signed : seamBefore(before, opens);
  return seam > 0 ? (placed.positions[seam] ?? 0) : 0;
}

/**
 * Does the conversation go on here with a reply: exactly the messages of a request that was sent stand before it, as the
 * provider wants a summary's, and what it thought behind them stays valid.
 */
export function isReplySeam({ conversation }: Pick<Call, "conversation">, index: number): boolean {
  return (
    index > 0 &&
    conversation[index]?.role === "assistant" &&
    conversation[index - 1]?.role === "user"
  );
}

const opener =
  ({ dialect, conversation }: Call, positions: readonly number[]) =>
  (index: number): boolean =>
    (positions[index] ?? -1) >= 0 && dialect.opensTail(conversation, index);

const sentAt = ({ view }: Sight, index: number) =>
  index < view.replaced ? undefined : view.request.messages[placeIn(view, index)];

/** What was recalled for a message goes where the message goes; nothing of it is shortened. */
function besideAt({ call, view, ratio }: Sight, index: number): number {
  const note = view.inserted.includes(index)
    ? view.request.messages[placeIn(view, index) + 1]
    : undefined;
  return note === undefined ? 0 : call.core.measure.message(call.dialect, note) * ratio;
}

/** Tokens of the messages whose entries lie in [from, to). */
export function weigh(sight: Sight, from: number, to: number): number {
  return sight.placed.positions.reduce(
    (sum, position, index) =>
      position >= from && position < to ? sum + sizeAt(sight, index) : sum,
    0,
  );
}

function sizeAt(sight: Sight, index: number): number {
  const message = sentAt(sight, index);
  if (message === undefined) return 0;
  const { call, placed, ratio } = sight;
  const tokens =
    (message === call.conversation[index] ? placed.weight?.(index) : undefined) ??
    call.core.measure.message(call.dialect, message);
  return tokens * ratio + besideAt(sight, index);
}

/** What would a fold do: with the summary at hand, or from scratch with every concession the brim allows. */
export function planAt(
  sight: Sight,
  outlook: Outlook,
  {
    ready,
    signed,
    pressed = false,
    manual = false,
  }: {
    ready?: Prepared | undefined;
    signed?: Signed | undefined;
    pressed?: boolean;
    manual?: boolean;
  },
): FoldPlan {
  const { call, placed, view } = sight;
  const { core, dialect, conversation, limit } = call;
  const tokensOf = (text: string): number =>
    text === "" ? 0 : core.measure.message(dialect, dialect.userMessage(text)) * sight.ratio;
  const fold = foldIn(placed);
  const sizes = conversation.map((_, index) => sizeAt(sight, index));
  const messageTokens = (message: Message): number =>
    core.measure.message(dialect, message) * sight.ratio;
  const now =
    sizes.reduce((sum, size) => sum + size, 0) +
    (view.signed ? messageTokens(view.signed.message) : tokensOf(fold?.text ?? ""));
  // A fold changes what stands before them, so thinking bound to it stays behind; not so behind the provider's own summary.
  const after = signed
    ? sizes
    : conversation.map((_, index) => {
        const message = sentAt(sight, index);
        return message !== undefined && dialect.thinks(message)
          ? core.measure.message(dialect, dialect.withoutThinking(message)) * sight.ratio +
              besideAt(sight, index)
          : (sizes[index] ?? 0);
      });
  const frame = new Map<number, number>();
  const summary = (cut: number): number => {
    const known = frame.get(cut);
    if (known !== undefined) return known;
    if (signed) return messageTokens(signed.message);
    const text = foldText(call, {
      id: ready?.id ?? placed.session.id,
      messages: cut,
      summary: ready?.summary ?? "",
      outlook,
    });
    const tokens = tokensOf(text) + (ready ? 0 : summaryTokens(limit) * sight.ratio);
    frame.set(cut, tokens);
    return tokens;
  };
  const cut = ready ? placed.positions.findIndex((position) => position >= ready.upTo) : -1;
  const fixed = Math.max(
    0,
    sight.window.used -
      now -
      tokensOf(placed.session.state.frozen?.text ?? "") +
      tokensOf(outlook.frozen?.text ?? ""),
  );
  const plan = planFold({
    sizes: after,
    opens: opener(call, placed.positions),
    keepLast: cut > 0 ? conversation.length - cut : core.marks.keepLast,
    least: (first) => leastTail(dialect, conversation, first),
    fixed,
    summary,
    limit,
    used: sight.window.used,
    folded: fold ? view.replaced : -1,
    atBrim: pressed,
    brim: core.marks.brim,
    shortened: shortener(sight),
    ...defined({ landed: fold && !manual ? fold.after : undefined }),
  });
  // A person who asks for a fold gets one wherever it frees anything worth the summary.
  if (manual && plan.kind === "refuse" && cut > Math.max(0, view.replaced)) {
    const landing = fixed + summary(cut) + after.slice(cut).reduce((sum, size) => sum + size, 0);
    if (worthAsking(sight.window.used, landing))
      return { kind: "fold", cut, landing, shorten: new Map() };
  }
  return plan;
}

export const worthAsking = (used: number, landing: number): boolean =>
  used - landing >= LANDING.frees * used;

/** The plan tries each message at many lengths, some of them more than once. */
function shortener(sight: Sight): (index: number, bound: Bounds) => number {
  const { dialect, core } = sight.call;
  const known = new Map<string, number>();
  return (index, bound) => {
    const key = `${index} ${JSON.stringify(bound)}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const message = sentAt(sight, index);
    const tokens = message
      ? core.measure.message(
          dialect,
          shortened(dialect, message, { bound, reference: referenceOf(sight, index) }),
        ) *
          sight.ratio +
        besideAt(sight, index)
      : 0;
    known.set(key, tokens);
    return tokens;
  };
}

const referenceOf = ({ call, placed }: Sight, index: number): string =>
  call.core.history.keeps.keep === "none"
    ? ""
    : `${placed.session.id} #${placed.positions[index] ?? 0}`;

/** The session's bounds with a plan's: each message keeps to the narrower; what is folded needs none. */
export function boundsWith(
  shorten: Shortening,
  { session, positions }: Sight["placed"],
  folded = 0,
): NonNullable<SessionState["shortened"]> {
  const bounds = Object.fromEntries(
    Object.entries(session.state.shortened ?? {}).filter(
      ([position]) => Number(position) >= folded,
    ),
  );
  for (const [index, bound] of shorten) {
    const position = positions[index] ?? -1;
    if (position >= 0) bounds[String(position)] = narrower(bounds[String(position)] ?? {}, bound);
  }
  return bounds;
}

function narrower(one: Bounds, other: Bounds): Bounds {
  const parts = ["results", "texts", "inputs", "media"] as const;
  return Object.fromEntries(
    parts.flatMap((part) =>
      (one[part] ?? other[part]) === undefined
        ? []
        : [[part, Math.min(one[part] ?? Infinity, other[part] ?? Infinity)]],
    ),
  );
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

/** That message for a fold up to an entry, with its summary masked. */
export function textOf(
  { call, placed }: Sight,
  {
    upTo,
    mask,
    ...fold
  }: { id: string; upTo: number; summary: string; outlook: Outlook; mask: Mask },
): { messages: number; text: string } {
  const messages =
    placed.positions.findLastIndex((position) => position >= 0 && position < upTo) + 1;
  return { messages, text: foldText(call, { ...fold, messages }, mask) };
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
