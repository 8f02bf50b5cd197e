import { foldIn, type Sight } from "../sight.ts";
import { type Works } from "../behind/works.ts";

export const CALLED_OFF = "it was called off; what the distiller is at is kept for the next fold";

/** Why a fold that was asked for was not made: there is nothing before `goal` to fold, or no summary of it. */
export function whyNot({ call, placed }: Sight, works: Works, goal: number): string {
  if (goal === 0) return "there is nothing to fold before the last messages";
  if (goal <= (foldIn(placed)?.upTo ?? 0)) return "all before the last messages is folded already";
  if (call.patience.calledOff) return CALLED_OFF;
  return works.running(placed.session.id)
    ? "the distiller has not answered yet; the next fold takes what it says"
    : "the distiller gave no summary; see the event distil-failed";
}
