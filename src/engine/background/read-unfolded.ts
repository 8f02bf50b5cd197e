import { telling } from "../../model/errors.ts";
import { settled } from "../journal/watermark.ts";
import { persist, persistNotes } from "../journal/receipt.ts";
import { within } from "../runtime/background.ts";
import type { Who } from "../session/core.ts";
import type { CatchUp } from "./catch-up.ts";
import type { Rests } from "./short-session-queue.ts";
import { factsByModel, factsByQuoting, type Reading, tellRead } from "./short-session-read.ts";

export type Unfolded = Reading & { readonly rests: Rests; readonly catchUp: CatchUp };

/** Conversations looked back on at once; more are left for the next time. */
const SESSIONS = 20;
/** Messages of one conversation read at once. */
const MESSAGES = 400;

/**
 * Facts of conversations that ended below the marks, taken without a model: the next session knows
 * what the last one said though no call was spent on it. Each message is read for this once; the
 * watermark of the model's distilling stays.
 */
export async function noteEarlier(core: Unfolded, who: Who, except?: string): Promise<void> {
  if (core.observes) return;
  const asked = { root: who.root, unnoted: true, limit: SESSIONS + 1 } as const;
  const sessions = (await core.history.sessions(asked)).filter(({ id }) => id !== except);
  for (const { id } of sessions.slice(0, SESSIONS))
    await note(core, who, id).catch(telling(core.emit, "notes"));
}

async function note(core: Unfolded, who: Who, id: string): Promise<void> {
  const found = await settled(core, id);
  if (found === undefined) return;
  const { session, entries } = found;
  const from = Math.max(session.noted, session.watermark);
  const to = Math.min(entries.length, from + MESSAGES);
  if (from >= to) return;
  const facts = await factsByQuoting(core, who, session, { from, to });
  await persistNotes(core, who, { of: found, from, to, facts });
  await core.rests.queueLeft(who, session);
}

/**
 * Reads conversations that were not distilled with the model, where the host wants that at the
 * close, and for at most `ms`. Whatever it does not reach is quoted and queued as ever.
 */
export async function readAtClose(core: Unfolded, who: Who, ms: number): Promise<void> {
  if (core.distil.atClose !== "model" || core.models.completeFor(who) === undefined) return;
  const abort = new AbortController();
  const open = (await core.history.sessions({ root: who.root })).filter(
    ({ watermark, noted, length }) => Math.max(watermark, noted) < length,
  );
  const all = Promise.allSettled(
    open.slice(0, SESSIONS).map(({ id }) => readWhole(core, who, id, abort.signal)),
  );
  await within(all, ms);
  abort.abort();
  await all;
}

/** An imported conversation is read by rules at once, where there is a model by it behind. */
export async function learnFrom(core: Unfolded, who: Who, id: string): Promise<void> {
  if (core.observes) return;
  // For whichever process has a model.
  await core.rests.queue(id);
  if (core.models.asksAtRest(who)) core.background.run(readAll(core, who, id));
  else await note(core, who, id).catch(telling(core.emit, "notes"));
}

async function readAll({ rests, catchUp }: Unfolded, who: Who, id: string): Promise<void> {
  while ((await rests.read(who)) > 0);
  await catchUp.workOff(who, { of: ({ session }) => session === id });
}

async function readWhole(core: Reading, who: Who, id: string, stopped: AbortSignal): Promise<void> {
  const started = core.now();
  const of = await settled(core, id);
  if (of === undefined || of.session.watermark >= of.entries.length) return;
  const range = { from: of.session.watermark, to: of.entries.length };
  const read = await factsByModel(core, of.session, { ...range, stopped });
  stopped.throwIfAborted();
  const receipt = await persist(core, who, { of, ...range, ...read });
  if (receipt !== undefined) tellRead(core, id, { ...read, facts: receipt.facts, started });
}
