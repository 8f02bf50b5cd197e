import { setImmediate } from "node:timers/promises";
import { defined, asText, isDict } from "../../base/guards.ts";
import { untilAborted } from "../../base/async.ts";
import { type Dialect } from "../../dialect/common/dialect.ts";
import { usageIn } from "../../dialect/reported.ts";
import { isCorrection, markOf } from "../../distil/task/instruction.ts";
import { shown, TidemarkError } from "../../model/errors.ts";
import { type SessionState } from "../../model/history.ts";
import { type LedgerLine, type Purpose } from "../../model/ledger.ts";
import { type Complete, readTokens, type ReportedUsage, type Usage } from "../../model/ports.ts";
import { estimateTokens } from "../../tokens/estimate.ts";
import { ratioOf } from "../../window/calibrate.ts";
import { budgetSpent } from "../runtime/budget.ts";
import { type Core } from "../session/core.ts";
import { asOwnCall } from "../runtime/own-calls.ts";
import { memoryLine } from "./ledger.ts";
import { cameOf, isUnpaid, answeredWith, distilSpan } from "../runtime/tracing.ts";

const KEY_NOTICE =
  'Tidemark now makes calls of its own with your API key, behind the conversation, to keep what older messages said; conversations too short for that are read once after they rest or end, for about 15 % of what they cost. distil: "extractive" switches them off, distil: { atClose: "extractive" } only those for short conversations; advanced.budget bounds them.';

interface Metering {
  readonly session: string;
  readonly dialect: Dialect;
  /** Which model answers, where that is known. */
  readonly model?: string;
  /** The one that is asked for by its name, where not the distiller's. */
  readonly named?: string;
  /** A summary of the provider's is asked for with the caller's own client, whatever the host distils with. */
  readonly purpose?: Purpose;
}

const NONE: Usage = { input: 0, cacheWrite: 0, cacheRead: 0, output: 0 };

/** The model as Tidemark's own calls reach it: counted, within the budget, in the books, and said once where the key is the caller's. */
export function metered(
  core: Core,
  complete: Complete<ReportedUsage>,
  metering: Metering,
): Complete {
  const { session, model, named, purpose = "distil" } = metering;
  const byCallers = purpose === "compact" || usesCallersKey(core);
  const modelOr = (last: string): string =>
    purpose === "compact" ? (model ?? last) : (named ?? modelOf(core, model ?? last));
  // Whose it is stays known when the conversation is forgotten between two calls.
  let root: string | undefined;
  return async (request) => {
    const known = (await core.sessions.load(session))?.session;
    root = known?.root ?? root;
    const state: SessionState = known?.state ?? {};
    const weight = weightOf(core, request, {
      ...metering,
      // As the provider was seen to count this conversation: what is cut off is booked by it.
      ratio: ratioOf(state, modelOr(state.anchor?.model ?? "")),
    });
    const tokens = weight.input + request.maxTokens;
    const book = core.budget.reserve({ session, spent: state.spent ?? 0, tokens });
    if (!book) throw budgetSpent();
    if (byCallers) core.notice.say("background-calls", KEY_NOTICE);
    if (known !== undefined) core.counted(known.root).memoryCalls++;
    const about = purpose !== "compact" && isCorrection(request.messages) ? "correct" : purpose;
    const started = performance.now();
    const call = { ...metering, model: modelOr(""), purpose, about };
    const { answer, took, thrown } = await ask(core, complete, { request, call, weight });
    const spent = readTokens(took.usage) + took.usage.output;
    book(spent);
    const ms = Math.round(performance.now() - started);
    const lineFor = (last = ""): LedgerLine =>
      memoryLine(core, session, { ...took, ms, purpose: about, model: modelOr(last) });
    await remember(core, { session, root }, spent, lineFor);
    if (thrown !== undefined) throw thrown.reason;
    const { usage: given, ...rest } = isDict(answer) ? answer : { text: "" };
    const usage = usageIn(given);
    if (usage === undefined && !byCallers) tellUnread(core, given);
    if (took.failed)
      throw new TidemarkError(
        "distil",
        `The function given to distil must answer { text }, it answered ${shown(answer)}.`,
      );
    return { ...rest, ...defined({ usage }) };
  };
}

type Asked = Parameters<Complete>[0];

/** What a request weighs before it is sent, and what an answer to it took. */
interface Weight {
  readonly input: number;
  readonly took: (usage: Usage | undefined, reply: { text: string; failed: boolean }) => Took;
}

function weightOf(
  core: Core,
  request: Asked,
  { dialect, ratio }: Metering & { ratio: number },
): Weight {
  const { system, messages, tools } = request;
  const sent = core.measure.request(dialect, { messages, system, tools });
  const input = Math.ceil(sent * ratio);
  return {
    input,
    took: (usage, { text, failed }) => {
      if (usage === undefined) {
        const output = Math.ceil(estimateTokens(text) * ratio);
        return { usage: { ...NONE, input, output }, estimated: true, failed };
      }
      return { usage, estimated: false, failed };
    },
  };
}

interface Asking {
  readonly request: Asked;
  readonly call: Metering & { readonly model: string; readonly about: Purpose };
  readonly weight: Weight;
}

interface Answered {
  readonly answer?: Awaited<ReturnType<Complete<ReportedUsage>>>;
  readonly took: Took;
  readonly thrown?: { readonly reason: unknown };
}

/** One call, traced, to its end or its signal's; what it took, however it ended. */
async function ask(
  core: Core,
  complete: Complete<ReportedUsage>,
  { request, call, weight }: Asking,
): Promise<Answered> {
  const { signal, messages, maxTokens } = request;
  const { dialect, session, model, purpose, about } = call;
  const asking = messages.at(-1);
  const mark =
    purpose === "compact" || asking === undefined ? undefined : markOf(dialect.text(asking));
  const span = { provider: dialect.traits.provider, conversation: session, maxTokens };
  let broke: unknown;
  if (signal.aborted) return { took: UNPAID, thrown: { reason: signal.reason } };
  try {
    const answer = await core.spans.run(
      distilSpan({ ...span, model, purpose: about }),
      async (tell) => {
        const answering = asOwnCall(async () => complete(request), mark);
        answering.catch((thrown: unknown) => void (broke = thrown));
        const told = await untilAborted(() => answering, signal);
        if (isDict(told)) tell(() => answeredWith({ ...told, usage: usageIn(told.usage) }));
        return told;
      },
    );
    // What a host's function answers may be anything.
    const { text, usage }: { text?: unknown; usage?: unknown } = isDict(answer) ? answer : {};
    const reply = { text: asText(text), failed: typeof text !== "string" };
    return { answer, took: weight.took(usageIn(usage), reply) };
  } catch (reason) {
    // What is cut off while it is being read tells a moment after the signal how far it had come.
    if (signal.aborted) await setImmediate();
    const came = cameOf(reason) ?? cameOf(broke);
    const took = isUnpaid(reason)
      ? UNPAID
      : weight.took(usageIn(came?.usage), { text: came?.text ?? "", failed: true });
    return { took, thrown: { reason } };
  }
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
        new TidemarkError("connection", `The model did not answer within ${HANG_MS / 1000} s.`),
      ),
    );
    try {
      return await complete({ ...request, signal: AbortSignal.any([request.signal, own.signal]) });
    } finally {
      cancel();
    }
  };
}
