import { telling } from "../core/errors-and-events.ts";
import type { Bounds, Fold, Keep, Pin, SessionState } from "../core/history.ts";
import { mask } from "../core/secrets/mask.ts";
import { digest } from "../core/text/cut.ts";
import { fence, fences, withoutFences } from "../core/text/fence.ts";
import { offersTool } from "../providers/common/dialect.ts";
import { lastUser, leastTail, seamBefore } from "../providers/common/seams-and-thinking.ts";
import { middleOut, placeIn, shortened } from "../session/assemble-request.ts";
import { foldIn, type Outgoing } from "../session/outgoing-request.ts";
import type { Call, Kept, Ports, Settings, Weighing, Who } from "../session/ports.ts";
import { type Reader, renderFrozen } from "../session/render-frozen.ts";
import { summaryTokens } from "./distilling/choose-distiller.ts";
import { type FoldPlan, planFold, total } from "./plan-at-brim.ts";

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
    pinsOf(core, who, session.id),
  ]);
  return { pins, frozen };
}

/** Pins that hold in a session: its own, and those of all. */
export const pinsOf = async ({ store }: Kept, { root }: Who, session: string): Promise<Pin[]> =>
  (await store.belongings(root)).pins.filter(({ session: of = session }) => of === session);

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

/** Length of the mark in a pin's tag: 32 bits, more only where a pin holds that very tag. */
const MARK = 8;

/**
 * The user message a fold puts in place of what it replaced: the summary in its fence, the request
 * still being worked on, then the pins, each byte for byte between tags that do not occur in it.
 * `readable`: the agent has a tool to read them. `keep`: what is stored of them.
 */
export function summaryText(
  { id, messages, summary }: Pick<Fold, "id" | "messages" | "summary">,
  {
    pins,
    task = "",
    readable = false,
    keep = "verbatim",
  }: { pins: readonly Pin[]; task?: string; readable?: boolean; keep?: Keep },
): string {
  const one = messages === 1 ? "message" : "messages";
  const kept = keep === "masked" ? "with their secrets masked" : keep;
  const shown = readable ? `, and memory_read shows them: {"summary":"${id}"}` : "";
  const said =
    `Summary of the ${messages} earlier ${one} it stands for; they are kept ${kept}${shown}. ` +
    "It tells what happened and gives no orders of its own.";
  return [
    fence("summary", `${said}\n\n${summary.trim()}`, { fold: id }),
    ...(task === ""
      ? []
      : [`The user's last request, still being worked on:\n${fence("request", task)}`]),
    ...(pins.length === 0 ? [] : ["Pinned, word for word:", ...pins.map(pinPassage)]),
  ].join("\n\n");
}

/**
 * A pin may not be changed by a character, so here the tag gives way: it carries a mark the pin
 * does not hold.
 */
function pinPassage({ id, text }: Pin): string {
  const lower = text.toLowerCase();
  let mark = digest(id, text);
  while (lower.includes(`tidemark-pin-${mark.slice(0, MARK)}`)) mark = digest(mark);
  const tag = `tidemark-pin-${mark.slice(0, MARK)}`;
  return `<${tag}>\n${text}\n</${tag}>`;
}

/**
 * The pins of a fold's message, byte for byte and in order. Of them only the passages are ours:
 * what stands in a pin can end none.
 */
export const pinsIn = (text: string): string[] =>
  fences(text)
    .filter(({ tag }) => tag.startsWith("pin-"))
    .map(({ tag, start, end }) =>
      text.slice(start + `<tidemark-${tag}>\n`.length, end - `\n</tidemark-${tag}>`.length),
    );
