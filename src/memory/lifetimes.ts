const DAY = 86_400_000;

/** How long a memory lives by the source that made it, in days; what is not named lives for ever. */
export type Lifetimes = Readonly<Record<string, number>>;

export const LIFETIMES: Lifetimes = { task_completion: 7, session_summary: 3, file_index: 30 };

/** The first ms at which a memory stated at `at` is no longer found. */
export function expiryOf(source: string, at: number, lifetimes: Lifetimes = {}): number | undefined {
  const days = new Map(Object.entries({ ...LIFETIMES, ...lifetimes })).get(source);
  return days === undefined || !Number.isFinite(days) ? undefined : at + Math.round(days * DAY);
}

/** The later of two expiries; none is the latest. */
export const longer = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? undefined : Math.max(one, other);
