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
const SMALL = new Map(UNITS.map((word, at) => [word, at]));
TENS.forEach((ten, at) => {
  const value = (at + 2) * 10;
  SMALL.set(ten, value);
  for (const unit of UNITS.slice(1, 10)) SMALL.set(`${ten}-${unit}`, value + UNITS.indexOf(unit));
});
const GREAT: ReadonlyMap<string, number> = new Map([
  ["hundred", 100],
  ["thousand", 1_000],
  ["million", 1_000_000],
]);
const MONTHS: ReadonlyMap<string, number> = new Map([
  ..."january february march april may june july august september october november december"
    .split(" ")
    .flatMap((month, at) => [[month, at + 1] as const, [month.slice(0, 3), at + 1] as const]),
  ["sept", 9],
]);
const MEASURES =
  /^([-+]?[\d.]+)(km|kg|cm|mm|mg|ml|lbs?|gb|mb|kb|tb|ms|am|pm|px|hrs?|mins?|secs?|miles?)$/;

type Run = { readonly text: string; readonly end: number } | undefined;

/** The tokens, with each run that is read as one in its one form. */
function inOneForm(
  tokens: readonly string[],
  read: (tokens: readonly string[], at: number) => Run,
): string[] {
  const found: string[] = [];
  for (let at = 0; at < tokens.length;) {
    const run = read(tokens, at);
    found.push(run?.text ?? tokens[at] ?? "");
    at = run?.end ?? at + 1;
  }
  return found;
}

/** Number words as digits, "1,000" as "1000", "5km" as "5 km", "50 percent" as "50%". */
export function numbered(tokens: readonly string[]): string[] {
  const found = inOneForm(tokens, spoken).flatMap(written);
  return found.flatMap((token, at) => {
    if (/^percent$|^pct$/.test(token) && isNumber(found[at - 1])) return [];
    return isNumber(token) && /^percent$|^pct$/.test(found[at + 1] ?? "") ? [`${token}%`] : [token];
  });
}

const isNumber = (token: string | undefined): boolean =>
  token !== undefined && /^[-+]?\d+(?:\.\d+)?$/.test(token);

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

/** The number that words from `at` on spell: "twenty-five", "two hundred", "a million" not, as "a" is no figure. What hangs on it stays. */
function spoken(tokens: readonly string[], at: number): Run {
  const [word = "", next = ""] = tokens.slice(at, at + 2);
  const pair = SMALL.get(`${word}-${next}`);
  const parts = word.split("-");
  let value = pair ?? SMALL.get(parts.slice(0, 2).join("-"));
  if (value === undefined) return undefined;
  let end = at + (pair === undefined ? 1 : 2);
  for (; GREAT.has(tokens[end] ?? ""); end += 1) value *= GREAT.get(tokens[end] ?? "") ?? 1;
  return { text: [value, ...parts.slice(2)].join("-"), end };
}

/** "May 8, 2023", "8th of May 2023" and "2023-05-08" as one; a day without a year and a month with one likewise. */
export const dated = (tokens: readonly string[]): string[] => inOneForm(tokens, dateAt);

function dateAt(tokens: readonly string[], at: number): Run {
  const first = dayOf(tokens[at]);
  const monthAt = first === undefined ? at : at + (tokens[at + 1] === "of" ? 2 : 1);
  const month = MONTHS.get(tokens[monthAt] ?? "");
  const second = first === undefined ? dayOf(tokens[monthAt + 1]) : undefined;
  const yearAt = monthAt + (second === undefined ? 1 : 2);
  const year = yearOf(tokens[yearAt]);
  const day = first ?? second;
  if (month === undefined || (day === undefined && year === undefined)) return undefined;
  return { text: iso(year, month, day), end: year === undefined ? yearAt : yearAt + 1 };
}

const two = (value: number): string => String(value).padStart(2, "0");
const iso = (year: string | undefined, month: number, day: number | undefined): string =>
  `${year ?? "-"}-${two(month)}${day === undefined ? "" : `-${two(day)}`}`;

const yearOf = (token: string | undefined): string | undefined =>
  token !== undefined && /^(?:19|20)\d\d$/.test(token) ? token : undefined;

function dayOf(token: string | undefined): number | undefined {
  const [, digits] = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(token ?? "") ?? [];
  const day = Number(digits);
  return digits !== undefined && day >= 1 && day <= 31 ? day : undefined;
}
