import { capabilitiesOf } from "../../dialect/capabilities.ts";
import { TidemarkError } from "../../model/errors.ts";
import { type Session } from "../../model/history.ts";
import { estimateTokens } from "../../tokens/estimate.ts";
import { limitOf, type WindowOptions } from "../../window/limits.ts";

/** A pin as it is held against the budget; without a session it holds in all. */
interface Held {
  readonly text: string;
  readonly session?: string;
}

/** Share of the limit all pins of a conversation may take; pins leave every later fold that much less room. */
const SHARE = 0.05;
/** In a small window a line must find room all the same. */
const LEAST = 500;
/** The tags a pin stands between. */
const FRAME = 20;

export const pinTokens = (text: string): number => estimateTokens(text) + FRAME;

/** Tokens that pins may take together where this one would stand. */
export function pinBudget(
  options: WindowOptions | undefined,
  session: Pick<Session, "state"> | undefined,
): { budget: number; limit: number } {
  const limit =
    session?.state.last?.limit ??
    limitOf({ tokens: capabilitiesOf("").window, promptPlusReply: true }, undefined, options);
  return { budget: options?.pins ?? Math.max(LEAST, Math.floor(SHARE * limit)), limit };
}

/** Throws TidemarkError "config" when the pin would take more than is left. Pins that are there stay, whatever the budget is. */
export function checkPinBudget(
  pin: Held,
  pins: readonly Held[],
  { budget, limit }: { budget: number; limit: number },
): void {
  const used = usedBeside(pin, pins);
  const wants = pinTokens(pin.text);
  if (used + wants <= budget) return;
  throw new TidemarkError(
    "config",
    `Pins may take ${budget} tokens together here (limit ${limit}), ${used} are used and this one takes about ${wants}: pin a shorter text, unpin another (pins() or "tidemark pins" lists them), or raise window.pins.`,
  );
}

/** What already stands wherever the pin would stand, at its fullest. */
function usedBeside({ session }: Held, pins: readonly Held[]): number {
  const bySession = new Map<string | undefined, number>();
  for (const { text, session: its } of pins)
    bySession.set(its, (bySession.get(its) ?? 0) + pinTokens(text));
  const everywhere = bySession.get(undefined) ?? 0;
  bySession.delete(undefined);
  return (
    everywhere +
    (session === undefined ? Math.max(0, ...bySession.values()) : (bySession.get(session) ?? 0))
  );
}
