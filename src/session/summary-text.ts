import type { Bounds, Fold, Keep, Pin } from "../core/history.ts";
import type { Message } from "../core/request.ts";
import { digest, head, tail } from "../core/text/cut.ts";
import { fence, fences } from "../core/text/fence.ts";
import type { Dialect } from "../providers/common/dialect.ts";

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

/** The beginning says what it is, the end how it came out: errors stand last. */
const HEAD_SHARE = 0.6;
/** In a text shorter than this the note would be longer than what it speaks of. */
const WORTH_A_NOTE = 100;
const GAP = " […] ";

/** A reference to the whole; "" for a text that is not kept. */
const whereabouts = (reference: string): string =>
  reference === "" ? "" : `; whole in the history: ${reference}`;

/** The middle of a long text left out, with where to find the whole: "" for nowhere. */
export function middleOut(text: string, max: number, reference: string): string {
  if (text.length <= max) return text;
  const note =
    max < WORTH_A_NOTE
      ? GAP
      : `\n[… ${text.length - max} characters left out${whereabouts(reference)} …]\n`;
  if (text.length <= max + note.length) return text;
  const first = head(text, Math.ceil(max * HEAD_SHARE));
  return `${first}${note}${tail(text, max - first.length)}`;
}

export function shortened(
  dialect: Dialect,
  message: Message,
  { results, texts, inputs, media }: Bounds,
  reference: string,
): Message {
  let made = message;
  if (results !== undefined) made = shortResults(dialect, made, results, reference);
  if (texts !== undefined)
    made = dialect.shortenTexts(made, (text) => middleOut(text, texts, reference));
  if (inputs !== undefined)
    made = dialect.shortenInputs(made, (text) => middleOut(text, inputs, reference));
  if (media !== undefined)
    made = dialect.withoutMedia(made, `(left out here${whereabouts(reference)})`);
  return made;
}

/** A result may be of many texts: together they keep to the bound, each in proportion. */
function shortResults(
  dialect: Dialect,
  message: Message,
  most: number,
  reference: string,
): Message {
  const whole = new Map<string, number>();
  dialect.shortenResults(message, (text, id) => {
    whole.set(id, (whole.get(id) ?? 0) + text.length);
    return text;
  });
  return dialect.shortenResults(message, (text, id) => {
    const share = Math.ceil((most * text.length) / Math.max(1, whole.get(id) ?? 0));
    if (share >= text.length) return text;
    return share < GAP.length ? GAP.trim() : middleOut(text, share, reference);
  });
}
