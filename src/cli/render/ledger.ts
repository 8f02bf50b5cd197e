import { type Account, type Purpose, type Spent } from "../../model/ledger.ts";
import { readTokens } from "../../model/ports.ts";
import { type Ledger } from "../../tidemark/types.ts";
import { count, money, percent, tokens } from "./numbers.ts";
import { type Paint } from "./paint.ts";
import { table } from "./table.ts";
import { plain } from "./text.ts";

const SAYS: Readonly<Record<Purpose, string>> = { distil: "to distil", correct: "to mend summaries", compact: "for the provider's summary", "catch-up": "to catch up", embed: "to embed" };
/** Conversations shown one by one. */
const MOST = 5;

/** The books as a person reads them: what was paid, what it would have been, and the difference. */
export function ledgerLines({ total, conversations }: Ledger, paint: Paint): string[] {
  if (total.turns.calls + total.memoryTotal.calls === 0) return [];
  const rows = [
    ["", "calls", "tokens read", "from cache", "written", "money"].map((cell) => paint.dim(cell)),
    row("your calls", total.turns),
    ...(Object.keys(SAYS) as Purpose[]).filter((purpose) => total.memory[purpose].calls > 0).map((purpose) => row(SAYS[purpose], total.memory[purpose])),
    row("with the whole history", total.unfolded),
  ];
  return [
    "",
    paint.bold("Calls"),
    ...table(rows),
    `  ${verdict(total, paint)}`,
    ...notes(total).map((note) => paint.dim(`  ${note}`)),
    ...(conversations.length > 1
      ? conversations.slice(0, MOST).map(({ label, conversation, turns, memoryTotal, ...rest }) => paint.dim(`  ${plain(label ?? conversation.slice(-7))}: ${turns.calls} calls, ${memoryTotal.calls} behind them, ${short(rest.saved)}`))
      : []),
  ];
}

function row(what: string, spent: Spent): string[] {
  const read = readTokens(spent);
  const known = spent.unpriced < spent.calls;
  return [what, String(spent.calls), tokens(read), read === 0 ? "" : percent(spent.cacheRead / read), tokens(spent.output), known ? `${money(spent.dollars)}${spent.unpriced > 0 ? " +" : ""}` : "?"];
}

function verdict({ saved }: Account, paint: Paint): string {
  const { dollars, tokens: fewer } = saved;
  if (dollars === undefined) return fewer >= 0 ? `Tidemark spared ${tokens(fewer)} tokens, its own calls counted.` : `Tidemark took ${tokens(-fewer)} tokens more than the whole history would have.`;
  if (dollars < 0) return paint.yellow(`Tidemark has cost ${money(-dollars)} more than the whole history would have, its own calls counted.`);
  return paint.green(`Tidemark has saved ${money(dollars)}, its own calls and caches written anew counted.`);
}

const short = ({ dollars, tokens: fewer }: Account["saved"]): string =>
  dollars === undefined ? (fewer >= 0 ? `${tokens(fewer)} tokens spared` : `${tokens(-fewer)} tokens more`) : dollars < 0 ? `${money(-dollars)} lost` : `${money(dollars)} saved`;

function notes({ turns, memoryTotal, memory, unfolded }: Account): string[] {
  const estimated = turns.estimated + memoryTotal.estimated - memory.embed.estimated;
  const unpriced = turns.unpriced + memoryTotal.unpriced - memory.embed.unpriced;
  return [
    ...(unfolded.failed > 0 ? [`${unfolded.failed} of the calls would not have fitted the window with the whole history.`] : []),
    ...(estimated > 0 ? [`Nobody reported the tokens of ${count(estimated, "call")}: they are our own count.`] : []),
    ...(unpriced > 0 ? [`The price of ${count(unpriced, "call")} is not known: name the model (distil.model) or its prices (models).`] : []),
  ];
}
