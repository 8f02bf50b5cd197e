import { dayOf, isTrusted, type Memory } from "../../core/memory.ts";
import { clip, digest, oneLine } from "../../core/text/cut.ts";
import { BULLET, LEAD, numbersOf, plainWords } from "../../core/text/markdown.ts";
import { withoutSpeaker } from "../../core/text/sentences.ts";

/** All of a memory's mark; a line shows as much of it as tells it from others. */
export const wholeMark = (id: string): string =>
  BigInt(`0x${digest("mark", id)}`)
    .toString(36)
    .padStart(25, "0");

/** A line of MEMORY.md outside a person's own part, as it is read. */
export interface PageLine {
  readonly text: string;
  /** With what looks like its date: the words of a line that a person wrote by hand. */
  readonly dated: string;
  /** The short name of the memory it shows. */
  readonly mark?: string;
  /** The heading it stands under. */
  readonly heading?: string;
  /** It is of no trusted origin, as it says. */
  readonly doubted?: boolean;
  /** It stands between the head's markers, and stays there. */
  readonly head?: boolean;
}

/** A line shows a sentence or two; the whole text is found by search. */
const LONGEST_SHOWN = 280;
/** Share of it that a cut at the end of a sentence or a word must leave. */
const ENOUGH = 0.7;
const DOUBT = "(unverified) ";
const DOUBTS = /^(?:\(unverified\)\s*)+/;
const MARK = /^ ?([0-9a-z]{4,25}) ?$/;
const DATE = / ?\([+-]?\d{4,6}-\d\d-\d\d\)$/;

/**
 * What a line shows of a memory's words: on one line, whole sentences where not all of them fit,
 * unable to open a comment of its own, and without the name of who said it, which the headings and
 * "I" say well enough.
 */
export function shownText(content: string): string {
  const all = whole(content);
  if (all.length <= LONGEST_SHOWN) return all;
  const part = clip(all, LONGEST_SHOWN);
  const sentence = Math.max(
    part.lastIndexOf(". ") + 2,
    part.lastIndexOf("。") + 1,
    part.lastIndexOf("; ") + 2,
  );
  const end = sentence > LONGEST_SHOWN * ENOUGH ? sentence : part.lastIndexOf(" ") + 1;
  return end > LONGEST_SHOWN * ENOUGH ? `${part.slice(0, end)}…` : part;
}

const whole = (content: string): string =>
  withoutSpeaker(oneLine(content)).replace(DOUBTS, "").replaceAll("<!--", "<! --").trim();

/** Does a line say these words? Its mark and its date aside, and how a formatter spells them. */
export const says = ({ text, dated }: PageLine, words: string): boolean =>
  [text, dated].some((said) => plainWords(said) === plainWords(words));

/** `text` with the words of `known` as they are spelled there, not as a formatter spells them. */
export function respelled(text: string, known: string): string {
  const spelled = Map.groupBy(known.split(" "), plainWords);
  const used = new Map<string, number>();
  const lead = LEAD.exec(known)?.[0] ?? "";
  return text
    .replace(LEAD, (own) => (numbersOf(own) === numbersOf(lead) ? lead : own))
    .split(" ")
    .map((word) => {
      const plain = plainWords(word);
      const [all, nth] = [spelled.get(plain) ?? [word], used.get(plain) ?? 0];
      used.set(plain, nth + 1);
      return all[Math.min(nth, all.length - 1)] ?? word;
    })
    .join(" ");
}

/**
 * A memory's words where what a line showed of them became `text`: what was left out stays about
 * it.
 */
export function contentFrom(text: string, before: string): string {
  const [shown, all] = [shownText(before), whole(before)];
  const rest =
    shown !== all && shown.endsWith("…") && text.endsWith("…")
      ? text.slice(0, -1) + all.slice(shown.length - 1)
      : text;
  const said = oneLine(before);
  return `${said.slice(0, said.length - withoutSpeaker(said).length)}${rest}`;
}

const SHORTEST = 4;

/** The shortest mark for each id that is no other's among them. */
export function marksOf(ids: readonly string[]): Map<string, string> {
  const marks = new Map(ids.map((id) => [id, wholeMark(id)]));
  let length = SHORTEST;
  const cut = (): string[] => [...marks.values()].map((mark) => mark.slice(0, length));
  while (length < 25 && new Set(cut()).size < marks.size) length += 1;
  return new Map(Array.from(marks, ([id, mark]) => [id, mark.slice(0, length)]));
}

export const lineOf = (
  { content, origin, at }: Pick<Memory, "content" | "origin" | "at">,
  mark: string,
): string =>
  `- ${isTrusted(origin) ? "" : DOUBT}${unfenced(shownText(content))} ` +
  `(${dayOf(at)}) <!-- ${mark} -->`;

/** A line that opened a block of code would take in those behind it. */
const unfenced = (text: string): string => text.replace(/^(?=\\*(?:~~~|```))/, "\\");

/** Does it show a memory, as it says? */
export const isMarked = ({ mark }: PageLine): boolean => mark !== undefined;

/** Any line of text, a bullet or none; undefined for one without words. */
export function readLine(raw: string): PageLine | undefined {
  const { text: bare, last } = withoutComments(raw.replace(BULLET, "").trimEnd());
  const mark = MARK.exec(last ?? "")?.[1];
  const words = oneLine(bare).replace(DOUBTS, "");
  const dated = mark === undefined ? words : words.replace(/^\\(?=\\*(?:~~~|```))/, "");
  if (dated === "") return undefined;
  const doubted = bare.startsWith(DOUBT) || undefined;
  return { text: dated.replace(DATE, ""), dated, mark, doubted };
}

/** A line without its comments, and what stands in one that ends it. */
function withoutComments(line: string): { text: string; last?: string } {
  let [text, at] = ["", 0];
  for (;;) {
    const start = line.indexOf("<!--", at);
    const end = start < 0 ? -1 : line.indexOf("-->", start + 4);
    if (end < 0) return { text: text + line.slice(at) };
    text += line.slice(at, start);
    at = end + 3;
    if (at === line.length) return { text, last: line.slice(start + 4, end) };
  }
}

export const isBullet = (raw: string): boolean => BULLET.test(raw);
