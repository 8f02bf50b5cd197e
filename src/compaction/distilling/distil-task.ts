import { bodiesOf } from "../../conversations/entries.ts";
import { dicts } from "../../core/base.ts";
import { reasonOf, TidemarkError } from "../../core/errors-and-events.ts";
import type { Aside } from "../../core/history.ts";
import { dayIn } from "../../core/memory.ts";
import type { Message } from "../../core/request.ts";
import { gated } from "../../memory/extracting/gate.ts";
import type {
  Distilled,
  Distiller,
  DistilTask,
  Injected,
  Known,
  Talk,
} from "../../memory/extracting/task.ts";
import { vouched } from "../../memory/extracting/vouched.ts";
import type { Dialect } from "../../providers/common/dialect.ts";
import { placeIn } from "../../session/assemble-request.ts";
import { foldIn, type Outgoing } from "../../session/outgoing-request.ts";
import type { Kept, Settings, Weighing, Who } from "../../session/ports.ts";
import { recalledBeside } from "../../session/recalled-text.ts";
import { goneOnWith, type Models, replyTokens, summaryTokens } from "./choose-distiller.ts";

/** A distiller is shown so many memories, chosen by so many characters of the user's. */
const SHOWN = 20;
const CHOSEN_BY = 20_000;

/**
 * What is known that shares most with the user's words; nothing where it cannot be looked up. A
 * model is not shown what was quoted, which gives way to this reading or to its own.
 */
export const knownFor = (
  { memories }: Who,
  dialect: Dialect,
  messages: readonly Message[],
  isQuoted = false,
): Promise<Known[]> => {
  const said = messages
    .flatMap((one) => (dialect.speaker(one) === "user" ? dialect.text(one) : []))
    .join("\n");
  return memories.akin(said.slice(-CHOSEN_BY), SHOWN, isQuoted).catch(() => []);
};

/**
 * Up to which entry; `base`: on the last request; `sent`: the provider has had that request, and
 * cached it; `previous`: from a summary that no fold has used yet.
 */
export interface DistilRange extends Pick<DistilTask, "signal" | "known"> {
  readonly upTo: number;
  readonly base: boolean;
  readonly sent?: boolean;
  readonly previous?: { readonly summary: string; readonly upTo: number };
}

export type TaskCore = Kept & Settings & Weighing & { readonly models: Models };

/**
 * What is to be distilled to make entries before `upTo` foldable: all since the last fold for the
 * summary, all since the watermark for facts. The caller's own messages are used where they hold
 * all of the user's words, so that the request can be the last one plus a message; a trimmed
 * history is read from the archive.
 */
export async function taskFor(
  core: TaskCore,
  outgoing: Outgoing,
  { upTo, base, sent = true, previous, ...asking }: DistilRange,
): Promise<DistilTask> {
  const { who, dialect, session, entries } = outgoing;
  const fold = foldIn(outgoing);
  const from = previous?.upTo ?? fold?.upTo ?? 0;
  const summary = previous?.summary ?? fold?.summary;
  const common = {
    dialect,
    talks: [{ messages: upTo - from, day: dayIn(entries[upTo - 1]?.at ?? 0, core.options.zone) }],
    factsFrom: Math.min(Math.max(0, session.watermark - from), upTo - from),
    previous: summary,
    // The facts have a part of the reply, which a smaller model's window bounds.
    summaryTokens: Math.min(
      summaryTokens(outgoing.limit),
      Math.floor(
        replyTokens({ window: core.models.windowFor(outgoing.window), limit: outgoing.limit }) / 2,
      ),
    ),
    record: await recordOf(who, session.id),
    injected: recalledBeside(session.state, { from, upTo, entries }),
    known: asking.known ?? (await knownFor(who, dialect, outgoing.conversation)),
    ...asking,
  };
  const summaries = await unread(core, outgoing, {
    from,
    upTo,
    since: previous === undefined ? (fold?.id ?? "") : undefined,
  });
  const own = ownMessages(outgoing, { from, upTo, injected: common.injected });
  if (own === undefined || summaries.length > 0) {
    const archived = await bodiesOf(core.store, session.id, from, upTo);
    // Before what facts are taken from: what a caller has summed up is a telling without a teller.
    return { ...common, ...behind(summaries, { ...common, messages: archived }) };
  }
  // A request that shows less of a message than there is would teach less of it.
  const cut = Object.keys(session.state.shortened ?? {}).some(
    (position) => Number(position) >= from && Number(position) < upTo,
  );
  // An MCP server's tools are gone with it, and it must not run any.
  const served = dicts(outgoing.request.mcp_servers).length > 0;
  const mayGoOn = base && outgoing.unseen === undefined && !cut && !served;
  const ranged = withNotes(outgoing, own);
  const goesOn = mayGoOn ? goneOnWith(core, outgoing, { ...common, ...ranged, sent }) : undefined;
  return goesOn === undefined ? { ...common, ...own } : { ...common, ...ranged, base: goesOn };
}

/**
 * The caller's own messages of a range. Undefined where some words of the user's are not among
 * them, or results were cleared, then or since: those are read from the archive. What a caller
 * leaves out of its replies is left out here too.
 */
function ownMessages(
  { conversation, positions, entries, session, view, ...outgoing }: Outgoing,
  { from, upTo, injected = [] }: { from: number; upTo: number } & Pick<DistilTask, "injected">,
): Required<Ranged> | undefined {
  if (outgoing.cleared?.(from, upTo) === true || outgoing.unchanged?.() === false) return undefined;
  const kept = positions.slice(view.replaced);
  const end = kept.findLastIndex((position) => position >= 0 && position < upTo) + 1;
  const places = kept.slice(0, end);
  if (places.some((position) => position < from)) return undefined;
  const shown = new Set(places);
  if (entries.slice(from, upTo).some(({ role }, at) => role === "user" && !shown.has(from + at)))
    return undefined;
  const fresh = places.findIndex((position) => position >= session.watermark);
  return {
    messages: conversation.slice(view.replaced, view.replaced + end),
    factsFrom: fresh < 0 ? end : fresh,
    injected: injected
      .map((one) => (one.at === undefined ? one : { ...one, at: places.indexOf(from + one.at) }))
      .filter(({ at = 0 }) => at >= 0),
  };
}

