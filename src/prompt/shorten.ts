import { type Dialect } from "../dialect/common/dialect.ts";
import { type Bounds } from "../model/history.ts";
import { type Message } from "../model/request.ts";
import { head, tail } from "../text/cut.ts";

/** The beginning says what it is, the end how it came out: errors stand last. */
const HEAD_SHARE = 0.6;
/** In a text shorter than this the note would be longer than what it speaks of. */
const WORTH_A_NOTE = 100;
const GAP = " […] ";

/** Where the whole can be found; said of nothing that is not kept. */
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
  { bound, reference }: { bound: Bounds; reference: string },
): Message {
  const { results, texts, inputs, media } = bound;
  let made = message;
  if (results !== undefined) made = shortResults(dialect, made, { most: results, reference });
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
  { most, reference }: { most: number; reference: string },
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
