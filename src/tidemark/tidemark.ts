import {
  atBorder,
  checkOpen,
  closedPart,
  refusal,
  underWay,
  type View,
  workspaceApi,
} from "../agents/public-calls.ts";
import { briefFor, heartbeat } from "../agents/brief.ts";
import { dataApi } from "../agents/data.ts";
import { historyApi } from "../agents/history-api.ts";
import { memoryApi } from "../agents/memory-api.ts";
import { notesApi, notesOf } from "../agents/notes.ts";
import { orgApi } from "../agents/organisation.ts";
import { promoteApi, proposalsApi } from "../agents/proposals.ts";
import { recordsApi } from "../agents/records.ts";
import { beginTask } from "../agents/task.ts";
import { toolsFor } from "../agents/tools.ts";
import { turnSums } from "../agents/turn-sums.ts";
import type { Scheduler } from "../compaction/distilling/background-summaries.ts";
import { noteEarlier, type Unfolded } from "../compaction/distilling/short-session-queue.ts";
import { foldNow } from "../compaction/fold-now-and-undo.ts";
import type { Directory } from "../compaction/journal/identity-directory.ts";
import type { ConversationPages } from "../compaction/journal/log-and-conversation-pages.ts";
import type { Viewed } from "../compaction/journal/views.ts";
import { queueOf } from "../compaction/journal/watermark.ts";
import { isDict } from "../core/base.ts";
import { checkUser, identityKey } from "../core/identity.ts";
import type { ProviderRequest } from "../core/request.ts";
import { giveUpWaiting } from "../memory/saving/commit.ts";
import { type Embedded, inAgentsHand, inHostsHand, type Who } from "../session/ports.ts";
import { openCall } from "../session/incoming-request.ts";
import { renderFrozen } from "../session/render-frozen.ts";
import { readSpent } from "../session/metered-and-spent.ts";
import { held } from "../session/options/background.ts";
import { checkArguments } from "../session/options/check-arguments.ts";
import { type AdapterOptions, expose } from "../session/options/internals.ts";
import type {
  BeginOptions,
  BriefOptions,
  FoldOptions,
  Stats,
  StatsOptions,
  TaskInput,
  Tidemark,
  Turn,
} from "../session/options/tidemark-api.ts";
import { capabilitiesOf, healthOf } from "./health.ts";
import { pinApi } from "./pins.ts";
import type { Turning } from "./turn/turn.ts";
import { begin } from "./turn/begin.ts";
import { type createConsolidating, tidy } from "./upkeep/tidy.ts";
import { usersApi } from "./users.ts";

/**
 * ms `close` waits for work under way while none of it ends; what is not done by then is taken up
 * at the next start.
 */
const DRAIN_MS = 5_000;
/** ms it takes in all, and of these what the last steps may take. */
const CLOSE_MS = 10_000;
const LAST_MS = 2_000;

interface ClosingParts extends Viewed {
  closed: boolean;
  readonly scheduler: Scheduler;
  readonly pages: ConversationPages;
  readonly directory: Directory;
}

/** How a workspace is closed, and what it says if no call came by. */
export function createClosing(core: Unfolded & Embedded & ClosingParts) {
  let closing: Promise<void> | undefined;
  let expecting: string | undefined;
  let sawCall = false;
  const missed = (): void => {
    if (expecting !== undefined && !sawCall) core.emit({ type: "passed", reason: expecting });
  };
  return {
    /** Told at the close if no call came through the adapter that stands by. */
    expectCalls: (reason: string): void => void (expecting ??= reason),
    sawCall: (): void => void (sawCall = true),
    /** Concurrent calls share one promise. */
    close: async (opener: () => Promise<Who>): Promise<void> =>
      (closing ??= core.closed
        ? Promise.resolve()
        : drain(core, opener, missed).finally(() => (closing = undefined))),
  };
}

type Closing = ReturnType<typeof createClosing>;

async function drain(
  core: Parameters<typeof createClosing>[0],
  opener: () => Promise<Who>,
  missed: () => void,
): Promise<void> {
  const { embedding, background, scheduler, pages, rests } = core;
  embedding?.halt();
  for (const clock of [scheduler.quiet, rests, pages]) clock.stop();
  const start = performance.now();
  const left = (): number => start + CLOSE_MS - LAST_MS - performance.now();
  if (!(await background.settle(DRAIN_MS, left()))) giveUpWaiting(core.store);
  const stop = (): void => {
    scheduler.stop();
    core.ending.abort();
  };
  if (core.distil.atClose !== undefined)
    await held(opener().then((who) => rests.readAtClose(who, Math.max(0, left()))));
  stop();
  try {
    await held(pages.writeAtClose(() => left() > 0));
    const who = await opener();
    // The opener's conversations, and those of all who had a turn in this process.
    for (const one of new Set([...core.directory.spoken(), who])) await noteEarlier(core, one);
    await background.settle(Math.max(0, left()));
    await rests.queueAtClose();
    missed();
    core.closed = true;
    embedding?.meaning.stop();
    // What is late is owed, and paid by the next process.
    if (left() > 0) await core.views.payGently();
  } finally {
    core.closed = true;
    // Work that turns have started since ends with the rest.
    stop();
    await core.store.close();
  }
}

const IDLE_MS = 60_000;

/** All of an open workspace: nothing but its opener and this file knows the whole. */
export type Engine = Turning &
  Unfolded &
  Viewed & {
    readonly directory: Directory;
    readonly closing: Closing;
    readonly consolidating: ReturnType<typeof createConsolidating>;
  };

