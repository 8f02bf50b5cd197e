import { resolve } from "node:path";
import { refusal } from "../agents/public-calls.ts";
import { createTurnSearch } from "../agents/history-api.ts";
import { createModels } from "../compaction/distilling/choose-distiller.ts";
import { createScheduler } from "../compaction/distilling/background-summaries.ts";
import { createRests } from "../compaction/distilling/short-session-queue.ts";
import { createDirectory } from "../compaction/journal/identity-directory.ts";
import { createLog, createPages } from "../compaction/journal/log-and-conversation-pages.ts";
import { settleMade } from "../compaction/journal/proposal-list.ts";
import { createViews, joined, type Views } from "../compaction/journal/views.ts";
import type { Means } from "../conversations/session-cache.ts";
import { createSessions } from "../conversations/sessions.ts";
import { asOurs, type Listen, telling } from "../core/errors-and-events.ts";
import { packageFile } from "../core/installed.ts";
import { type Level, levelOf, LEVELS_NOTE, notedLevels, writesThrough } from "../core/identity.ts";
import type { Embedded, Ports, Weighing } from "../session/ports.ts";
import { type Embedding, tunedEmbedder } from "../session/embedding.ts";
import { createBackground, type Timer, unheldTimer } from "../session/options/background.ts";
import {
  createNotice,
  idMaker,
  openSpans,
  safeTimer,
  teller,
  wholeClock,
} from "../session/options/listeners.ts";
import {
  checkOptions,
  distilOptions,
  meantBy,
  type MeantOptions,
  workspaceRoot,
} from "../session/options/read-options.ts";
import type { Options, Tidemark } from "../session/options/tidemark-api.ts";
import { marksOf } from "../session/options/save-and-fold-marks.ts";
import { createUntold } from "../session/untold.ts";
import { createMeasure, createUnboundNotice, createWindows } from "../session/count-tokens.ts";
import { levelStorage } from "../storage/level-storage.ts";
import { maskedChange } from "../storage/sqlite/masked-messages.ts";
import {
  createLevelWorkspace,
  createRowWorkspace,
  createWorkspace,
  type Workspace,
} from "../workspace/workspace.ts";
import { createClosing } from "./closing.ts";
import { checkStorage, embeddingOf, openStorage, openUnwritten } from "./stores.ts";
import { createFacade, type Engine, type Engines } from "./tidemark.ts";
import { createConsolidating, createMerging, forgetCopies } from "./upkeep/tidy.ts";

/**
 * Opens a workspace, making it if it is not there. Rejects with "config", "workspace", "store" or
 * "history".
 */
export const openTidemark = (options: Options = {}): Promise<Tidemark> => openWith(options);

/**
 * Opens what is there to be looked at: nothing is made, mended, counted or written, in files or in
 * rows, whatever is asked of it. Rejects as `openTidemark` does.
 */
export const openToLook = (options: Options): Promise<Tidemark> =>
  openWith(options, unheldTimer, true);

/** The timer is in a test's hand where it drives the work behind the conversations. */
export async function openWith(
  given: Options,
  timer = unheldTimer,
  look = false,
): Promise<Tidemark> {
  const isOff = process.env.TIDEMARK === "off";
  const meant = meantBy(given);
  const options = isOff ? { ...meant, store: undefined } : meant;
  const ground = groundOf(options, timer, isOff || look);
  const { root, off } = ground;
  const stores = await (look ? openUnwritten : openStorage)(
    options,
    isOff ? undefined : root,
    ground,
  );
  try {
    const embed = await tuned(options, ground);
    const core = await openCore({ ...options, embed }, ground, stores);
    const identity = options.identity ?? {};
    const kept = assembled(core);
    const engines = await levelled(kept, { ...options, embed }, ground);
    const { background, directory, pages, consolidating } = engines.of(identity);
    await directory(identity);
    for (const { embedding } of engines.all) embedding?.start();
    if (!off) kept.background.run(settleMade(core));
    kept.background.run(kept.views.payGently());
    background.run(directory(identity).then(pages.writeLeft));
    background.run(directory(identity).then((who) => consolidating(who, true)));
    return createFacade(engines, { identity, isRoot: true, closed: false });
  } catch (thrown) {
    await stores.storage.close();
    throw asOurs(
      thrown,
      "workspace",
      (reason) => `The workspace ${root ?? "in memory"} could not be opened: ${reason}.`,
    );
  }
}

/** An engine in memory for each level in use: no door needs a check of its own. */
async function levelled(
  kept: Engine & Embedded,
  options: MeantOptions,
  ground: Premises,
): Promise<Engines> {
  const engines = new Map<Level, Engine>();
  const { levels = {} } = options;
  if (options.levels && !ground.off) {
    const text = notedLevels(levels);
    if ((await kept.store.note(LEVELS_NOTE)) !== text)
      await kept.store.commit({ notes: { [LEVELS_NOTE]: text } });
    for (const level of new Set(Object.values(levels)))
      if (level && level !== "persistent")
        engines.set(level, await engineOf(level, kept, options, ground));
  }
  return {
    kept,
    all: [...engines.values(), kept],
    of: (identity) => engines.get(levelOf(levels, identity)) ?? kept,
  };
}

