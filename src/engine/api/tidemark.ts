import { defined } from "../../base/defined.ts";
import { shown, TidemarkError } from "../../model/errors.ts";
import { isDict } from "../../base/guards.ts";
import { checkIdentity, type Identity } from "../../model/identity.ts";
import { type ProviderRequest } from "../../model/request.ts";
import { begin } from "../turn/begin.ts";
import { checkLabel, openCall } from "../session/request.ts";
import { held } from "../runtime/background.ts";
import { atBorder, refusal, workspaceApi, underWay } from "./border.ts";
import { flushAtClose, noteEarlier } from "../background/catch-up.ts";
import { type Core } from "../session/context.ts";
import { type Who } from "../session/who.ts";
import { stopSigning } from "../fold/signed.ts";
import { checkKeys } from "../options/known-keys.ts";
import { foldNow, type House } from "../fold/on-demand.ts";
import { historyApi } from "./history.ts";
import { expose, type AdapterOptions } from "../options/internals.ts";
import { readLedger } from "../accounting/ledger.ts";
import { memoryApi } from "./memory.ts";
import { placing } from "../background/place.ts";
import { pinApi } from "./pins.ts";
import { stopQueue, workOff } from "../background/queue.ts";
import { queueAtClose, readNow } from "../background/at-rest.ts";
import { stopReading } from "../background/rest-read.ts";
import { backUp } from "../upkeep/salvage-backup.ts";
import { beginSpan, begun } from "../runtime/tracing.ts";
import { tidyMemory } from "../upkeep/tidy.ts";
import { showLate } from "../journal/pages.ts";
import { leaveFiles } from "../journal/uses.ts";
import {
  type BeginOptions,
  type FoldOptions,
  type Stats,
  type Tidemark,
} from "../options/types.ts";
import { toolsFor } from "./tools.ts";

/** ms `close` waits for work under way; what is not done by then is taken up at the next start. */
const DRAIN_MS = 5_000;
const IDLE_MS = 60_000;

/** Concurrent calls share one promise. */
async function once({ process }: Core, work: () => Promise<void>): Promise<void> {
  return (process.closing ??= work().finally(() => (process.closing = undefined)));
}

/** One identity's view of an open workspace. */
export function createFacade(
  house: House,
  { identity, label }: { identity: Identity; label?: string },
): Tidemark {
  const { core, works, directory } = house;
  const whoIs = (): Promise<Who> => directory(identity, label);
  const open = async (options?: { pages?: boolean }): Promise<Who> => {
    if (core.closed) throw new TidemarkError("closed", "This Tidemark was closed; open a new one.");
    return directory(identity, label, options);
  };
  const start = async (request: ProviderRequest, options: AdapterOptions) => {
    if (core.closed)
      throw new TidemarkError(
        "closed",
        "This Tidemark was closed; open a new one before the next call.",
      );
    return core.spans.run(beginSpan(isDict(request) ? request.model : undefined), async (tell) => {
      const turn = await begin(core, await directory.atOnce(identity, label), {
        request,
        options: label === undefined ? options : { conversation: label, ...options },
        works,
      });
      tell(() => begun(turn));
      return turn;
    });
  };

  const tidemark: Tidemark = {
    ...atBorder(core, "", {
      // What comes back has the form that was given; only a dialect looks inside.
      begin: ((request: ProviderRequest, options: BeginOptions = {}) =>
        start(request, options)) as unknown as Tidemark["begin"],
      fold: async (which?: Parameters<Tidemark["fold"]>[0], options?: FoldOptions) =>
        foldNow(house, await open(), which as Parameters<typeof foldNow>[2], options),
      ...pinApi(core, open),
    }),
    as: (given) => {
      try {
        if (!isDict(given))
          throw new TidemarkError(
            "config",
            `as() takes an identity such as { user }, got ${shown(given)}.`,
          );
        checkKeys("as", [given]);
        const { conversation, ...other } = given;
        const next = checkIdentity({ ...identity, ...checkIdentity(other) });
        checkLabel(conversation);
        const name = conversation ?? label;
        return createFacade(house, {
          identity: next,
          ...defined({ label: name }),
        });
      } catch (thrown) {
        throw refusal("as", thrown);
      }
    },
    memory: memoryApi(core, open),
    history: historyApi(house, open),
    workspace: workspaceApi(core),
    tools: (options) => toolsFor(core, open, options),
    tidy: async () => {
      const who = await open();
      const report = {
        expired: await tidyMemory(core, who.scopes),
        caughtUp:
          (await held(workOff(core, who, { due: false }))) + (await held(readNow(core, who))),
      };
      const backup = core.off ? undefined : backUp({ ...core, root: core.files });
      return { ...report, ...defined({ backup }) };
    },
    stats: async (): Promise<Stats> => {
      const who = await open();
      const sessions = await core.history.sessions(who.root);
      return {
        conversations: sessions.length,
        messages: await core.history.messages(who.root),
        folds: sessions.reduce((sum, { folds }) => sum + folds, 0),
        memories: (await core.store.counts(who.scopes, core.now())).memories,
        session: { ...core.counted(who.root) },
        queued: (await core.history.jobs(who.root, Number.MAX_SAFE_INTEGER)).length,
        ledger: await readLedger(core, who, sessions),
      };
    },
    idle: async () => {
      works.startAll();
      await core.background.settle(IDLE_MS);
      await showLate(core);
    },
    close: () =>
      once(core, async () => {
        if (core.closed) return;
        core.embedding?.halt();
        core.idle.stop();
        core.rests.stop();
        core.breaks.stop();
        const until = performance.now() + DRAIN_MS;
        await core.background.settle(DRAIN_MS);
        const stop = (): void => {
          works.stop();
          stopSigning(core);
          stopQueue(core);
          stopReading(core);
        };
        stop();
        try {
          await held(flushAtClose(core, await whoIs(), Math.max(0, until - performance.now())));
          if (!core.off) await noteEarlier(core, await whoIs());
          await queueAtClose(core);
          if (core.expecting !== undefined && !core.sawCall)
            core.emit({ type: "passed", reason: core.expecting });
          core.closed = true;
          core.embedding?.meaning.stop();
          await showLate(core);
          await leaveFiles(core);
          await core.embedded?.flush();
        } finally {
          core.closed = true;
          // What turns have started since ends with the rest.
          stop();
          // A file left open stands in the way of mending it.
          await core.store
            .close()
            .finally(() => core.history.close())
            .finally(core.releaseLock);
        }
      }),
  };
  expose(tidemark, {
    begin: (request, options) => underWay(core, start(request, options)),
    asSent: async (request, options) => {
      const call = openCall(core, await whoIs(), { request, options });
      const known = await core.sessions.knows(placing(call));
      return known ? (await underWay(core, start(request, options))).request : request;
    },
    passed: (reason) => core.emit({ type: "passed", reason }),
    notice: (about, text) => core.emit({ type: "notice", about, text }),
    off: core.off,
    closed: () => core.closed,
    windowTokens: core.options.window?.tokens,
    models: core.options.advanced?.models,
    thinking: core.options.advanced?.thinking,
    distilModel: typeof core.options.distil === "object" ? core.options.distil.model : undefined,
    expectCalls: (reason) => void (core.expecting ??= reason),
    sawCall: () => void (core.sawCall = true),
  });
  return tidemark;
}
