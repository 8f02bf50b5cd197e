import { defined, lru } from "../../core/base.ts";
import type { Complete, Message, ReportedUsage } from "../../core/request.ts";
import { estimateTokens } from "../../core/tokens/estimate.ts";
import { modelDistiller } from "../../memory/extracting/ask-model.ts";
import { extractive } from "../../memory/extracting/extractive.ts";
import { rangeInstruction } from "../../memory/extracting/instruction.ts";
import type { Distiller, DistilTask } from "../../memory/extracting/task.ts";
import type { Dialect } from "../../providers/common/dialect.ts";
import { capabilitiesOf } from "../../providers/common/models.ts";
import { dialectFor } from "../../providers/detect.ts";
import { thinkingBudget } from "../../providers/common/seams-and-thinking.ts";
import { placeIn } from "../../session/assemble-request.ts";
import type { Ports, Weighing, Who } from "../../session/ports.ts";
import { metered, type Metering } from "../../session/metered-and-spent.ts";
import { createSlots } from "../../session/options/background.ts";
import { changeShared, createBudget, inSharedTurn, newMark } from "../../session/own-calls.ts";
import { foldIn, marked, type Outgoing, type Sending } from "../../session/outgoing-request.ts";
import type { WindowRoom } from "../../session/count-tokens.ts";

/** Tools that come anew bring words of the provider's own, which no count of ours holds. */
const SAFE = 0.99;
/** Our count may be a little over or under: it is taken for so much more. */
const DRIFT = 1.05;
const SURELY = 0.9;
/** The words of an instruction are counted by a scan. */
const SCAN_DRIFT = 1.1;
/** As many facts as an instruction can ask for, in digits. */
const FACTS = 99;

interface PrefixAsking extends Pick<
  DistilTask,
  "messages" | "factsFrom" | "previous" | "summaryTokens" | "known" | "talks"
> {
  /** The provider has had this request, and cached it. */
  readonly sent: boolean;
}

/**
 * As much of the last request as an instruction and its answer fit behind: all of it, or as far as
 * an earlier one of this epoch went, which the provider has cached just as well, and better where
 * this one was not sent yet. A reply of full length comes first.
 */
export function goneOnWith(
  core: Sending,
  outgoing: Outgoing,
  { messages: ranged, factsFrom, previous, summaryTokens, known = [], talks, sent }: PrefixAsking,
): DistilTask["base"] {
  const { dialect, view, level, ratio } = outgoing;
  const { messages } = view.request;
  const tokensOf = (some: readonly Message[]): number =>
    some.reduce((sum, message) => sum + core.measure.message(dialect, message), 0) * ratio;
  const last = view.offset + ranged.length;
  const stands =
    previous === undefined ||
    messages.slice(0, view.offset).some((message) => dialect.text(message).includes(previous));
  const text = rangeInstruction(
    {
      first: view.offset + 1,
      last,
      factsFirst: 1,
      factsMost: FACTS,
      summaryTokens,
      instructions: core.distil.instructions,
      known,
      day: talks?.[0]?.day,
      previous: stands ? undefined : previous,
    },
    dialect,
    messages,
  );
  const free = outgoing.window * SAFE - estimateTokens(text) * SCAN_DRIFT * Math.max(1, ratio);
  // What the last report took off may have been for messages that a fold has replaced since.
  const used = Math.max(level.used, outgoing.estimated * ratio * SURELY);
  const full = replyTokens(outgoing);
  const least = leastReplyTokens(outgoing, tokensOf(messages.slice(view.offset + factsFrom, last)));
  let best: { length: number; room: number; reply: number } | undefined;
  const whole = lastGoneOnWith(outgoing) + 1;
  const earlier = earlierEnds(outgoing).filter((length) => length < whole);
  for (const length of sent ? [whole, ...earlier] : [...earlier, whole]) {
    const end = messages[length - 1];
    // May a user message follow: no call waits for its result.
    const answered = new Set(end && dialect.results(end).map(({ id }) => id));
    const mayGoOn = end && dialect.calls(end).every(({ id }) => answered.has(id));
    if (length < last || !mayGoOn) continue;
    const tokens = Math.ceil(used * DRIFT - tokensOf(messages.slice(length)) * SURELY);
    const room = Math.floor(free - tokens);
    const reply = Math.min(full, room - thinkingBudget(view.request));
    if (reply >= least && reply > (best?.reply ?? 0)) best = { length, room, reply };
    if (reply === full) break;
  }
  if (best === undefined) return undefined;
  // With the marks it went out with: what the provider has cached is found by them.
  const {
    system,
    tools,
    messages: shown,
  } = marked(core, outgoing, best.length === whole ? messages.length : best.length);
  return {
    system,
    messages: shown.slice(0, best.length),
    ...defined({ tools }),
    offset: view.offset,
    room: best.room,
    replyTokens: best.reply,
  };
}

