import { type Dialect } from "../dialect/dialect.ts";
import { type Bounds } from "../model/history.ts";
import { type Message } from "../model/request.ts";
import { head, tail } from "../text/cut.ts";

/** The beginning says what it is, the end how it came out: errors stand last. */
const HEAD_SHARE = 0.6;

/** The middle of a long text left out, with where to find the whole. */
export function middleOut(text: string, max: number, reference: string): string {
  if (text.length <= max) return text;
  const note = `\n[… ${text.length - max} characters left out; whole in the history: ${reference} …]\n`;
  if (text.length <= max + note.length) return text;
  const first = head(text, Math.ceil(max * HEAD_SHARE));
  return `${first}${note}${tail(text, max - first.length)}`;
}

export function shortened(dialect: Dialect, message: Message, { bound, reference }: { bound: Bounds; reference: string }): Message {
  const { results, texts } = bound;
  const once = results === undefined ? message : dialect.shortenResults(message, (text) => middleOut(text, results, reference));
  return texts === undefined ? once : dialect.shortenTexts(once, (text) => middleOut(text, texts, reference));
}
