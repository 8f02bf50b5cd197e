import { setImmediate } from "node:timers/promises";
import { defined } from "../../base/defined.ts";
import { untilAborted } from "../../base/async.ts";
import { type Dialect } from "../../dialect/common/dialect.ts";
import { usageIn } from "../../dialect/reported.ts";
import { isCorrection, markOf } from "../../distil/task/instruction.ts";
import { shown, TidemarkError } from "../../model/errors.ts";
import { asText, isDict } from "../../base/guards.ts";
import { type SessionState } from "../../model/history.ts";
import { type LedgerLine, type Purpose } from "../../model/ledger.ts";
import { type Complete, readTokens, type ReportedUsage, type Usage } from "../../model/ports.ts";
import { estimateTokens } from "../../tokens/estimate.ts";
import { ratioOf } from "../../window/calibrate.ts";
import { budgetSpent } from "../runtime/budget.ts";
import { type Core } from "../session/context.ts";
import { asOwnCall } from "../runtime/own-calls.ts";
import { hourTokens, memoryLine } from "./ledger.ts";
import { withHour } from "../runtime/spending.ts";
import { cameOf, isUnpaid, answeredWith, distilSpan } from "../runtime/tracing.ts";

const KEY_NOTICE =
  'Tidemark now makes calls of its own with your API key, behind the conversation, to keep what older messages said; conversations too short for that are read once after they rest or end, for about 15 % of what they cost. distil: "extractive" switches them off, distil: { atClose: "extractive" } only those for short conversations; distil.budget bounds them.';

interface Metering {
  readonly session: string;
  readonly dialect: Dialect;
  /** Which model answers, where that is known. */
  readonly model?: string;
  /** A summary of the provider's is asked for with the caller's own client, whatever the host distils with. */
  readonly purpose?: Purpose;
}

const NONE: Usage = { input: 0, cacheWrite: 0, cacheRead: 0, output: 0 };

/** The model as Tidemark's own calls reach it: counted, within the budget, in the books, and said once where the key is the caller's. */
export function metered(
  core: Core,
  complete: Complete<ReportedUsage>,
  { session, dialect, model, purpose = "distil" }: Metering,
): Complete {
  const byCallers = purpose === "compact" || usesCallersKey(core);
  const modelOr = (last: string): string =>
    purpose === "compact" ? (model ?? last) : modelOf(core, model ?? last);
  // Whose it is stays known when the conversation is forgotten between two calls.
  let root: string | undefined;
  return async (request) => {
    const { system, messages, tools, maxTokens, signal } = request;
    const sent = core.measure.request(dialect, {
      messages,
      ...defined({ system, tools }),
    });
    const held = (await core.sessions.load(session))?.session;
    root = held?.root ?? root;
    const spent = held?.state.spent ?? 0;
    const state: SessionState = held?.state ?? {};
    // As the provider was seen to count this conversation: what is cut off is booked by it.
    const ratio = ratioOf(state, modelOr(state.anchor?.model ?? ""));
    const input = Math.ceil(sent * ratio);
    const book = core.budget.reserve({ session, spent, tokens: input + maxTokens });
    if (!book) throw budgetSpent();
    if (byCallers) core.notice.say("background-calls", KEY_NOTICE);
    if (held !== undefined) core.counted(held.root).memoryCalls++;
    let took: Took = UNPAID;
    let broke: unknown;
    const started = performance.now();
    const about = purpose !== "compact" && isCorrection(messages) ? "correct" : purpose;
    const asking = messages.at(-1);
    const mark =
      purpose === "compact" || asking === undefined ? undefined : markOf(dialect.text(asking));
    const counted = (
      usage: Usage | undefined,
      { text, failed }: { text: string; failed: boolean },
    ): Took =>
      usage === undefined
        ? {
            usage: { ...NONE, input, output: Math.ceil(estimateTokens(text) * ratio) },
            estimated: true,
            failed,
          }
        : {
            usage: withHour(usage, {
              hour: hourTokens(core, dialect, request, dialect.marks?.reach(request)),
              sent,
            }),
            estimated: false,
            failed,
          };
    const ask = (): Promise<Awaited<ReturnType<Complete<ReportedUsage>>>> =>
      core.spans.run(
        distilSpan({
          model: modelOr(""),
          provider: dialect.traits.provider,
          conversation: session,
          purpose: about,
          maxTokens,
        }),
        async (tell) => {
          const answering = asOwnCall(async () => complete(request), mark);
          answering.catch((thrown: unknown) => void (broke = thrown));
          const told = await untilAborted(() => answering, signal);
          if (isDict(told)) tell(() => answeredWith({ ...told, usage: usageIn(told.usage) }));
          return told;
        },
      );
    try {
      signal.throwIfAborted();
      const answer = await ask().catch(async (thrown: unknown) => {
        // What is cut off while it is being read tells a moment after the signal how far it had come.
        if (signal.aborted) await setImmediate();
        const came = cameOf(thrown) ?? cameOf(broke);
        took = isUnpaid(thrown)
          ? UNPAID
          : counted(usageIn(came?.usage), { text: came?.text ?? "", failed: true });
        throw thrown;
      });
      const text: unknown = isDict(answer) ? answer.text : undefined;
      const { usage: given, ...rest } = isDict(answer) ? answer : { text: "" };
      const usage = usageIn(given);
      if (usage === undefined && !byCallers) tellUnread(core, given);
      took = counted(usage, { text: asText(text), failed: typeof text !== "string" });
      if (took.failed)
        throw new TidemarkError(
          "distil",
          `The function given to distil must answer { text }, it answered ${shown(answer)}.`,
        );
      return { ...rest, ...defined({ usage }) };
    } finally {
      const tokens = readTokens(took.usage) + took.usage.output;
      book(tokens);
      const ms = Math.round(performance.now() - started);
      const lineFor = (last = ""): LedgerLine =>
        memoryLine(core, session, { ...took, ms, purpose: about, model: modelOr(last) });
      await remember(core, { session, root }, tokens, lineFor);
    }
  };
}

