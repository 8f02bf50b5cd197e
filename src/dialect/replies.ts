import { isDict } from "../model/guards.ts";

/** A provider's reply, or `{ usage, reply }` around one: the outer usage wins. */
export function unwrap(reply: unknown): { reply: unknown; usage: unknown } {
  if (!isDict(reply)) return { reply, usage: undefined };
  const inner = "reply" in reply ? reply.reply : reply;
  return { reply: inner, usage: reply.usage ?? (isDict(inner) ? inner.usage : undefined) };
}

/** Providers write null for nothing. */
export const tokenCount = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0);
