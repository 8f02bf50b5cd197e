/** Where the words came from; decides trust. Tool and untrusted text never enters the frozen prompt. */
export type Origin = (typeof ORIGINS)[number];

/** The most trusted first: the one order of trust. */
export const ORIGINS = ["host", "user", "agent", "tool", "untrusted"] as const;

/** Trusted enough to stand in the system text. */
export const isTrusted = (origin: Origin): boolean =>
  origin === "host" || origin === "user" || origin === "agent";

export const lessTrusted = (one: Origin, other: Origin): boolean =>
  ORIGINS.indexOf(one) > ORIGINS.indexOf(other);

/** Of none, no word. */
export const leastOf = (origins: readonly Origin[]): Origin =>
  ORIGINS.findLast((origin) => origins.includes(origin)) ?? "untrusted";