interface Took {
  readonly usage: Usage;
  readonly estimated: boolean;
  readonly failed: boolean;
}

/** What is refused costs nothing, nor what was never sent. */
const UNPAID: Took = { usage: NONE, estimated: false, failed: true };

const usesCallersKey = ({ options: { distil } }: Core): boolean =>
  distil === undefined || (typeof distil === "object" && distil.complete === undefined);

/** The model the host names; of its own function it is not known otherwise. */
function modelOf(core: Core, callers: string): string {
  const { distil } = core.options;
  const named = typeof distil === "object" ? distil.model : undefined;
  return named ?? (usesCallersKey(core) ? callers : "");
}

const told = new WeakSet<Core>();

/** Nothing is no account: a host's function may not know. What is there and cannot be read is told of once, for the books and the budget go on without it. */
function tellUnread(core: Core, usage: unknown): void {
  if (usage === undefined || usage === null || told.has(core)) return;
  told.add(core);
  const error = `The usage that the function given to distil reports cannot be read, its calls are counted by our own estimate in the books and the budget: ${shown(usage)}. Answer usage as { input, cacheWrite, cacheRead, output }, or as the provider's API reports it, or leave it out.`;
  core.emit({ type: "degraded", where: "distil usage", error });
}

/** One line in the books of the conversation; of one that was forgotten meanwhile, in the sum of its identity's. */
async function remember(
  core: Core,
  { session, root }: { session: string; root: string | undefined },
  tokens: number,
  lineFor: (lastModel: string | undefined) => LedgerLine,
): Promise<void> {
  try {
    const state = (await core.sessions.load(session))?.session.state;
    const updated = await core.sessions.update(session, {
      state: (now) => ({ spent: (now.spent ?? 0) + tokens }),
      ledger: [lineFor(state?.anchor?.model)],
    });
    if (updated === undefined && root !== undefined)
      await core.history.account(root, [{ ...lineFor(undefined), session: "" }]);
  } catch {
    // The count of a process is kept beside it; a history that cannot be written says so by itself.
  }
}

/** A distiller that has not answered by then is taken for dead (design §3.6). */
export const HANG_MS = 60_000;

/** Each call has a minute of its own: one that is late costs what it was to say, not what the calls before it said. */
export function inTime({ timer }: Pick<Core, "timer">, complete: Complete): Complete {
  return async (request) => {
    const own = new AbortController();
    const cancel = timer(HANG_MS, () =>
      own.abort(
        new TidemarkError(
          "connection",
          `The distiller did not answer within ${HANG_MS / 1000} s; it will be asked again.`,
        ),
      ),
    );
    try {
      return await complete({ ...request, signal: AbortSignal.any([request.signal, own.signal]) });
    } finally {
      cancel();
    }
  };
}
