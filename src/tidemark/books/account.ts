import { type Account, type LedgerLine, type Purpose, type Spent } from "../../model/ledger.ts";
import { readTokens } from "../../model/ports.ts";
import { COUNT, NOTHING, add } from "./ledger-math.ts";

/** By what share the reckoning of a whole history may be off: more than it ever was (`npm run bench -- economy`: 0.008). */
const RECKONED = 0.01;

/** Dollars of the calls whose tokens are our own count, as far as a sum tells. */
const guessed = ({ dollars, estimated, calls }: Spent): number =>
  calls === 0 ? 0 : (dollars * estimated) / calls;

/**
 * How far what was saved may be off: by nothing as long as nothing is folded and all is reported. A call of memory that nobody
 * reported is booked at the full price, and mostly reads from the cache at a tenth of it.
 */
function errorOf(turns: Spent, memory: Readonly<Record<Purpose, Spent>>, whole: Spent): number {
  const folded = readTokens(whole) !== readTokens(turns) || whole.dollars !== turns.dollars;
  return (
    (folded ? RECKONED * whole.dollars : 0) +
    (COUNT - 1) * guessed(turns) +
    PURPOSES.reduce((sum, purpose) => sum + guessed(memory[purpose]), 0)
  );
}

const PURPOSES: readonly Purpose[] = ["distil", "correct", "compact", "catch-up", "embed"];

/** Lines summed up as an account. */
export function accountOf(lines: readonly Pick<LedgerLine, "purpose" | "spent">[]): Account {
  const sum = (purpose: LedgerLine["purpose"]): Spent =>
    lines.reduce(
      (total, line) => (line.purpose === purpose ? add(total, line.spent) : total),
      NOTHING,
    );
  const memory = Object.fromEntries(PURPOSES.map((purpose) => [purpose, sum(purpose)])) as Record<
    Purpose,
    Spent
  >;
  const memoryTotal = PURPOSES.reduce((total, purpose) => add(total, memory[purpose]), NOTHING);
  const [turns, whole] = [sum("turn"), sum("unfolded")];
  const paid = add(turns, memoryTotal);
  // What an embedder costs nobody lists; it is a hundredth of the rest, or nothing.
  const known = paid.unpriced + whole.unpriced === memory.embed.unpriced;
  return {
    turns,
    memory,
    memoryTotal,
    unfolded: whole,
    saved: {
      tokens: readTokens(whole) - readTokens(paid) + whole.output - paid.output,
      ...(known
        ? { dollars: whole.dollars - paid.dollars, within: errorOf(turns, memory, whole) }
        : {}),
    },
  };
}
