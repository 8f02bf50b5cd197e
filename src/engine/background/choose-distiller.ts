import { lru } from "../../base/cache.ts";
import { metered, type Metering } from "../accounting/metered-call.ts";
import { capabilitiesOf } from "../../dialect/models/capabilities.ts";
import type { Distiller } from "../../distil/task/distiller.ts";
import { extractive } from "../../distil/extract/extractive.ts";
import { modelDistiller } from "../../distil/model.ts";
import type { Complete, ReportedUsage } from "../../model/ports.ts";
import { createSlots } from "../runtime/background.ts";
import { createBudget } from "../runtime/budget.ts";
import { newMark } from "../runtime/own-calls.ts";
import type { Weighing, Who, Ports } from "../session/core.ts";
import type { WindowRoom } from "../session/window-size.ts";
import { chunkTokens, replyTokens } from "./warm-prefix.ts";

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

/** The models that are asked behind the conversations, bounded all sessions together. */
export function createModels(core: Ports & Weighing) {
  const { options, distil, notice, windows, now, emit } = core;
  /**
   * The client an adapter wraps, last seen of each identity, by its root: lets queued work be done
   * between calls, under the key of the identity it is owed to.
   */
  const clients = lru<string, Complete>(CLIENTS);
  const slots = createSlots(DISTILLINGS);
  const budget = createBudget({ now, emit, tokens: options.advanced?.budget });

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

  return {
    met: (root: string, client: Complete): void => clients.set(root, client),
    completeFor,
    windowFor,
    /**
     * Is a model asked about conversations that ended below the marks, when they have come to rest?
     */
    asksAtRest: (who: Pick<Who, "root">): boolean =>
      !core.closed && !core.observes && completeFor(who) !== undefined,
    /** Rules in a model's place may be meant; where they are not, they do not go unnoticed. */
    sayNone(): void {
      if (options.distil !== "extractive") notice.sayAnew("no-model", NO_MODEL);
    },
    asking,
    distillerFor(complete: Told | undefined, about: Metering & WindowRoom): Distiller {
      if (!complete) return extractive;
      const room = { window: windowFor(about.window), limit: about.limit };
      return modelDistiller({
        complete: asking(complete, about),
        newMark,
        chunkTokens: chunkTokens(room),
        maxTokens: replyTokens(room),
        window: room.window,
        instructions: distil.instructions,
      });
    },
    inTurn: slots.run,
  };
}

export type Models = ReturnType<typeof createModels>;
