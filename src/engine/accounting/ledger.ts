import type { Account, LedgerLine, Purpose, Spent } from "../../model/ledger.ts";
import { type Embedder, NO_USAGE, readTokens, type Usage } from "../../model/ports.ts";
import { COUNT, NOTHING, add, spentOn, unfolded } from "../runtime/spending.ts";
import { estimateTokens } from "../../tokens/estimate.ts";
import { embedSpan, type Spans } from "../runtime/tracing.ts";
import { defined } from "../../base/guards.ts";
import type { Dialect } from "../../dialect/common/dialect.ts";
import { together } from "../../dialect/common/replies.ts";
import type { Session, SessionState } from "../../model/history.ts";
import type { Core, Who } from "../session/core.ts";
import { ratioOf } from "../../window/calibrate.ts";
import { fixedTokens, foldIn, headTokens, type Outgoing } from "../session/outgoing-request.ts";
import type { Ledger } from "../options/types.ts";

/** By what share the reckoning of a whole history may be off: more than it ever was (`npm run bench -- economy`: 0.008). */
const RECKONED = 0.01;

/** Dollars of the calls whose tokens are our own count, as far as a sum tells. */
const guessed = ({ dollars, estimated, calls }: Spent): number =>
  calls === 0 ? 0 : (dollars * estimated) / calls;

/**
 * How far what was saved may be off: by nothing as long as nothing is folded and all is reported. A call of memory that no provider
 * reported is booked at the full price, and mostly reads from the cache at a tenth of it.
 */
function errorOf(turns: Spent, memory: readonly Spent[], whole: Spent): number {
  const folded = readTokens(whole) !== readTokens(turns) || whole.dollars !== turns.dollars;
  return (
    (folded ? RECKONED * whole.dollars : 0) +
    (COUNT - 1) * guessed(turns) +
    memory.reduce((sum, spent) => sum + guessed(spent), 0)
  );
}

const PURPOSES: readonly Purpose[] = ["distil", "correct", "catch-up", "embed"];

/** Lines summed up as an account. */
export function accountOf(lines: readonly Pick<LedgerLine, "purpose" | "spent">[]): Account {
  const sum = (purpose: LedgerLine["purpose"]): Spent =>
    lines
      .filter((line) => line.purpose === purpose)
      .reduce((total, { spent }) => add(total, spent), NOTHING);
  const memory = Object.fromEntries(PURPOSES.map((purpose) => [purpose, sum(purpose)])) as Record<
    Purpose,
    Spent
  >;
  const own = Object.values(memory);
  const memoryTotal = own.reduce(add, NOTHING);
  const [turns, whole] = [sum("turn"), sum("unfolded")];
  const paid = add(turns, memoryTotal);
  // What an embedder costs is in no list; it is a hundredth of the rest, or nothing.
  const known = paid.unpriced + whole.unpriced === memory.embed.unpriced;
  return {
    turns,
    memory,
    memoryTotal,
    unfolded: whole,
    saved: {
      tokens: readTokens(whole) - readTokens(paid) + whole.output - paid.output,
      ...(known
        ? { dollars: whole.dollars - paid.dollars, within: errorOf(turns, own, whole) }
        : {}),
    },
  };
}

/** `counted`: its output is our own count. */
interface Reply extends NonNullable<ReturnType<Dialect["reply"]>> {
  readonly counted?: boolean;
}

/** A reply that was cut off says of its output what was there when it began: what came of it is our own count then. */
export function asFarAsItCame({ core, dialect, model, session }: Outgoing, reply: Reply): Reply {
  const { usage, cut, message } = reply;
  if (cut === undefined || usage === undefined) return reply;
  const output = Math.ceil(core.measure.message(dialect, message) * ratioOf(session.state, model));
  return output > usage.output ? { ...reply, usage: { ...usage, output }, counted: true } : reply;
}

/**
 * The lines of one of the caller's calls: what it took, and what it would have taken with the whole history. Where no usage
 * was reported our own count stands for it. Written with the reply, in its transaction.
 */
