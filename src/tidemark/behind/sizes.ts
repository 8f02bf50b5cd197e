import { type Call } from "../core.ts";

type Room = Pick<Call, "window" | "limit">;

/** Share of the limit a summary may take, and the most that still helps a model. */
const SUMMARY_SHARE = 0.1;
const SUMMARY_MOST = 4_000;
const SUMMARY_LEAST = 120;

export const summaryTokens = (limit: number): number =>
  Math.max(SUMMARY_LEAST, Math.min(SUMMARY_MOST, Math.floor(limit * SUMMARY_SHARE)));

/** Room for the facts beside the summary, and for the instruction around a conversation that is written out. */
const FACTS_TOKENS = 4_000;
const INSTRUCTION_TOKENS = 1_500;

/** The longest reply a distiller may give in this window. */
export const replyTokens = ({ window, limit }: Room): number =>
  Math.max(256, Math.min(summaryTokens(limit) + FACTS_TOKENS, Math.floor(window / 4)));

/** A model goes over a bound it is told. */
const OVER = 1.2;
const FEW_FACTS_TOKENS = 1_000;
const FACTS_SHARE = 0.25;

/** Room for the summary, and for ten facts or a quarter of what is new: with less, a cold request that may say more is worth its price. */
export const leastReplyTokens = (room: Room, fresh: number): number =>
  Math.min(
    replyTokens(room),
    Math.ceil(summaryTokens(room.limit) * OVER + Math.min(FEW_FACTS_TOKENS, fresh * FACTS_SHARE)),
  );

/** One request of a distilling that starts anew; longer ones take a model's attention, not only its time. */
const CHUNK_MOST = 100_000;

export const chunkTokens = (room: Room): number =>
  Math.max(
    400,
    Math.min(CHUNK_MOST, Math.floor((room.window - replyTokens(room)) * 0.8) - INSTRUCTION_TOKENS),
  );
