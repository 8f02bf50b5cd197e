import { type Piece } from "../../dialect/common/dialect.ts";
import { exactTokens } from "../../tokens/exact.ts";
import { priorOf } from "../../dialect/models/capabilities.ts";
import { see, type Sight } from "./outgoing.ts";

/** Levels where an error of the estimate decides whether a request is shortened or refused; beyond them it folds either way. */
const NEAR = { from: 0.8, to: 1.2 } as const;

/**
 * A first request near the brim, counted with a real tokenizer: no report of the provider's has corrected our estimate yet. Where
 * the tokenizer cannot be loaded, the estimate stands.
 */
export async function countedFirst(sight: Sight): Promise<Sight> {
  const { call, placed, window, estimated } = sight;
  const { core, dialect, request, model } = call;
  const decides = window.level >= NEAR.from && window.level <= NEAR.to;
  if (!decides || placed.session.state.anchor !== undefined) return sight;
  const { system, tools, messages } = request;
  const pieces = [
    ...dialect.overhead({ messages: [], system, tools }),
    ...messages.flatMap((message) => dialect.pieces(message)),
  ];
  try {
    const reported = Math.ceil(
      (estimated + (await correction(core.measure.text, pieces))) * priorOf(model),
    );
    const anchor = { reported: Math.max(1, reported), estimated, model };
    const updated = await core.sessions.update(placed.session.id, { state: { anchor } });
    return see(call, { ...placed, ...updated, positions: placed.positions });
  } catch {
    return sight;
  }
}

/** By how many tokens the texts' estimates are off. */
async function correction(
  estimate: (text: string) => number,
  pieces: readonly Piece[],
): Promise<number> {
  let sum = 0;
  for (const piece of pieces)
    if (piece.kind === "text") sum += (await exactTokens(piece.text)) - estimate(piece.text);
  return sum;
}
