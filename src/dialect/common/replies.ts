import { defined } from "../../base/defined.ts";
import { isDict } from "../../base/guards.ts";
import { type Usage } from "../../model/ports.ts";

/** A provider's reply, or `{ usage, reply }` around one: the outer usage wins. */
export function unwrap(reply: unknown): { reply: unknown; usage: unknown } {
  if (!isDict(reply)) return { reply, usage: undefined };
  const inner = "reply" in reply ? reply.reply : reply;
  return { reply: inner, usage: reply.usage ?? (isDict(inner) ? inner.usage : undefined) };
}

/** Providers write null for nothing. */
export const tokenCount = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;

/** The tokens of two calls. */
export function together(one: Usage, other: Usage): Usage {
  const hour =
    one.cacheWrite1h === undefined && other.cacheWrite1h === undefined
      ? undefined
      : (one.cacheWrite1h ?? 0) + (other.cacheWrite1h ?? 0);
  return {
    input: one.input + other.input,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    ...defined({ cacheWrite1h: hour }),
    cacheRead: one.cacheRead + other.cacheRead,
    output: one.output + other.output,
  };
}