/**
 * What no summary has read: the caller's own summaries in a range, and those that came in since
 * under the fold that stands.
 */
async function unread(
  { store }: Kept,
  { session: { id: session } }: Outgoing,
  { from, upTo, since }: { from: number; upTo: number; since: string | undefined },
): Promise<Message[]> {
  const fresh = ({ id = "" }: Aside): boolean => since !== undefined && id > since;
  const summaries = (await store.asides(session, "condensed")).filter(
    (aside) => aside.before <= upTo && (aside.before > from || fresh(aside)),
  );
  return [...new Map(summaries.map(({ content, body }) => [content, body])).values()];
}

type Ranged = Pick<DistilTask, "messages" | "factsFrom" | "injected">;

/** The range with these messages before it. */
const behind = (
  before: readonly Message[],
  { messages, factsFrom, injected = [] }: Ranged,
): Ranged => ({
  messages: [...before, ...messages],
  factsFrom: factsFrom + before.length,
  injected: injected.map((one) =>
    one.at === undefined ? one : { ...one, at: one.at + before.length },
  ),
});

/**
 * The range as it stands in the request: with what was recalled as messages of their own, which are
 * counted too, and the sections before it.
 */
function withNotes(
  { view, session }: Outgoing,
  { messages, factsFrom, injected = [] }: Ranged,
): Ranged {
  const noted = new Set(view.inserted.map((index) => index - view.replaced));
  const all = messages.flatMap((message, at) =>
    noted.has(at)
      ? [message, view.request.messages[placeIn(view, view.replaced + at) + 1] ?? message]
      : [message],
  );
  const before = (index: number): number => [...noted].filter((at) => at < index).length;
  const shown = injected.map((one): Injected => {
    if (one.at === undefined) return one;
    const at = one.at + before(one.at);
    return noted.has(one.at) ? { ...one, at: at + 1, whole: true } : { ...one, at };
  });
  const sections: Injected = { text: session.state.frozen?.text ?? "", origin: "agent" };
  return {
    messages: all,
    factsFrom: factsFrom + before(factsFrom),
    injected: [...shown, sections],
  };
}

export async function recordOf(
  { memories, home }: Who,
  session: string,
): Promise<NonNullable<DistilTask["record"]>> {
  const key = `conversation/${session}`;
  const open = memories.byKey(`${key}/open-request`, { scope: home }).catch(() => undefined);
  return { key, open: (await open)?.content };
}

/**
 * Asks the distiller. Rejects with TidemarkError "distil", or "connection" where it was not reached
 * or did not answer.
 */
export const distil = (
  distiller: Distiller,
  task: (signal: AbortSignal) => Promise<DistilTask>,
  outer?: AbortSignal,
): Promise<Distilled> => answered(distiller, task, { outer, read: judged });

/** A conversation at rest as it is read. */
type TalkTask = Omit<DistilTask, "signal" | "summaryTokens" | "talks"> & Pick<Talk, "day">;

/**
 * Asks about several conversations of one dialect in one call, and answers what each has taught: a
 * fact is of the last one that it cites, and is judged by the messages of that one alone.
 */
export const distilTogether = (
  distiller: Distiller,
  { dialect, tasks }: Pick<DistilTask, "dialect"> & { tasks: readonly TalkTask[] },
  { outer, ...how }: Pick<DistilTask, "brief" | "known"> & { outer: AbortSignal },
): Promise<Distilled[]> =>
  answered(
    distiller,
    async (signal) => ({
      ...{ dialect, factsFrom: 0, summaryTokens: 0, signal, ...how },
      messages: tasks.flatMap(({ messages }) => messages),
      talks: tasks.map(({ messages, day }) => ({ messages: messages.length, day })),
    }),
    {
      outer,
      read: ({ signal }, distilled) => {
        let next = 0;
        return tasks.map((task) => {
          const first = next;
          next += task.messages.length;
          const isOwn = (at: number): boolean => first <= at && at < next;
          const facts = distilled.facts.flatMap((fact) =>
            tasks.length === 1 || isOwn(Math.max(...fact.from))
              ? [{ ...fact, from: fact.from.filter(isOwn).map((at) => at - first) }]
              : [],
          );
          const { known } = how;
          return judged({ ...task, known, summaryTokens: 0, signal }, { ...distilled, facts });
        });
      },
    },
  );

const judged = (task: DistilTask, distilled: Distilled): Distilled => ({
  ...distilled,
  facts: gated(vouched(task, distilled)),
});

async function answered<Read>(
  distiller: Distiller,
  task: (signal: AbortSignal) => Promise<DistilTask>,
  given: {
    outer: AbortSignal | undefined;
    read: (task: DistilTask, distilled: Distilled) => Read;
  },
): Promise<Read> {
  const over = new AbortController();
  try {
    const asked = await task(AbortSignal.any([over.signal, given.outer ?? over.signal]));
    // Nothing may come between an answer and its storing: given up then, it is paid for twice.
    return given.read(asked, await distiller(asked));
  } catch (thrown) {
    if (thrown instanceof TidemarkError) throw thrown;
    throw new TidemarkError("distil", `The distiller failed: ${reasonOf(thrown)}`, {
      cause: thrown,
    });
  } finally {
    over.abort();
  }
}
