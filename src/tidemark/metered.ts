import { type Dialect } from "../dialect/dialect.ts";
import { shown, TidemarkError } from "../model/errors.ts";
import { isDict } from "../model/guards.ts";
import { type Complete, readTokens, type Usage } from "../model/ports.ts";
import { estimateTokens } from "../tokens/estimate.ts";
import { budgetSpent } from "./budget.ts";
import { type Core } from "./core.ts";

const KEY_NOTICE =
  "Tidemark now makes calls of its own with your API key, behind the conversation, to keep what older messages said. distil: \"extractive\" switches them off, distil.budget bounds them.";

/** The model as Tidemark's own calls reach it: counted, within the budget, and said once where the key is the caller's. */
export function metered(core: Core, complete: Complete, { session, dialect }: { session: string; dialect: Dialect }): Complete {
  return async (request) => {
    const { system, messages, tools, maxTokens, signal } = request;
    const input = core.measure.request(dialect, { messages, ...(system === undefined ? {} : { system }), ...(tools === undefined ? {} : { tools }) });
    const spent = (await core.sessions.load(session))?.session.state.spent ?? 0;
    const book = core.budget.reserve({ session, spent, tokens: input + maxTokens });
    if (!book) throw budgetSpent();
    if (usesCallersKey(core)) core.notice.say("background-calls", KEY_NOTICE);
    core.counted.memoryCalls++;
    let took = 0;
    try {
      const answer = await complete(request);
      if (!isDict(answer) || typeof answer.text !== "string") throw new TidemarkError("distil", `The function given to distil must answer { text }, it answered ${shown(answer)}.`);
      took = reported(answer.usage) ?? input + estimateTokens(answer.text);
      return answer;
    } catch (thrown) {
      // A refusal costs nothing; who gives up waiting may still pay for what was read.
      if (signal.aborted) took = input;
      throw thrown;
    } finally {
      book(took);
      if (took > 0 && !core.closed) await remember(core, session, took);
    }
  };
}

const usesCallersKey = ({ options: { distil } }: Core): boolean => distil === undefined || (typeof distil === "object" && distil.complete === undefined);

/** What a call took by its own account. Nothing is no account: a host's function may not know. */
function reported(usage: Usage | undefined): number | undefined {
  const total = usage === undefined ? 0 : readTokens(usage) + usage.output;
  return Number.isFinite(total) && total > 0 ? total : undefined;
}

async function remember(core: Core, session: string, took: number): Promise<void> {
  try {
    const spent = (await core.sessions.load(session))?.session.state.spent ?? 0;
    await core.sessions.update(session, { state: { spent: spent + took } });
  } catch {
    // The count of a process is kept beside it; a history that cannot be written says so by itself.
  }
}