/** How many messages earlier requests of this epoch had of this one, the longest first. */
function earlierEnds(outgoing: Outgoing): number[] {
  const { conversation, dialect, positions, view } = outgoing;
  // The messages a fold left were sent for the first time by the request that folded.
  const epoch = foldIn(outgoing)?.length ?? 0;
  const speakers = conversation.map((message) => dialect.speaker(message));
  return speakers
    .flatMap((speaker, index) => {
      const isEnd =
        index >= view.replaced &&
        (positions[index] ?? -1) + 1 >= epoch &&
        !["assistant", "system"].includes(speaker) &&
        speakers.slice(index + 1).find((next) => next !== "system") === "assistant";
      return isEnd ? [placeIn(view, index) + 1] : [];
    })
    .reverse();
}

/**
 * The last message an instruction may stand behind. A system message must be followed by the
 * assistant's, so a request that ends with some, the caller's or what was recalled, is gone on with
 * from before them: what the call before wrote is still read.
 */
function lastGoneOnWith({ dialect, conversation, view }: Outgoing): number {
  const { messages } = view.request;
  if (dialect.systemNeedsReply)
    return messages.findLastIndex((message) => dialect.speaker(message) !== "system");
  return messages.length - (view.inserted.at(-1) === conversation.length - 1 ? 2 : 1);
}

/** Share of the limit a summary may take, and the most that still helps a model. */
const SUMMARY_SHARE = 0.08;
const SUMMARY_MOST = 4_000;
const SUMMARY_LEAST = 120;

export const summaryTokens = (limit: number): number =>
  Math.max(SUMMARY_LEAST, Math.min(SUMMARY_MOST, Math.floor(limit * SUMMARY_SHARE)));

/**
 * Room for the facts beside the summary, and for the instruction around a conversation that is
 * written out.
 */
const FACTS_TOKENS = 4_000;
const INSTRUCTION_TOKENS = 1_500;

/** The longest reply a distiller may give in this window. */
export const replyTokens = ({ window, limit }: WindowRoom): number =>
  Math.max(256, Math.min(summaryTokens(limit) + FACTS_TOKENS, Math.floor(window / 4)));

/** A model goes over a bound it is told. */
const OVER = 1.2;
const FEW_FACTS_TOKENS = 1_000;
const FACTS_SHARE = 0.25;

/**
 * Room for the summary, and for ten facts or a quarter of what is new: with less, a cold request
 * that may say more is worth its price.
 */
const leastReplyTokens = (room: WindowRoom, fresh: number): number =>
  Math.min(
    replyTokens(room),
    Math.ceil(summaryTokens(room.limit) * OVER + Math.min(FEW_FACTS_TOKENS, fresh * FACTS_SHARE)),
  );

/**
 * One request of a distilling that starts anew; longer ones take a model's attention, not only its
 * time.
 */
const CHUNK_MOST = 100_000;

const chunkTokens = (room: WindowRoom): number =>
  Math.max(
    400,
    Math.min(CHUNK_MOST, Math.floor((room.window - replyTokens(room)) * 0.8) - INSTRUCTION_TOKENS),
  );

const NO_MODEL =
  "No model is there to distil, so sentences are picked by rules. Give distil a function " +
  'or use the middleware; distil: "extractive" says that it is meant.';

