// What the whole history would cost if no window ended it: reckoned by the server's own counting and cache rules.
import { costOf } from "../../src/providers/common/models.ts";
import { requestTokens } from "../../test/support/messages-server/index.ts";
import type { Conversation } from "./peers-play.ts";
import { PRICES, REPLY_MS, SYSTEM, TOOL_MS } from "./peers-world.ts";

/** A call of the conversation with its whole history. */
export interface Whole {
  readonly total: number;
  readonly cached: number;
  readonly plain: number;
}

const LIFE = { "5m": 300_000, "1h": 3_600_000 } as const;

/** Each call reads what the one before has written, while that lives; then all is written anew. What is shorter than `least` is not cached. */
export function wholeCosts(
  { exchanges, tools }: Conversation,
  ttl: keyof typeof LIFE = "5m",
  least = 0,
): Whole[] {
  if (PRICES === undefined) return [];
  const calls: Whole[] = [];
  let total = requestTokens({
    system: SYSTEM,
    ...(tools.length > 0 ? { tools } : {}),
    messages: [],
  });
  let [before, since] = [0, Infinity];
  const add = (role: string, content: unknown): void =>
    void (total += requestTokens({ messages: [{ role, content }] }));
  for (const { pause, say, steps } of exchanges) {
    since += pause;
    add("user", say);
    for (const { reply, results } of steps) {
      since += REPLY_MS;
      const cacheRead = since < LIFE[ttl] ? before : 0;
      const cacheWrite = total < least ? 0 : total - cacheRead;
      const usage = {
        input: total - cacheRead - cacheWrite,
        cacheWrite,
        cacheRead,
        output: 0,
        cacheWrite1h: ttl === "1h" ? cacheWrite : 0,
      };
      calls.push({
        total,
        cached: costOf(usage, PRICES),
        plain: costOf({ input: total, cacheWrite: 0, cacheRead: 0, output: 0 }, PRICES),
      });
      [before, since] = [cacheRead + cacheWrite, 0];
      add("assistant", reply);
      if (results.length > 0) add("user", results);
      since += results.length > 0 ? TOOL_MS : 0;
    }
  }
  return calls;
}
