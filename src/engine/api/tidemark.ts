import { queueOf } from "../journal/watermark.ts";
import { isDict } from "../../base/guards.ts";
import { agentScope, checkUser } from "../../model/identity.ts";
import type { ProviderRequest } from "../../model/request.ts";
import { begin, type Beginning } from "../turn/begin.ts";
import { openCall } from "../session/incoming-request.ts";
import {
  atBorder,
  checkOpen,
  closedPart,
  refusal,
  underWay,
  type View,
  workspaceApi,
} from "./border.ts";
import type { Who } from "../session/core.ts";
import { checkArguments } from "../options/check-arguments.ts";
import { foldNow } from "../fold/on-demand.ts";
import { historyApi } from "./history.ts";
import { expose, type AdapterOptions, type Internals } from "../options/internals.ts";
import { readSpent } from "../accounting/spent.ts";
import { memoryApi } from "./memory.ts";
import { notesApi, notesOf } from "./notes.ts";
import { recordsApi } from "./records.ts";
import { placing } from "../background/archive-request.ts";
import type { Unfolded } from "../background/read-unfolded.ts";
import { pinApi } from "./pins.ts";
import { promoteApi, proposalsApi } from "./proposals.ts";
import { tidy } from "../upkeep/tidy.ts";
import { briefFor, heartbeat } from "./brief.ts";
import type { Closing } from "./close.ts";
import { beginTask } from "./task.ts";
import type { Directory } from "../journal/identities.ts";
import type { Viewed } from "../journal/journal.ts";
import type {
  BeginOptions,
  BriefOptions,
  FoldOptions,
  Stats,
  TaskInput,
  Tidemark,
  Turn,
} from "../options/types.ts";
import { toolsFor } from "./tools.ts";
import { usersApi } from "./users.ts";

const IDLE_MS = 60_000;

/** All of an open workspace: nothing but its opener and this file knows the whole. */
export type Engine = Beginning &
  Unfolded &
  Viewed & { readonly directory: Directory; readonly closing: Closing };

/** One identity's view of an open workspace. */
export function createFacade(core: Engine, view: View): Tidemark {
  const { scheduler, directory } = core;
  const { identity, label } = view;
  const open = async (options?: { pages?: boolean }): Promise<Who> => {
    checkOpen(core, view);
    return directory(identity, label, options);
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
    }),
    as: (given) => createFacade(core, viewOf(view, given)),
    memory: memoryApi(core, open, promoteApi(core, open)),
    proposals: atBorder(core, "proposals.", proposalsApi(core, open)),
    history: historyApi(core, open),
    workspace: workspaceApi(core, view),
    notes: notesApi(core, open),
    records: recordsApi(core, open),
    users: usersApi(core, view),
    tools: (options) =>
      toolsFor(
        core,
        {
          ...{ open, identity, api: tidemark },
          seen: directory.seen(identity),
          promote: promoteApi(core, open, "agent"),
        },
        options,
      ),
    tidy: async () => tidy(core, await open()),
    stats: async () => statsOf(core, await open()),
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

async function statsOf(core: Engine, who: Who): Promise<Stats> {
  const sessions = await core.history.sessions({ root: who.root });
  return {
    ...(await core.store.count({ ...who, now: core.now() })),
    conversations: sessions.length,
    folds: sessions.reduce((sum, { folds }) => sum + folds, 0),
    queued: (await queueOf(core.history, who.root)).length,
    calls: await readSpent(core, who),
  };
}

function exposeTo(tidemark: Tidemark, core: Engine, view: View, open: () => Promise<Who>): void {
  const { directory } = core;
  const start: Internals["begin"] = (request, options) =>
    underWay(core, startTurn(core, view, request, options));
  expose(tidemark, {
    begin: start,
    asSent: async (request, options) => {
      const who = await directory(view.identity, view.label);
      const known = await core.sessions.knows(placing(core, openCall(core, who, request, options)));
      return known ? (await start(request, options)).request : request;
    },
    emit: core.emit,
    notes: async () => {
      const who = await open();
      const team = who.scopes.find((scope) => scope.startsWith("team:"));
      return { notes: await notesOf(core, who), agent: agentScope(who.identity), team };
    },
    heartbeatEnded: async () =>
      core.log.note((await open()).learns, { at: core.now(), what: "heartbeat", did: "ended" }),
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
