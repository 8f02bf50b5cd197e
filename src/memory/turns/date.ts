const DAY = 86_400_000;
const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const NAMED = new RegExp(
  "(?:\\b(\\d{1,2})(?:st|nd|rd|th)? (?:of )?)?" +
    "\\b(january|february|march|april|may|june|july|august|september|october|november|december" +
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\\b" +
    "(?: (?:the )?(\\d{1,2})(?:st|nd|rd|th)?\\b)?",
  "g",
);
/** "may" is a month only behind one of these, or beside a number. */
const BEFORE_MAY =
  /\b(?:in|of|on|during|by|since|until|before|after|late|early|mid|last|this|next|from|to) $/;
const YEAR = /\b(?:19|20)\d\d\b/;
const ISO = /\b((?:19|20)\d\d) (0[1-9]|1[0-2]) (0[1-9]|[12]\d|3[01])\b/;
/** A day is told about for some days: e^(-days / 4). */
const FADE = 4;
/**
 * Of a whole month the day is not known: what was said in it counts fully, in the next month often,
 * in the one before seldom.
 */
const BY_MONTHS_LATER: Readonly<Record<number, number>> = { [-1]: 0.1, 0: 1, 1: 0.4 };
/** A year alone says little. */
const SAME_YEAR = 0.3;

/** A day, a month or a year a question names; months from 0. */
export interface AskedDate {
  readonly year?: number | undefined;
  readonly month?: number | undefined;
  readonly day?: number | undefined;
  /** The words that name it. */
  readonly words: readonly string[];
}

/**
 * The date in a question: English month names, ISO dates, years. Expects its words in lower case,
 * in order.
 */
export function askedDate(asked: readonly string[]): AskedDate | undefined {
  const text = asked.join(" ");
  const iso = ISO.exec(text);
  if (iso !== null) {
    const [year = 0, month = 0, day = 0] = iso.slice(1).map(Number);
    return { year, month: month - 1, day, words: iso.slice(1) };
  }
  const [year] = YEAR.exec(text) ?? [];
  const named = [...text.matchAll(NAMED)].find(
    ({ 0: found, index }) =>
      found !== "may" ||
      BEFORE_MAY.test(text.slice(0, index)) ||
      YEAR.test(text.slice(index, index + 8)),
  );
  if (year === undefined && named === undefined) return undefined;
  const [found = "", before, month, after] = named ?? [];
  const day = Number(before ?? after);
  return {
    year: year === undefined ? undefined : Number(year),
    month: month === undefined ? undefined : MONTHS.indexOf(month.slice(0, 3)),
    day: day >= 1 && day <= 31 ? day : undefined,
    words: `${found} ${year ?? ""}`.split(" ").filter((word) => word !== ""),
  };
}

/** How near a moment is to the date asked for, 0…1. Without a year, to the nearest such day. */
export function nearness({ year, month, day }: AskedDate, at: number): number {
  const said = new Date(at);
  const own = said.getUTCFullYear();
  if (month === undefined) return own === year ? SAME_YEAR : 0;
  const years = year === undefined ? [own - 1, own, own + 1] : [year];
  const near = (asked: number): number =>
    day === undefined
      ? (BY_MONTHS_LATER[(own - asked) * 12 + said.getUTCMonth() - month] ?? 0)
      : Math.exp(-Math.abs(at - Date.UTC(asked, month, day)) / DAY / FADE);
  return Math.max(...years.map(near));
}
