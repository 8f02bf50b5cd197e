import { telling } from "../core/errors-and-events.ts";
import { type Bounds, type Pin, pinsFor, type SessionState } from "../core/history.ts";
import { mask } from "../core/secrets/mask.ts";
import { withoutFences } from "../core/text/fence.ts";
import { offersTool } from "../providers/common/dialect.ts";
import { lastUser, leastTail, seamBefore } from "../providers/common/seams.ts";
import { placeIn } from "../session/assemble-request.ts";
import type { Call, Kept, Ports, Settings, Weighing } from "../session/ports.ts";
import { type Reader, renderFrozen } from "../session/render-frozen.ts";
import { foldIn, type Outgoing } from "../session/outgoing-request.ts";
import { middleOut, shortened, summaryText } from "../session/summary-text.ts";
import { summaryTokens } from "./distilling/choose-distiller.ts";
import { type FoldPlan, planFold, type Shortening, total } from "./plan-at-brim.ts";

/**
 * What would stand in a request after a fold besides the summary: known before the plan, so that it
 * lands where it says.
 */
export interface Outlook {
  readonly pins: readonly Pin[];
  readonly frozen?: SessionState["frozen"];
}

/** Without its files a prompt keeps the sections it has. */
export async function foresee(
  core: Ports & Weighing & Reader,
  outgoing: Outgoing,
  summary = "",
): Promise<Outlook> {
  const { who, session } = outgoing;
  const [frozen = session.state.frozen, pins] = await Promise.all([
    renderFrozen(core, outgoing, summary).catch(telling(core.emit, "prompt sections")),
    core.store.belongings(who.root).then(({ pins: all }) => pinsFor(session.id, all)),
  ]);
  return { pins, frozen };
}

/**
 * The message that stands for the first `messages` of the conversation. The user's words in it are
 * stored with it: without their secrets where messages are.
 */
export function foldText(
  { keep, inject }: Kept & Settings,
  call: Call,
  { outlook, ...fold }: { id: string; messages: number; summary: string; outlook: Outlook },
): string {
  const task = taskBefore(call, fold.messages);
  return summaryText(fold, {
    pins: outlook.pins,
    task: keep === "verbatim" ? task : mask(task),
    // The agent can read what a summary stands for.
    readable:
      offersTool(call.request, "memory_read") || ["tools", "self-edit"].includes(String(inject)),
    keep,
  });
}

/**
 * Characters of the request under way that a fold keeps word for word, and the share of the limit
 * it may take.
 */
const TASK = 4_000;
const TASK_SHARE = 0.05;
/** Characters to a token, in the most usual of texts. */
const CHARACTERS = 4;

/**
 * What the user asked last, if the fold takes it away: a loop of a hundred tool calls still works
 * at it.
 */
function taskBefore({ dialect, conversation, limit }: Call, cut: number): string {
  const index = lastUser(dialect, conversation);
  const message = index >= 0 && index < cut ? conversation[index] : undefined;
  const most = Math.min(TASK, Math.max(400, Math.floor(limit * TASK_SHARE * CHARACTERS)));
  return message
    ? middleOut(withoutFences(dialect.text(message)).trim(), most, "its first message")
    : "";
}

/**
 * How far a fold would reach now: up to the seam before the last `keepLast` messages, as a
 * position; 0 for nowhere.
 */
export function target({ marks }: Weighing, outgoing: Outgoing): number {
  const { conversation, positions } = outgoing;
  const seam = seamBefore(conversation.length - marks.keepLast, opener(outgoing));
  return seam > 0 ? (positions[seam] ?? 0) : 0;
}

function opener({ dialect, conversation, positions }: Outgoing): (index: number) => boolean {
  const opens = (index: number): boolean =>
    (positions[index] ?? -1) >= 0 && dialect.opensTail(conversation, index);
  if (dialect.joinsTurns) return opens;
  const speakerAt = (index: number) => dialect.speaker(conversation[index] ?? {});
  // A summary has the user's voice, and templates that take turns refuse the user twice in a row.
  const isSecond = (index: number): boolean =>
    speakerAt(index) === "user" && speakerAt(index - 1) === "assistant" && opens(index - 1);
  return (index) => opens(index) && !isSecond(index);
}

const sentAt = ({ view }: Outgoing, index: number) =>
  index < view.replaced ? undefined : view.request.messages[placeIn(view, index)];

/** Recalled text goes where its message goes, and is never shortened. */
function besideAt({ view, sizeOf }: Outgoing, index: number): number {
  const note = view.inserted.includes(index)
    ? view.request.messages[placeIn(view, index) + 1]
    : undefined;
  return note === undefined ? 0 : sizeOf(note);
}

/** Tokens of the messages whose entries lie in [from, to). */
export function weigh(outgoing: Outgoing, from: number, to: number): number {
  return outgoing.positions.reduce(
    (sum, position, index) =>
      position >= from && position < to ? sum + sizeAt(outgoing, index) : sum,
    0,
  );
}

