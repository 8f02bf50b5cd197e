import { defined } from "../../base/guards.ts";
import { troubleOf, reasonOf } from "../../model/errors.ts";
import { factsByQuoting, factsByModel } from "./rest-read.ts";

import { queuedNotice } from "../journal/owed.ts";
import { type Session } from "../../model/history.ts";
import { type Core, type Who } from "../session/context.ts";
import { completeFor } from "./task.ts";
import { queueLeft } from "./at-rest.ts";
import { persist, persistNotes } from "../journal/receipt.ts";
import { settled } from "../journal/watermark.ts";
import { injectedText } from "../../prompt/recalled.ts";
import { refusedFor } from "../../distil/check/gate.ts";
import { within } from "../runtime/background.ts";
import { distilOptions } from "../options/options.ts";

/** Conversations looked back on at once; more are left for the next time. */
const SESSIONS = 20;
/** Messages of one conversation read at once. */
const MESSAGES = 400;

/**
 * Facts of conversations that ended below the marks, taken without a model: the next session knows what the last one said
 * though no call was spent on it. Each message is read for this once; the watermark of the model's distilling stays, but where
 * the model was due: then what it was to say is queued.
 */
export async function noteEarlier(core: Core, who: Who, except?: string): Promise<void> {
  if (core.off || core.options.mode === "observe") return;
  const sessions = (await core.history.unnoted(who.root, SESSIONS + 1)).filter(
    (id) => id !== except,
  );
  for (const session of sessions.slice(0, SESSIONS)) {
    try {
      await note(core, who, session);
    } catch (thrown) {
      core.emit({ type: "degraded", where: "notes", ...troubleOf(thrown) });
    }
  }
}

async function note(core: Core, who: Who, id: string): Promise<void> {
  const found = await settled(core, who, id);
  if (found === undefined) return;
  const session = { ...found.session, length: found.entries.length };
  const from = Math.max(session.noted, session.watermark);
  const to = Math.min(session.length, from + MESSAGES);
  if (from >= to) return;
  const of = { session: session.id, first: from, last: to, chain: found.entries[to - 1]?.chain };
  const facts = await factsByQuoting(core, who, session, { from, to });
  if (wasDue(core, who, session)) {
    const error = "the process ended before the distiller had answered";
    const receipt = await persist(core, who, {
      of: { ...of, first: session.watermark },
      facts,
      injected: injectedText(session.state),
      owed: { from: session.watermark, error, earlier: true },
    });
    return receipt && core.emit(queuedNotice(session.id, to - session.watermark));
  }
  await persistNotes(core, who, { of, facts, injected: injectedText(session.state) });
  await queueLeft(core, who, session);
}

/** ms after which a conversation has ended: a distiller has a minute, a quiet conversation a few. A clock that was set back cannot tell. */
const LEFT = 600_000;

/** Was the model to be asked about this conversation, and the process that was to ask it is gone? */
function wasDue(
  core: Core,
  who: Who,
  { state: { last }, watermark, length, updatedAt }: Session & { length: number },
): boolean {
  const past = last !== undefined && last.used >= core.marks.flush * last.limit;
  return (
    past &&
    completeFor(core, { who }) !== undefined &&
    length - watermark > 2 * core.marks.keepLast &&
    Math.abs(core.now() - updatedAt) > LEFT
  );
}

/** Conversations asked about at a close; those before them are read without a model. */
const CLOSED_AT_ONCE = 20;

/**
 * What the conversations said that was not yet distilled, by the model, where the host wants that and in at most `ms`. What it
 * does not reach is quoted and queued for the next start.
 */
export async function flushAtClose(core: Core, who: Who, ms: number): Promise<void> {
  if (
    distilOptions(core.options).atClose !== "model" ||
    completeFor(core, { who }) === undefined ||
    core.off ||
    core.options.mode === "observe"
  )
    return;
  const abort = new AbortController();
  const open = (await core.history.sessions(who.root)).filter(
    ({ imported, watermark, noted, length }) => !imported && Math.max(watermark, noted) < length,
  );
  const all = Promise.all(
    open.slice(0, CLOSED_AT_ONCE).map((session) => flush(core, who, session, abort.signal)),
  );
  await within(all, ms);
  abort.abort();
  await all;
}

async function flush(core: Core, who: Who, given: Session, stopped: AbortSignal): Promise<void> {
  const started = core.now();
  const found = await settled(core, who, given.id);
  if (
    found === undefined ||
    Math.max(found.session.watermark, found.session.noted) >= found.entries.length
  )
    return;
  const { session, entries } = found;
  const range = { from: session.watermark, to: entries.length };
  const common = {
    of: { session: session.id, first: range.from, last: range.to, chain: entries.at(-1)?.chain },
    injected: session.state.frozen?.text ?? "",
  };
  const messages = range.to - range.from;
  try {
    const read = await factsByModel(core, session, { ...range, stopped });
    const facts = read?.facts ?? [];
    stopped.throwIfAborted();
    const receipt = await persist(core, who, {
      ...common,
      facts,
      ...defined({ by: read === undefined ? undefined : ("model" as const) }),
    });
    if (receipt === undefined) return;
    core.emit({
      type: "distilled",
      session: session.id,
      by: "model",
      facts: receipt.facts,
      ms: core.now() - started,
      ...(read && refusedFor(read)),
    });
    core.emit({ type: "flushed", session: session.id, messages, facts: receipt.facts });
  } catch (thrown) {
    try {
      const error = stopped.aborted
        ? "the close could not wait for the distiller"
        : reasonOf(thrown);
      const receipt = await persist(core, who, {
        ...common,
        facts: await factsByQuoting(core, who, session, range),
        owed: { from: range.from, error },
      });
      if (receipt) core.emit(queuedNotice(session.id, messages));
    } catch (again) {
      core.emit({ type: "degraded", where: "close", ...troubleOf(again) });
    }
  }
}
