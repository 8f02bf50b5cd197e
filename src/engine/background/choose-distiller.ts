import { metered, type Metering } from "../accounting/metered-call.ts";
import { capabilitiesOf } from "../../dialect/models/capabilities.ts";
import type { Distiller } from "../../distil/task/distiller.ts";
import { extractive } from "../../distil/extract/extractive.ts";
import { modelDistiller } from "../../distil/model.ts";
import type { Complete, ReportedUsage } from "../../model/ports.ts";
import type { Core, Who } from "../session/core.ts";
import { newMark } from "../runtime/own-calls.ts";
import type { WindowRoom } from "../session/window-size.ts";
import { chunkTokens, replyTokens } from "./warm-prefix.ts";

const NO_MODEL =
  "No model is there to distil, so sentences are picked by rules. Give distil a function " +
  'or use the middleware; distil: "extractive" says that it is meant.';

/** Rules in a model's place may be meant; where they are not, they should not go unnoticed. */
export function sayNoModel({ options, notice }: Core): void {
  if (options.distil !== "extractive") notice.sayAnew("no-model", NO_MODEL);
}

/** The model to ask, if any: the host's function, else the wrapped client. */
export function completeFor(
  core: Core,
  { who, complete }: { who: Pick<Who, "root">; complete?: Complete },
): Complete<ReportedUsage> | undefined {
  const { distil } = core.options;
  if (distil === "extractive") return undefined;
  const given = typeof distil === "function" ? distil : distil?.complete;
  // The form that the host's client wants is the one its requests have.
  return (
    (given as unknown as Complete<ReportedUsage> | undefined) ??
    complete ??
    core.clients.get(who.root)
  );
}

/** Is a model asked about conversations that ended below the marks, when they have come to rest? */
export const asksAtRest = (core: Core, who: Pick<Who, "root">): boolean =>
  !core.closed && !core.observes && completeFor(core, { who }) !== undefined;

/**
 * A model of the host's choosing has a window of its own; where it is not known, the conversation's
 * is taken for it.
 */
export function windowFor({ options, distil, windows }: Core, window: number): number {
  const named = distil.model;
  if (named === undefined) return window;
  const known = capabilitiesOf(named, options.advanced?.models);
  return Math.min(
    window,
    windows.get(named) ?? (known.windowBy === "guess" ? window : known.window),
  );
}

export function distillerFor(
  core: Core,
  {
    complete,
    window: conversations,
    limit,
    ...about
  }: { complete: Complete<ReportedUsage> | undefined } & Metering & WindowRoom,
): Distiller {
  if (!complete) return extractive;
  const room = { window: windowFor(core, conversations), limit };
  return modelDistiller({
    complete: metered(core, complete, about),
    newMark,
    chunkTokens: chunkTokens(room),
    maxTokens: replyTokens(room),
    window: room.window,
    instructions: core.distil.instructions,
  });
}
