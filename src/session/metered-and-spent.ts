import { asDict, asText, isDict, untilAborted } from "../core/base.ts";
import { isUnpaid, shown, TidemarkError } from "../core/errors-and-events.ts";
import type { SessionState } from "../core/history.ts";
import {
  type Complete,
  type Embedder,
  NO_USAGE,
  type Prices,
  type Purpose,
  readTokens,
  type ReportedUsage,
  type Spent,
  type SpentLine,
  type Usage,
} from "../core/request.ts";
import { estimateTokens } from "../core/tokens/estimate.ts";
import { markOf } from "../memory/extracting/instruction.ts";
import type { Dialect } from "../providers/common/dialect.ts";
import { capabilitiesOf, costOf } from "../providers/common/models.ts";
import { usageIn } from "../providers/usage-and-overflow.ts";
import type { Kept, Ports, Settings, Weighing, Who } from "./ports.ts";
import type { Spans } from "./options/listeners.ts";
import { ratioOf } from "./options/save-and-fold-marks.ts";
import type { Outgoing } from "./outgoing-request.ts";
import { asOwnCall, type Budget, budgetSpent } from "./own-calls.ts";

const KEY_NOTICE =
  "Tidemark now makes calls of its own with your API key, behind the conversation, to keep what " +
  "older messages said; conversations too short for that are read once after they rest or end, " +
  'for about 15 % of what they cost. distil: "extractive" switches them off; ' +
  "advanced.budget bounds them.";

export interface Metering {
  readonly session: string;
  /** The root a call for no session belongs to; the model is then the host's own. */
  readonly root?: string;
  readonly dialect: Dialect;
  /** Which model answers, where that is known. */
  readonly model?: string;
  readonly purpose?: Purpose;
}

type MeteredCore = Ports & Weighing & { readonly budget: Budget };
type Request = Parameters<Complete>[0];
type ModelAnswer = Awaited<ReturnType<Complete<ReportedUsage>>>;

/**
 * The model as Tidemark's own calls reach it: in time, counted, within the budget, and said once
 * where the key is the caller's.
 */
