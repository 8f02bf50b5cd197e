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
import { noteEarlier, type Unfolded } from "../compaction/distilling/short-session-queue.ts";
import { foldNow } from "../compaction/fold-now-and-undo.ts";
import type { Directory } from "../compaction/journal/identity-directory.ts";
import type { Viewed } from "../compaction/journal/views.ts";
import { queueOf } from "../compaction/journal/queue.ts";
import { defined, isDict } from "../core/base.ts";
import {
  checkUser,
  type Identity,
  identityKey,
  isOfGroup,
  levelOf,
  type Levels,
  LEVELS_NOTE,
} from "../core/identity.ts";
import type { ProviderRequest } from "../core/request.ts";
import { valuesOf } from "../memory/saving/commit.ts";
import { inAgentsHand, inHostsHand, type Who } from "../session/ports.ts";
import { digest } from "../core/text/cut.ts";
import { openCall } from "../session/incoming-request.ts";
import { renderFrozen } from "../session/render-frozen.ts";
import { readSpent } from "../session/metered-and-spent.ts";
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
  TidyReport,
  Turn,
} from "../session/options/tidemark-api.ts";
import type { Closing } from "./closing.ts";
import { capabilitiesOf, healthOf } from "./health.ts";
import { pinApi } from "./pins.ts";
import { begin, type Turning } from "./turn/begin.ts";
import { type createConsolidating, type createMerging, tidy } from "./upkeep/tidy.ts";
import { usersApi } from "./users.ts";

const IDLE_MS = 60_000;

/** All of an open workspace: nothing but its opener and this file knows the whole. */
export type Engine = Turning &
  Unfolded &
  Viewed & {
    readonly directory: Directory;
    readonly closing: Closing;
    readonly consolidating: ReturnType<typeof createConsolidating>;
    readonly merging: ReturnType<typeof createMerging>;
  };

/** The engines of a workspace, one for each level in use. */
export interface Engines {
  /** For what outlives the process. */
  readonly kept: Engine;
  /** That one comes last. */
  readonly all: readonly Engine[];
  readonly of: (identity: Identity) => Engine;
}

/** One identity's view of an open workspace. */
export function createFacade(engines: Engines, view: View): Tidemark {
  const { identity, label } = view;
  const core = engines.of(identity);
  const { directory } = core;
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
      tidy: async (options?: { dryRun?: boolean }) => {
        const who = await open();
        return {
          ...(await tidy(core, who, options)),
          ...(await beyondLevel(engines.kept, who, identity)),
        };
      },
      stats: async (options?: StatsOptions) => statsOf(core, await open(), options),
    }),
    as: (given) => createFacade(engines, viewOf(view, given)),
    memory: memoryApi(core, hosts, promoteApi(core, open)),
    proposals: atBorder(core, "proposals.", proposalsApi(core, open)),
    history: historyApi(core, open),
    workspace: workspaceApi(core, view),
    notes: notesApi(core, hosts),
    records: recordsApi(core, hosts),
    users: usersApi(engines.kept, view),
    org: orgApi(core, open),
    tools: (options) =>
      toolsFor(
        core,
        { open, identity, fold: tidemark.fold, seen: directory.seen(identity) },
        options,
      ),
    // Few views ask for it.
    get data() {
      return dataApi(engines.kept, view);
    },
    capabilities: capabilitiesOf(core),
    idle: async () => {
      checkOpen(core, view);
      for (const one of view.isRoot ? engines.all : [core]) {
        one.scheduler.startWaiting();
        await one.background.settle(IDLE_MS);
        await one.views.payGently();
      }
    },
    close: async () => {
      if (!view.isRoot) {
        view.closed = true;
        if (core.level !== "persistent") await left(core, await directory(identity, label));
        return;
      }
      await closeAll(engines, (one) => one.directory(one === core ? identity : {}, label));
    },
  };
  exposeTo(tidemark, core, view, open);
  return tidemark;
}

/** All at once, the one last to which others write. Rejects as the first that failed. */
async function closeAll({ all }: Engines, opener: (one: Engine) => Promise<Who>): Promise<void> {
  const ends: Promise<void>[] = [];
  for (const one of all) ends.push(one.closing.close(() => opener(one), [...ends]));
  await Promise.allSettled(ends);
  await Promise.all(ends);
}

/** Tells how much the workspace holds that, by the levels noted, it should not. */
async function beyondLevel(
  kept: Engine,
  who: Who,
  identity: Identity,
): Promise<Pick<TidyReport, "beyond">> {
  const noted = JSON.parse((await kept.store.note(LEVELS_NOTE)) ?? "{}") as Levels;
  const level = levelOf(noted, identity, digest);
  if (level === "persistent") return {};
  const scopes = who.scopes.filter((scope) => !isOfGroup(scope));
  const { memories, conversations } = await statsOf(kept, { ...who, scopes });
  return memories + conversations > 0 ? { beyond: { level, memories, conversations } } : {};
}

/** The end of conversations that are to leave nothing, and of what they have taught alone. */
async function left(core: Engine, { root, label }: Who): Promise<void> {
  const { store } = core;
  const sessions = await store.sessions({ root, ...defined({ label }) });
  for (const { id, length } of sessions) {
    const learnt = await store.learnt({ session: id, from: 0, to: length });
    const values = await valuesOf(
      store,
      learnt.map(({ memory }) => memory),
    );
    const own = values.flatMap(({ stored: { memory } }) =>
      isOfGroup(memory.scope) ? [] : memory.id,
    );
    await store.commit({ gone: { sessions: [id], turns: [id], memories: { ids: own } } });
    core.sessions.drop(id);
  }
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
