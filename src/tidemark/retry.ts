import { type Turn } from "./types.ts";

type Retry = (error: unknown) => Promise<Turn | undefined>;

const retries = new WeakMap<Turn, Retry>();

/** How an adapter may send a turn once more that the provider has refused. */
export const offerRetry = (turn: Turn, retry: Retry): void => void retries.set(turn, retry);

/** The turn to send in its place: smaller after an overflow, without the thinking it was refused for; undefined: let the caller know. */
export const retryOf = async (turn: Turn, error: unknown): Promise<Turn | undefined> =>
  (await turn.recover(error)) ?? (await retries.get(turn)?.(error));
