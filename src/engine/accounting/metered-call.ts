import { asDict, asText, isDict } from "../../base/guards.ts";
import { untilAborted } from "../../base/async.ts";
import type { Dialect } from "../../dialect/common/dialect.ts";
import { usageIn } from "../../dialect/reported.ts";
import { isCorrection, markOf } from "../../distil/task/instruction.ts";
import { shown, TidemarkError } from "../../model/errors.ts";
import type { SessionState } from "../../model/history.ts";
import type { LedgerLine, Purpose } from "../../model/ledger.ts";
import { type Complete, NO_USAGE, readTokens, type ReportedUsage } from "../../model/ports.ts";
import { estimateTokens } from "../../tokens/estimate.ts";
import { ratioOf } from "../../window/calibrate.ts";
import { budgetSpent } from "../runtime/budget.ts";
import type { Core } from "../session/core.ts";
import { asOwnCall } from "../runtime/own-calls.ts";
import { capabilitiesOf } from "../../dialect/models/capabilities.ts";
import { spentOn } from "../runtime/spending.ts";
import { answeredWith, distilSpan } from "../runtime/tracing.ts";
import { isUnpaid } from "../../base/thrown.ts";

const KEY_NOTICE =
  'Tidemark now makes calls of its own with your API key, behind the conversation, to keep what older messages said; conversations too short for that are read once after they rest or end, for about 15 % of what they cost. distil: "extractive" switches them off, distil: { atClose: "extractive" } only those for short conversations; advanced.budget bounds them.';

/** Whose call it is, and of which model. */
export interface Metering {
  readonly session: string;
  readonly dialect: Dialect;
  /** Which model answers, where that is known. */
  readonly model?: string;
  /** A summary of the provider's is asked for with the caller's own client, whatever the host distils with. */
  readonly purpose?: Purpose;
}

type Request = Parameters<Complete>[0];
type Answer = Awaited<ReturnType<Complete<ReportedUsage>>>;

/** The model as Tidemark's own calls reach it: in time, counted, within the budget, in the books, and said once where the key is the caller's. */
export function metered<A extends Answer>(
  core: Core,
  complete: (request: Request) => Promise<A>,
  metering: Metering,
) {
  const { session, dialect, model, purpose = "distil" } = metering;
  const compacts = purpose === "compact";
  const modelOr = (last: string): string =>
    compacts ? (model ?? last) : modelOf(core, model ?? last);
  // Whose it is stays known when the conversation is forgotten between two calls.
  let root: string | undefined;
  return inTime(core, async (request) => {
    const known = (await core.sessions.load(session))?.session;
    root = known?.root ?? root;
    const state: SessionState = known?.state ?? {};
    // As the provider was seen to count this conversation: what is cut off is booked by it.
    const ratio = ratioOf(state, modelOr(state.anchor?.model ?? ""));
    const { system, messages, tools } = request;
    const input = Math.ceil(core.measure.request(dialect, { messages, system, tools }) * ratio);
    const tokens = input + request.maxTokens;
    const book = core.budget.reserve({ session, spent: state.spent ?? 0, tokens });
    if (!book) throw budgetSpent();
    if (compacts || usesCallersKey(core)) core.notice.say("background-calls", KEY_NOTICE);
    if (known !== undefined) core.counted(known.root).memoryCalls++;
    const about = !compacts && isCorrection(messages) ? "correct" : purpose;
    const started = performance.now();
    const call = { session, dialect, model: modelOr(""), purpose: about };
    const [outcome] = await Promise.allSettled([ask(core, complete, request, call)]);
    const took = tookOf(outcome, { input, ratio });
    const tokensTaken = readTokens(took.usage) + took.usage.output;
    book(tokensTaken);
    const ms = Math.round(performance.now() - started);
    const lineFor = (last = ""): LedgerLine => {
      const named = modelOr(last);
      const prices =
        named === "" ? undefined : capabilitiesOf(named, core.options.advanced?.models).prices;
      const spent = spentOn(took.usage, { ...took, ms, prices });
      return { session, purpose: about, model: named, spent };
    };
    await remember(core, { session, root }, tokensTaken, lineFor);
    if (outcome.status === "rejected") throw outcome.reason;
    const answer = outcome.value;
    if (!isDict(answer) || took.failed)
      throw new TidemarkError(
        "distil",
        `The function given to distil must answer { text }, it answered ${shown(answer)}.`,
      );
    return { ...answer, usage: usageIn(answer.usage) };
  });
}

/** One call, traced, to its end or its signal's. */
async function ask<A extends Answer>(
  core: Core,
  complete: (request: Request) => Promise<A>,
  request: Request,
  { dialect, session: conversation, model, purpose }: Required<Metering>,
): Promise<A> {
  const { signal, messages, maxTokens } = request;
  const asking = messages.at(-1);
  const mark = purpose === "compact" || !asking ? undefined : markOf(dialect.text(asking));
  const { provider } = dialect.traits;
  signal.throwIfAborted();
  return core.spans.run(
    distilSpan({ provider, conversation, maxTokens, model, purpose }),
    async (tell) => {
      const told = await untilAborted(() => asOwnCall(async () => complete(request), mark), signal);
      if (isDict(told)) tell(() => answeredWith({ ...told, usage: usageIn(told.usage) }));
      return told;
    },
  );
}

/**
 * What a call took, however it ended: what was reported of it, else our own count. What is refused costs nothing, nor what was never
 * sent; of an answer that broke the request was paid for.
 */
function tookOf(
  outcome: PromiseSettledResult<unknown>,
  { input, ratio }: { input: number; ratio: number },
) {
  const rejected = outcome.status === "rejected";
  if (rejected && isUnpaid(outcome.reason))
    return { usage: NO_USAGE, estimated: false, failed: true };
  // What a host's function answers may be anything.
  const { text, usage } = asDict(rejected ? undefined : outcome.value);
  const failed = typeof text !== "string";
  const reported = usageIn(usage);
  if (reported !== undefined) return { usage: reported, estimated: false, failed };
  const output = Math.ceil(estimateTokens(asText(text)) * ratio);
  return { usage: { ...NO_USAGE, input, output }, estimated: true, failed };
}

const usesCallersKey = ({ options: { distil } }: Core): boolean =>
  distil === undefined || (typeof distil === "object" && distil.complete === undefined);

/** The model the host names; of its own function it is not known otherwise. */
const modelOf = (core: Core, callers: string): string =>
  core.distil.model ?? (usesCallersKey(core) ? callers : "");

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

/** A distiller that has not answered by then is taken for dead. */
export const HANG_MS = 60_000;

/** Each call has a minute of its own: one that is late costs what it was to say, not what the calls before it said. */
function inTime<A>({ timer }: Core, complete: (request: Request) => Promise<A>) {
  return async (request: Request): Promise<A> => {
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