export function metered<A extends ModelAnswer>(
  core: MeteredCore,
  complete: (request: Request) => Promise<A>,
  metering: Metering,
) {
  const { session, root, dialect, model, purpose = "distil" } = metering;
  return inTime(core, async (request) => {
    const state: SessionState = (await core.sessions.load(session))?.session.state ?? {};
    const last = model ?? state.anchor?.model ?? "";
    // Of the host's own function the model is not known but by its word.
    const asked = core.distil.model ?? (usesCallersKey(core) ? last : "");
    // As the provider was seen to count this conversation: what is cut off is counted by it.
    const ratio = ratioOf(state, asked);
    const { system, messages, tools } = request;
    const input = Math.ceil(core.measure.request(dialect, { messages, system, tools }) * ratio);
    const tokens = input + request.maxTokens;
    const book = await core.budget.reserve(session, tokens);
    if (!book) throw budgetSpent();
    if (root === undefined && usesCallersKey(core)) core.notice.say("background-calls", KEY_NOTICE);
    const call = { session, dialect, model: asked, purpose };
    const [outcome] = await Promise.allSettled([ask(core, complete, request, call)]);
    const took = tookOf(outcome, { input, ratio });
    await book(readTokens(took.usage) + took.usage.output).catch(() => undefined);
    const { prices } = capabilitiesOf(asked, core.options.advanced?.models);
    const spent = spentOn(took.usage, asked === "" ? undefined : prices);
    // The count of a process is kept beside it; a history that cannot be written says so by itself.
    const lines = [{ purpose, spent }];
    const counting =
      root === undefined
        ? core.sessions.update(session, { spent: lines })
        : core.store.commit({ spent: { root, lines } });
    await counting.catch(() => undefined);
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
async function ask<A extends ModelAnswer>(
  { spans }: Settings,
  complete: (request: Request) => Promise<A>,
  request: Request,
  { dialect, session: conversation, model, purpose }: Required<Omit<Metering, "root">>,
): Promise<A> {
  const { signal, messages } = request;
  const asking = messages.at(-1);
  const mark = asking && markOf(dialect.text(asking));
  signal.throwIfAborted();
  const about = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": dialect.provider,
    "gen_ai.request.model": model,
    "gen_ai.conversation.id": conversation,
    "tidemark.purpose": purpose,
  };
  return spans.run(`chat ${model}`.trim(), about, async (tell) => {
    const told = await untilAborted(() => asOwnCall(async () => complete(request), mark), signal);
    const usage = isDict(told) ? usageIn(told.usage) : undefined;
    if (usage)
      tell({
        "gen_ai.usage.input_tokens": readTokens(usage),
        "gen_ai.usage.output_tokens": usage.output,
        "gen_ai.usage.cache_read.input_tokens": usage.cacheRead,
      });
    return told;
  });
}

/**
 * What a call took, however it ended: what was reported of it, else our own count. What is refused
 * costs nothing, nor what was never sent; of an answer that broke the request was paid for.
 */
function tookOf(
  outcome: PromiseSettledResult<unknown>,
  { input, ratio }: { input: number; ratio: number },
) {
  const rejected = outcome.status === "rejected";
  if (rejected && isUnpaid(outcome.reason)) return { usage: NO_USAGE, failed: true };
  // A host's function may answer anything.
  const { text, usage } = asDict(rejected ? undefined : outcome.value);
  const failed = typeof text !== "string";
  const reported = usageIn(usage);
  if (reported !== undefined) return { usage: reported, failed };
  const output = Math.ceil(estimateTokens(asText(text)) * ratio);
  return { usage: { ...NO_USAGE, input, output }, failed };
}

const usesCallersKey = ({ options: { distil } }: Settings): boolean =>
  distil === undefined || (typeof distil === "object" && distil.complete === undefined);

/** A distiller that has not answered by then is taken for dead. */
export const HANG_MS = 60_000;

/**
 * Each call has a minute of its own: one that is late costs what it was to say, not what the calls
 * before it said.
 */
function inTime<A>({ timer }: Settings, complete: (request: Request) => Promise<A>) {
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

type ReadReply = NonNullable<ReturnType<Dialect["reply"]>>;

/** One of the caller's calls: what was reported of it, else our own count. */
export function turnSpent(
  { measure }: Weighing,
  { dialect, model, can, level }: Outgoing,
  { usage, billed, message }: ReadReply,
): SpentLine {
  const counted = {
    ...NO_USAGE,
    input: level.used,
    output: usage?.output ?? measure.message(dialect, message),
  };
  const reported = usage !== undefined && readTokens(usage) > 0;
  const taken = reported ? (billed ?? usage) : counted;
  return { purpose: "turn", spent: spentOn(taken, model === "" ? undefined : can.prices) };
}

/** The sums of an identity, by purpose. */
export async function readSpent(
  { store }: Kept,
  who: Who,
): Promise<Readonly<Record<Purpose, Spent>>> {
  const { spent: lines } = await store.belongings(who.root);
  const of = (purpose: Purpose): Spent =>
    lines.find((line) => line.purpose === purpose)?.spent ?? NOTHING;
  return {
    turn: of("turn"),
    distil: of("distil"),
    read: of("read"),
    embed: of("embed"),
  };
}

/**
 * The embedder with its calls counted. No service reports their tokens, so they are our own count.
 */
export function countedEmbedder(
  embedder: Embedder,
  { spans, write }: { spans: Spans; write: (line: SpentLine) => Promise<unknown> },
): Embedder {
  const embed: Embedder["embed"] = async (texts, signal, use) => {
    let input = 0;
    try {
      const about = {
        "gen_ai.operation.name": "embeddings",
        "gen_ai.request.model": embedder.model,
      };
      const vectors = await spans.run("embeddings", about, async () =>
        embedder.embed(texts, signal, use),
      );
      input = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
      return vectors;
    } finally {
      const spent = spentOn({ ...NO_USAGE, input }, undefined);
      // An answer is not lost for a count that is not written; history tells of its own troubles.
      await write({ purpose: "embed", spent }).catch(() => undefined);
    }
  };
  return {
    embed,
    get dimensions() {
      return embedder.dimensions;
    },
    get model() {
      return embedder.model;
    },
  };
}

export const NOTHING: Spent = { ...NO_USAGE, calls: 0, dollars: 0, unpriced: 0 };

/** One call as a sum. */
function spentOn(usage: Usage, prices: Prices | undefined): Spent {
  const { input, cacheWrite, cacheRead, output } = usage;
  return {
    ...{ calls: 1, input, cacheWrite, cacheRead, output },
    dollars: prices ? costOf(usage, prices) : 0,
    unpriced: prices ? 0 : 1,
  };
}

export function add(one: Spent, other: Spent): Spent {
  const names = Object.keys(NOTHING) as (keyof Spent)[];
  return Object.fromEntries(
    names.map((name) => [name, one[name] + other[name]]),
  ) as unknown as Spent;
}