function sizeAt(outgoing: Outgoing, index: number): number {
  const message = sentAt(outgoing, index);
  if (message === undefined) return 0;
  const { conversation, ratio } = outgoing;
  const weight = message === conversation[index] ? outgoing.weight?.(index) : undefined;
  const tokens = weight === undefined ? outgoing.sizeOf(message) : weight * ratio;
  return tokens + besideAt(outgoing, index);
}

/** Decides at the brim, with every concession that is allowed there. */
export function planAt(
  core: Kept & Settings & Weighing,
  outgoing: Outgoing,
  outlook: Outlook,
): FoldPlan {
  const { dialect, conversation, limit, view, level } = outgoing;
  const { keepLast, brim } = core.marks;
  const fold = foldIn(outgoing);
  return planFold({
    sizes: behindFold(outgoing),
    opens: opener(outgoing),
    keepLast,
    least: (first) => leastTail(dialect, conversation, first),
    fixed: fixedBehind(outgoing, outlook),
    summary: summarySizes(core, outgoing, outlook),
    limit,
    used: level.used,
    folded: fold ? view.replaced : -1,
    brim,
    shortened: shortener(outgoing),
    landed: fold?.after,
  });
}

const textTokens = ({ sizeOf, dialect }: Outgoing, text = ""): number =>
  text === "" ? 0 : sizeOf(dialect.userMessage(text));

/**
 * What each message takes behind the fold. A fold changes what stands before them, so thinking
 * bound to it stays behind.
 */
function behindFold(outgoing: Outgoing): number[] {
  const { dialect, conversation } = outgoing;
  return conversation.map((_, index) => {
    const message = sentAt(outgoing, index);
    return message !== undefined && dialect.thinks(message)
      ? outgoing.sizeOf(dialect.withoutThinking(message)) + besideAt(outgoing, index)
      : sizeAt(outgoing, index);
  });
}

/** Tokens of the summary for each cut, its frame with it. */
function summarySizes(
  core: Kept & Settings & Weighing,
  outgoing: Outgoing,
  outlook: Outlook,
): (cut: number) => number {
  const byCut = new Map<number, number>();
  return (cut) => {
    const known = byCut.get(cut);
    if (known !== undefined) return known;
    const text = foldText(core, outgoing, {
      ...{ id: outgoing.session.id, summary: "" },
      ...{ messages: cut, outlook },
    });
    const tokens = textTokens(outgoing, text) + summaryTokens(outgoing.limit) * outgoing.ratio;
    byCut.set(cut, tokens);
    return tokens;
  };
}

/** Tokens that no fold changes, with the sections as they will stand. */
function fixedBehind(outgoing: Outgoing, outlook: Outlook): number {
  const { conversation, session, level } = outgoing;
  const messages = total(conversation.map((_, index) => sizeAt(outgoing, index)));
  const summary = textTokens(outgoing, foldIn(outgoing)?.text);
  const sections =
    textTokens(outgoing, outlook.frozen?.text) - textTokens(outgoing, session.state.frozen?.text);
  return Math.max(0, level.used - messages - summary + sections);
}

/** The plan tries each message at many lengths, some of them more than once. */
function shortener(outgoing: Outgoing): (index: number, bound: Bounds) => number {
  const { dialect, session, positions } = outgoing;
  const known = new Map<string, number>();
  return (index, bound) => {
    const key = `${index} ${JSON.stringify(bound)}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const message = sentAt(outgoing, index);
    const reference = `${session.id} #${positions[index] ?? 0}`;
    const tokens = message
      ? outgoing.sizeOf(shortened(dialect, message, bound, reference)) + besideAt(outgoing, index)
      : 0;
    known.set(key, tokens);
    return tokens;
  };
}

/**
 * The session's bounds with a plan's: each message keeps to the narrower; what is folded needs
 * none.
 */
export function boundsWith(
  shorten: Shortening,
  positions: readonly number[],
  { known = {}, folded = 0 }: { known: SessionState["shortened"]; folded?: number },
): NonNullable<SessionState["shortened"]> {
  const bounds = Object.fromEntries(
    Object.entries(known).filter(([position]) => Number(position) >= folded),
  );
  for (const [index, bound] of shorten) {
    const position = positions[index] ?? -1;
    if (position >= 0) bounds[position] = narrower(bounds[position] ?? {}, bound);
  }
  return bounds;
}

function narrower(one: Bounds, other: Bounds): Bounds {
  const parts = ["results", "texts", "inputs", "media"] as const;
  return Object.fromEntries(
    parts
      .map((part) => [part, Math.min(one[part] ?? Infinity, other[part] ?? Infinity)] as const)
      .filter(([, bound]) => bound < Infinity),
  );
}