/** One identity's view of an open workspace. */
export function createFacade(core: Engine, view: View): Tidemark {
  const { scheduler, directory } = core;
  const { identity, label } = view;
  const open = async (options?: { pages?: boolean }): Promise<Who> => {
    checkOpen(core, view);
    return directory(identity, label, options);
  };
  const hosts: typeof open = async (options) => {
    const who = await open(options);
    return view.isRoot ? inHostsHand(who) : who;
  };
  const tidemark: Tidemark = {
    ...atBorder(core, "", {
      // The answer has the form that was given; only a dialect looks inside.
      begin: ((request: ProviderRequest, options: BeginOptions = {}) =>
        startTurn(core, view, request, options)) as unknown as Tidemark["begin"],
      fold: async (which?: Parameters<Tidemark["fold"]>[0], options?: FoldOptions) =>
        foldNow(core, await open(), which as Parameters<typeof foldNow>[2], options),
      brief: async (query: string, options?: BriefOptions) =>
        briefFor(core, await open(), query, options),
      heartbeat: async () => heartbeat(core, await open()),
      task: async (input: TaskInput) => beginTask(core, await open(), identity, input),
      ...pinApi(core, open),
      health: () => healthOf(core, open),
      tidy: async (options?: { dryRun?: boolean }) => tidy(core, await open(), options),
      stats: async (options?: StatsOptions) => statsOf(core, await open(), options),
    }),
    as: (given) => createFacade(core, viewOf(view, given)),
    memory: memoryApi(core, hosts, promoteApi(core, open)),
    proposals: atBorder(core, "proposals.", proposalsApi(core, open)),
    history: historyApi(core, open),
    workspace: workspaceApi(core, view),
    notes: notesApi(core, hosts),
    records: recordsApi(core, hosts),
    users: usersApi(core, view),
    org: orgApi(core, open),
    tools: (options) =>
      toolsFor(
        core,
        { open, identity, fold: tidemark.fold, seen: directory.seen(identity) },
        options,
      ),
    // Few views ask for it.
    get data() {
      return dataApi(core, view);
    },
    capabilities: capabilitiesOf(core),
    idle: async () => {
      checkOpen(core, view);
      scheduler.startWaiting();
      await core.background.settle(IDLE_MS);
      await core.views.payGently();
    },
    close: async () => {
      if (view.isRoot) await core.closing.close(() => directory(identity, label));
      else view.closed = true;
    },
  };
  exposeTo(tidemark, core, view, open);
  return tidemark;
}

async function startTurn(
  core: Engine,
  view: View,
  request: ProviderRequest,
  options: AdapterOptions,
): Promise<Turn> {
  const { identity, label } = view;
  checkOpen(core, view);
  const model: unknown = isDict(request) ? request.model : undefined;
  const about = { "gen_ai.request.model": typeof model === "string" ? model : undefined };
  return core.spans.run("tidemark.begin", about, async (tell) => {
    const who = await core.directory.atOnce(identity, label);
    core.consolidating(who);
    const how = label === undefined ? options : { conversation: label, ...options };
    const turn = await begin(core, who, request, how);
    tell({
      "tidemark.window.used": turn.window.used,
      "tidemark.window.limit": turn.window.limit,
      "tidemark.window.mark": turn.window.mark,
      "tidemark.fold.id": turn.folded?.id,
    });
    return turn;
  });
}

/** Another identity on the same files; of a closed view it is closed. Throws "config". */
function viewOf({ identity, label, closed }: View, given: Parameters<Tidemark["as"]>[0]): View {
  try {
    checkArguments("as", [given]);
    const { conversation = label, ...other } = given;
    checkUser(other);
    return { identity: { ...identity, ...other }, label: conversation, closed };
  } catch (thrown) {
    throw refusal("as", thrown);
  }
}

async function statsOf(core: Engine, who: Who, options?: StatsOptions): Promise<Stats> {
  const sessions = await core.store.sessions({ root: who.root });
  const { categories, messages } = await core.store.count({ ...who, now: core.now() });
  return {
    memories: categories.reduce((sum, { memories }) => sum + memories, 0),
    messages,
    conversations: sessions.length,
    folds: sessions.reduce((sum, { folds }) => sum + folds, 0),
    queued: (await queueOf(core.store, who.root)).length,
    calls: await readSpent(core, who),
    ...(options && { turns: await turnSums(core, sessions, options) }),
  };
}

/** A limit in tokens, of which it takes its share: an agent cuts what is longer. */
const STANDING = 16_000;

function exposeTo(tidemark: Tidemark, core: Engine, view: View, open: () => Promise<Who>): void {
  const prompt = async (who: Who) => {
    const call = openCall(core, who, { messages: [] }, { asked: { pending: true } });
    return renderFrozen(core, { ...call, limit: STANDING });
  };
  expose(tidemark, {
    begin: (request, options) => underWay(core, startTurn(core, view, request, options)),
    identity: view.identity,
    emit: core.emit,
    standing: async () => {
      const who = await open();
      await noteEarlier(core, who);
      return (await prompt(who)).text;
    },
    prompt: async () => prompt(await open()),
    others: (hear) => core.store.others(hear),
    ended: async (asked) =>
      (await core.store.ended?.({ ...asked, root: identityKey(view.identity) })) ?? [],
    ears: core.ears,
    notes: async () => {
      const who = await open();
      const team = who.scopes.find((scope) => scope.startsWith("team:"));
      return { notes: await notesOf(core, inAgentsHand(who)), home: who.home, team };
    },
    watchIndexing: core.turns.watch,
    underWay: (work) => underWay(core, work),
    off: core.off,
    closed: () => closedPart(core, view),
    options: core.options,
    distilModel: core.distil.model,
    expectCalls: core.closing.expectCalls,
    sawCall: core.closing.sawCall,
  });
}
