import { type Call } from "../core.ts";

type Room = Pick<Call, "window" | "limit">;

/** Share of the limit a summary may take, and the most that still helps a model. */
const SUMMARY_SHARE = 0.1;
const SUMMARY_MOST = 4_000;
const SUMMARY_LEAST = 120;

export const summaryTokens = (limit: number): number => Math.max(SUMMARY_LEAST, Math.min(SUMMARY_MOST, Math.floor(limit * SUMMARY_SHARE)));

/** Room for the facts beside the summary, and for the instruction itself. */
const FACTS_TOKENS = 4_000;
export const INSTRUCTION_TOKENS = 900;

/** The longest reply a distiller may give in this window. */
export const replyTokens = ({ window, limit }: Room): number => Math.max(256, Math.min(summaryTokens(limit) + FACTS_TOKENS, Math.floor(window / 4)));

/** A summary somewhat over its bound, and ten facts: below that a cold request that may say more is worth its price. */
export const leastReplyTokens = ({ window, limit }: Room): number => Math.min(replyTokens({ window, limit }), Math.ceil(summaryTokens(limit) * 1.2) + 1_200);

/** One request of a distilling that starts anew; longer ones take a model's attention, not only its time. */
const CHUNK_MOST = 100_000;

/** Of a conversation written out, by our own count; `ratio`: real tokens to one of those. */
export const chunkTokens = ({ window, limit, ratio }: Room & { ratio: number }): number =>
  Math.max(400, Math.min(CHUNK_MOST, Math.floor((window - replyTokens({ window, limit })) * Math.min(0.8, 0.95 / ratio)) - INSTRUCTION_TOKENS));