/**
 * Model calls behind the conversations at once: more would take the provider's rate from the
 * conversations themselves.
 */
const DISTILLINGS = 4;
/**
 * Identities whose client is kept for what is owed to them: each holds the last request that went
 * through it.
 */
const CLIENTS = 64;

type Told = Complete<ReportedUsage>;

const NO_TALK = { messages: [{ role: "user", content: "" }] };

interface Apart {
  readonly text: string;
  readonly maxTokens: number;
  readonly temperature?: number;
}
const apartIn = ({ userMessage }: Dialect, { text, ...how }: Apart) => ({
  ...how,
  ...{ system: undefined, alone: true, messages: [userMessage(text)] },
});

/** The models that are asked behind the conversations, bounded all sessions together. */
export function createModels(core: Ports & Weighing) {
  const { options, distil, notice, windows, now, emit } = core;
  /**
   * The client an adapter wraps, last seen of each identity, by its root: lets queued work be done
   * between calls, under the key of the identity it is owed to.
   */
  const clients = lru<string, Complete>(CLIENTS);
  const slots = createSlots(DISTILLINGS);
  const budget = createBudget({
    ...{ now, emit, tokens: options.advanced?.budget },
    book: (change) => changeShared(core.store, "budget", change),
  });

  /** The model to ask, if any: the host's function, else the wrapped client. */
  function completeFor({ root }: Pick<Who, "root">, client?: Complete): Told | undefined {
    const { distil: by } = options;
    if (by === "extractive") return undefined;
    const given = typeof by === "function" ? by : by?.complete;
    // The form that the host's client wants is the one its requests have.
    return (given as unknown as Told | undefined) ?? client ?? clients.get(root);
  }

  /**
   * A model of the host's choosing has a window of its own; where it is not known, the
   * conversation's is taken for it.
   */
  function windowFor(window: number): number {
    const named = distil.model;
    if (named === undefined) return window;
    const known = capabilitiesOf(named, options.advanced?.models);
    return Math.min(
      window,
      windows.get(named) ?? (known.windowBy === "guess" ? window : known.window),
    );
  }

  const asking = (complete: Told, about: Metering) => metered({ ...core, budget }, complete, about);

  /** When it is its turn among the works of all sessions, here and in other processes. */
  const inTurn = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> =>
    slots.run(signal, () =>
      inSharedTurn(core, { name: "distillings", most: DISTILLINGS, signal }, work),
    );

  return {
    met: (root: string, client: Complete): void => clients.set(root, client),
    completeFor,
    /** The model that puts memories together, if the host named one. */
    consolidator: options.consolidate?.model as unknown as Told | undefined,
    windowFor,
    /**
     * Is a model asked about conversations that ended below the marks, when they have come to rest?
     */
    asksAtRest: (who: Pick<Who, "root">): boolean =>
      !core.closed && !core.observes && core.level !== "none" && completeFor(who) !== undefined,
    /** Rules in a model's place may be meant; where they are not, they do not go unnoticed. */
    sayNone(): void {
      if (options.distil !== "extractive") notice.say("no-model", NO_MODEL);
    },
    /** The answer to a text that is no conversation's, when it is its turn. */
    async apart(complete: Told, about: Omit<Metering, "dialect">, asked: Apart): Promise<string> {
      const [dialect, { signal }] = [dialectFor(NO_TALK), core.ending];
      const ask = asking(complete, { ...about, dialect });
      const request = apartIn(dialect, asked);
      return (await inTurn(signal, () => ask({ ...request, signal }))).text;
    },
    distillerFor(complete: Told | undefined, about: Metering & WindowRoom): Distiller {
      if (!complete) return extractive;
      const room = { window: windowFor(about.window), limit: about.limit };
      return modelDistiller({
        complete: asking(complete, about),
        newMark,
        chunkTokens: chunkTokens(room),
        maxTokens: replyTokens(room),
        instructions: distil.instructions,
      });
    },
    inTurn,
  };
}

export type Models = ReturnType<typeof createModels>;