async function engineOf(
  level: Level,
  kept: Engine,
  options: MeantOptions,
  ground: Premises,
): Promise<Engine> {
  const own = await openStorage({}, undefined, ground);
  const storage = levelStorage({
    kept: kept.store,
    own: own.storage,
    through: writesThrough(level),
  });
  const set = { ...options, archive: false, consolidate: { every: "never" } } as const;
  const core = await openCore(
    level === "none" ? { ...set, recall: false } : set,
    ground,
    { ...own, storage, keep: kept.keep },
    { level, over: kept },
  );
  return assembled(core, kept.views);
}

/**
 * The parts that keep a state of their own, each with what it needs of those before. They are laid
 * on one object, since all of them are to see when it is closed.
 */
function assembled(opened: Opened, kept?: Views): Engine & Embedded {
  const views = createViews(opened);
  const viewed = Object.assign(opened, { views: kept ? joined(views, kept) : views });
  const core = Object.assign(viewed, {
    models: createModels(opened),
    log: createLog(opened),
    pages: createPages(opened),
    turns: createTurnSearch(opened),
    directory: createDirectory(viewed),
  });
  const rests = Object.assign(core, { rests: createRests(core), merging: createMerging(core) });
  const scheduler = Object.assign(rests, { scheduler: createScheduler(core) });
  const consolidating = createConsolidating(rests);
  return Object.assign(scheduler, { closing: createClosing(scheduler), consolidating });
}

/** The host's functions and the folder are there before any store is opened. */
function groundOf(options: MeantOptions, timer: Timer, off: boolean) {
  const { emit, now, ears } = checked(options);
  const root = workspaceRoot(options);
  return {
    ...{ root, off, now, emit, ears },
    timer: safeTimer(timer, emit),
  };
}

type Premises = ReturnType<typeof groundOf>;
type OpenedStorage = Awaited<ReturnType<typeof openStorage>>;
/** `closed` is set when it is. */
type Opened = Ports & Weighing & Embedded & { closed: boolean };

async function openCore(
  options: MeantOptions,
  ground: Premises,
  opened: OpenedStorage,
  { level, over }: { level: Level; over?: Engine } = { level: "persistent" },
): Promise<Opened> {
  const { now, emit, ears, timer, off } = ground;
  const { storage, keep, files } = opened;
  const clean: Means["clean"] = keep === "masked" ? maskedChange : undefined;
  const newId = idMaker(now);
  const measure = createMeasure();
  const background = createBackground(telling(emit, "background"));
  const spans = await openSpans();
  const distil = distilOptions(options);
  const embedding = embeddingOf(options, ground, { ...opened, spans, background });
  const workspace = workspaceOf(ground, opened, { embedding, level, over });
  return {
    ...{ store: storage, keep, clean, files },
    ...{ now, emit, ears, timer, off, embedding, options, distil, newId, measure },
    ...{ background, spans },
    ...injecting(options),
    observes: off || options.mode === "observe",
    marks: marksOf(options.window),
    sessions: createSessions({ store: storage, now, newId, weigh: measure.weigh, clean }),
    level,
    workspace,
    untold: createUntold({ options, workspace, now, emit }),
    forgetCopies: (memories) => {
      if (!off) forgetCopies({ files: files ?? over?.files, now, emit }, memories);
    },
    // From the working directory as it is now.
    skills: options.procedures?.skills && resolve(options.procedures.skills),
    notice: createNotice(emit),
    ending: new AbortController(),
    windows: createWindows(emit, options.window),
    tellUnbound: createUnboundNotice(emit),
    closed: false,
  };
}

const injecting = ({ inject = "context" }: MeantOptions) =>
  typeof inject === "object"
    ? ({ inject: "context", strategy: inject } as const)
    : { inject, strategy: undefined };

/** The folder of pages, beside the index of what they say. */
function workspaceOf(
  { root, off, now, emit }: Premises,
  { storage: store, files }: OpenedStorage,
  {
    embedding,
    level,
    over,
  }: { embedding: Embedding | undefined; level: Level; over: Engine | undefined },
): Workspace {
  const templateDir = packageFile("workspace-template");
  const parts = { now, store, templateDir, listen: emit, indexed: embedding?.start };
  if (over)
    return createLevelWorkspace(over.workspace, { ...parts, through: writesThrough(level) });
  return root === undefined || (off && files === undefined)
    ? createRowWorkspace(parts)
    : createWorkspace({ ...parts, root });
}

/** The host's embedder behind the map that tuning has made for it. */
const tuned = async (
  { embed }: Options,
  { root, off, emit }: Premises,
): Promise<Options["embed"]> =>
  embed && root !== undefined && !off ? tunedEmbedder(embed, root, emit) : embed;

/** The options as they can be meant, and what is made of the host's functions first of all. */
function checked(options: MeantOptions) {
  try {
    checkOptions(options);
    checkStorage(options);
    const ears = new Set<Listen>();
    const emit = teller(options, ears);
    return { emit, ears, now: wholeClock(options.now ?? Date.now) };
  } catch (thrown) {
    throw refusal("openTidemark", thrown);
  }
}
