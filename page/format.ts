const whole = new Intl.NumberFormat("en");
const brief = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export const number = (value: number): string => whole.format(value);
/** 12,345 as 12.3K. */
export const short = (value: number): string =>
  value < 1000 ? whole.format(value) : brief.format(value);
export const share = (value: number): string => `${Math.round(value * 100)} %`;
/** 3 messages, 1 message. */
export const count = (value: number, one: string, many = `${one}s`): string =>
  `${number(value)} ${value === 1 ? one : many}`;
export const money = (dollars: number): string =>
  `$${dollars.toFixed(dollars > 0 && dollars < 1 ? 4 : 2)}`;
export const duration = (ms: number): string =>
  ms < 1000
    ? `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`
    : `${(ms / 1000).toFixed(1)} s`;

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const minute = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
export const dayOf = (at: number): string => day.format(at);
export const minuteOf = (at: number): string => minute.format(at);
export const clockOf = (at: number): string => clock.format(at);

const STEPS = [
  ["min", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
] as const;
/** Shows a moment as the time since, such as "5 min ago"; a month ago it is a day. */
export function since(at: number, now = Date.now()): string {
  const gone = now - at;
  // A clock that jumped wrote it down.
  if (gone < -60_000) return minuteOf(at);
  if (gone < 60_000) return "just now";
  if (gone > 30 * 86_400_000) return dayOf(at);
  const [unit, ms] = STEPS.findLast(([, least]) => gone >= least) ?? STEPS[0];
  return `${Math.floor(gone / ms)} ${unit} ago`;
}