export function turnLines(
  outgoing: Outgoing,
  { usage, billed, message, counted = false }: Reply,
): (state: SessionState) => { call: NonNullable<SessionState["call"]>; ledger: LedgerLine[] } {
  const { core, dialect, model, session, view, estimated: sent } = outgoing;
  const reported = usage !== undefined && readTokens(usage) > 0;
  const last = reported
    ? usage
    : {
        ...NO_USAGE,
        input: outgoing.level.used,
        output: usage?.output ?? core.measure.message(dialect, message),
      };
  // More than the last sampling: a server's tools, a summary of the provider's. With the whole history there were no less of it.
  const beside = reported && billed !== undefined ? less(billed, last) : NO_USAGE;
  const given =
    view.request === outgoing.request
      ? sent
      : headTokens(outgoing, outgoing.request, outgoing.preamble) + outgoing.tokens();
  const about = {
    prices: model === "" ? undefined : outgoing.can.prices,
    estimated: !reported || counted,
  };
  const prefix = `${foldIn(outgoing)?.id ?? ""} ${Object.keys(session.state.shortened ?? {}).length}`;
  const head = fixedTokens(outgoing);
  const at = core.now();
  const messages = dialect.marks && outgoing.conversation.length;
  return (state) => {
    const whole = unfolded(
      { usage: last, sent, given, at, prefix, head, model, messages },
      state.call,
    );
    const line = { session: session.id, model };
    return {
      call: whole.last,
      ledger: [
        { ...line, purpose: "turn", spent: spentOn(together(last, beside), about) },
        {
          ...line,
          purpose: "unfolded",
          spent: spentOn(together(whole.usage, beside), {
            ...about,
            failed: readTokens(whole.usage) > outgoing.window,
          }),
        },
      ],
    };
  };
}

function less(all: Usage, part: Usage): Usage {
  const rest = (name: keyof Usage): number => Math.max(0, (all[name] ?? 0) - (part[name] ?? 0));
  return {
    input: rest("input"),
    cacheWrite: rest("cacheWrite"),
    cacheWrite1h: rest("cacheWrite1h"),
    cacheRead: rest("cacheRead"),
    output: rest("output"),
  };
}

/** Conversations whose accounts are told one by one. */
const TOLD = 100;

/** The accounts of an identity: all together, and of its latest conversations. */
export async function readLedger(
  core: Core,
  who: Who,
  sessions: readonly Session[],
): Promise<Ledger> {
  await core.embedded?.flush();
  const lines = await core.history.ledger(who.root);
  const bySession = Map.groupBy(lines, ({ session }) => session);
  const conversations = sessions.flatMap(({ id, label }) => {
    const its = bySession.get(id);
    return its ? [{ conversation: id, ...defined({ label }), ...accountOf(its) }] : [];
  });
  return { total: accountOf(lines), conversations: conversations.slice(0, TOLD) };
}

/** Calls kept in memory before they are written: an embedder may be asked with every question. */
const BATCH = 50;

/** The embedder with its calls in the books. No service reports their tokens, so they are our own count. */
export function bookedEmbedder(
  embedder: Embedder,
  { spans, write }: { spans: Spans; write: (lines: readonly LedgerLine[]) => Promise<void> },
): { embedder: Embedder; flush(): Promise<void> } {
  let pending = NOTHING;
  const flush = async (): Promise<void> => {
    if (pending.calls === 0) return;
    const spent = pending;
    pending = NOTHING;
    // Books that cannot be written are no reason to lose an answer; the history tells of its own troubles.
    await write([{ session: "", purpose: "embed", model: embedder.model ?? "", spent }]).catch(
      () => undefined,
    );
  };
  const embed: Embedder["embed"] = async (texts, signal, use) => {
    const started = performance.now();
    let failed = true;
    try {
      const vectors = await spans.run(embedSpan(embedder.model, embedder.dimensions), async () =>
        embedder.embed(texts, signal, use),
      );
      failed = false;
      return vectors;
    } finally {
      const input = failed ? 0 : texts.reduce((sum, text) => sum + estimateTokens(text), 0);
      const ms = Math.round(performance.now() - started);
      const about = { prices: undefined, ms, estimated: true, failed };
      pending = add(pending, spentOn({ ...NO_USAGE, input }, about));
      if (pending.calls >= BATCH) await flush();
    }
  };
  return {
    embedder: Object.defineProperties({ embed } as Embedder, {
      dimensions: { get: () => embedder.dimensions, enumerable: true },
      model: { get: () => embedder.model, enumerable: true },
    }),
    flush,
  };
}
