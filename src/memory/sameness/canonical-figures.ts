const UNITS =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const ORDINALS = new Map(
  "first third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
    .split(" ")
    .map((word, at) => [word, ["1st", "3rd"][at] ?? `${at + 2}th`]),
);
const SMALL = new Map([
  ...UNITS.map((word, value) => [word, value] as const),
  ...TENS.map((word, at) => [word, (at + 2) * 10] as const),
]);
const GREAT: ReadonlyMap<string, number> = new Map([
  ["hundred", 100],
  ["thousand", 1_000],
  ["million", 1_000_000],
]);
const TEN = `(?:${TENS.join("|")})`;
const DIGIT = `(?:${UNITS.slice(1, 10).join("|")})`;
const SPOKEN = new RegExp(
  `(?<!\\S)(?:(${TEN}-${DIGIT})(-\\S*)?|(${TEN} ${DIGIT}|${TEN}|${UNITS.join("|")}))((?: (?:${[...GREAT.keys()].join("|")}))*)(?!\\S)`,
  "g",
);
const MONTHS: ReadonlyMap<string, number> = new Map([
  ..."january february march april may june july august september october november december"
    .split(" ")
    .flatMap((month, at) => [[month, at + 1] as const, [month.slice(0, 3), at + 1] as const]),
  ["sept", 9],
]);
const MONTH = `(${[...MONTHS.keys()].join("|")})`;
const DAY = "(0?[1-9]|[12]\\d|3[01])(?:st|nd|rd|th)?";
const YEAR = "(?:19|20)\\d\\d";
const DATE = new RegExp(
  `(?<!\\S)(?:${DAY} (?:of )?${MONTH}|${MONTH} ${DAY}|${MONTH}(?= ${YEAR}(?!\\S)))(?: (${YEAR}))?(?!\\S)`,
  "g",
);
const PERCENT = /(?<!\S)([-+]?\d+(?:\.\d+)?) (?:percent|pct)(?!\S)/g;
const MEASURES =
  /^([-+]?[\d.]+)(km|kg|cm|mm|mg|ml|lbs?|gb|mb|kb|tb|ms|am|pm|px|hrs?|mins?|secs?|miles?)$/;

/**
 * The tokens in one text, each figure in its one form: number words as digits, "1,000" as "1000", "5km" as "5 km", "50 percent" as
 * "50%"; "May 8, 2023", "8th of May 2023" and "2023-05-08" as one; a day without a year and a month with one likewise.
 */
export const inFigures = (tokens: readonly string[]): string =>
  tokens
    .join(" ")
    .replace(SPOKEN, inDigits)
    .split(" ")
    .flatMap(written)
    .join(" ")
    .replace(PERCENT, "$1%")
    .replace(DATE, dated);

/** Of a match of `SPOKEN`: "twenty-five", "two hundred"; "a million" not, as "a" is no figure. What hangs on it stays. */
function inDigits(...[, hyphened, rest = "", small = "", great = ""]: string[]): string {
  const parts = (hyphened ?? small).split(/[- ]/).map((word) => SMALL.get(word) ?? 0);
  const value = parts.reduce((sum, part) => sum + part);
  const whole = great.split(" ").reduce((so, word) => so * (GREAT.get(word) ?? 1), value);
  return `${whole}${rest}`;
}

function written(token: string): string[] {
  const ordinal = ORDINALS.get(token);
  if (ordinal !== undefined) return [ordinal];
  if (!/[\d.]/.test(token)) return [token];
  if (/^[-+$€£¥]*\d{1,3}(?:,\d{3})+(?:\.\d+)?%?$/.test(token)) return [token.replaceAll(",", "")];
  const [, thousands] = /^(\d+)k$/i.exec(token) ?? [];
  if (thousands !== undefined) return [`${thousands}000`];
  const [, figure, unit] = MEASURES.exec(token.toLowerCase()) ?? [];
  return figure !== undefined && unit !== undefined ? [figure, unit] : [token];
}

/** Of a match of `DATE`: the day before or behind the month, or none. */
function dated(...[, first, month, named, second, alone, year = "-"]: string[]): string {
  const number = MONTHS.get(month ?? named ?? alone ?? "");
  const parts = [number, first ?? second].filter((part) => part !== undefined);
  return [year, ...parts.map((part) => String(part).padStart(2, "0"))].join("-");
}
