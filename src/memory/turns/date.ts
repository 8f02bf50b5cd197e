const DAY = 86_400_000;
/** The names of each month. */
const MONTHS = (
  "january jan,february feb,march mar,april apr,may,june jun,july jul,august aug," +
  "september sept sep,october oct,november nov,december dec"
)
  .split(",")
  .map((names) => names.split(" "));
/** "may" is a month only beside one of these, or beside a number. */
const BEFORE_MONTH = new Set(
  "in of on during by since until before after late early mid last this next from to".split(" "),
);
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
  readonly year?: number;
  readonly month?: number;
  readonly day?: number;
  /** The words that name it. */
  readonly words: readonly string[];
}

const monthOf = (word: string): number => MONTHS.findIndex((names) => names.includes(word));
const dayOf = (word: string | undefined): number | undefined => {
  const day = Number(/^(\d{1,2})(?:st|nd|rd|th)?$/.exec(word ?? "")?.[1]);
  return day >= 1 && day <= 31 ? day : undefined;
};
const isYear = (word: string): boolean => /^(?:19|20)\d\d$/.test(word);

/**
 * The date in a question: English month names, ISO dates, years. Expects its words in lower case,
 * in order.
 */
export function askedDate(words: readonly string[]): AskedDate | undefined {
  let [year, month, day]: (number | undefined)[] = [];
  const used = new Set<string>();
  words.forEach((word, at) => {
    const [before, after] = [words[at - 1], words[at + 1]];
    if (isYear(word)) {
      year ??= Number(word);
      used.add(word);
      const [second, third] = [
        /^\d\d$/.test(after ?? "") ? Number(after) : 0,
        dayOf(words[at + 2]),
      ];
      if (second >= 1 && second <= 12 && third !== undefined && month === undefined) {
        [month, day] = [second - 1, third];
        used.add(after ?? "").add(words[at + 2] ?? "");
      }
    }
    const named = monthOf(word);
    if (named < 0 || month !== undefined) return;
    const days = [before, after].filter((near) => dayOf(near) !== undefined);
    if (
      word === "may" &&
      days.length === 0 &&
      !BEFORE_MONTH.has(before ?? "") &&
      !isYear(after ?? "")
    )
      return;
    month = named;
    day = dayOf(days[0]);
    used.add(word);
    if (days[0] !== undefined) used.add(days[0]);
  });
  if (used.size === 0) return undefined;
  return { year, month, day, words: [...used] };
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
