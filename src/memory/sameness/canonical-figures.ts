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
  ...UNITS.map((word, at) => [word, at] as const),
  ...TENS.map((word, at) => [word, (at + 2) * 10] as const),
]);
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

/** Number words as digits, "1,000" as "1000", "5km" as "5 km", "50 percent" as "50%". */
export function numbered(tokens: readonly string[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const run = spoken(tokens, at);
    if (run !== undefined) {
      found.push(String(run.value));
      at = run.end - 1;
    } else found.push(...written(tokens[at] ?? ""));
  }
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

/** The number that words from `at` on spell: "twenty-five", "two hundred", "a million" not, as "a" is no figure. */
function spoken(tokens: readonly string[], at: number): { value: number; end: number } | undefined {
  const small = smallOf(tokens[at] ?? "");
  if (small === undefined) return undefined;
  let [value, end] = [small, at + 1];
  const unit = smallOf(tokens[end] ?? "");
  if (small >= 20 && small % 10 === 0 && unit !== undefined && unit > 0 && unit < 10)
    [value, end] = [value + unit, end + 1];
  for (
    let great = GREAT.get(tokens[end] ?? "");
    great !== undefined;
    great = GREAT.get(tokens[end] ?? "")
  )
    [value, end] = [value * great, end + 1];
  return { value, end };
}

function smallOf(word: string): number | undefined {
  const whole = SMALL.get(word);
  if (whole !== undefined) return whole;
  if (!word.includes("-")) return undefined;
  const [tens = "", unit = ""] = word.split("-");
  const [ten, one] = [SMALL.get(tens), SMALL.get(unit)];
  return ten !== undefined && ten >= 20 && one !== undefined && one > 0 && one < 10
    ? ten + one
    : undefined;
}

/** "May 8, 2023", "8th of May 2023" and "2023-05-08" as one; a day without a year and a month with one likewise. */
export function dated(tokens: readonly string[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < tokens.length;) {
    const date = dateAt(tokens, at);
    found.push(date?.text ?? tokens[at] ?? "");
    at = date?.end ?? at + 1;
  }
  return found;
}

function dateAt(tokens: readonly string[], at: number): { text: string; end: number } | undefined {
  const month = monthOf(tokens[at]);
  if (month !== undefined) {
    const day = dayOf(tokens[at + 1]);
    const year = yearOf(tokens[at + (day === undefined ? 1 : 2)]);
    if (day === undefined && year === undefined) return undefined;
    return {
      text: iso(year, month, day),
      end: at + 1 + (day === undefined ? 0 : 1) + (year === undefined ? 0 : 1),
    };
  }
  const day = dayOf(tokens[at]);
  const of = tokens[at + 1] === "of" ? 1 : 0;
  const next = monthOf(tokens[at + 1 + of]);
  if (day === undefined || next === undefined) return undefined;
  const year = yearOf(tokens[at + 2 + of]);
  return { text: iso(year, next, day), end: at + 2 + of + (year === undefined ? 0 : 1) };
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

const monthOf = (token = ""): number | undefined => MONTHS.get(token);
