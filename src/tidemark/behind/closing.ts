import { refusedFor } from "../../distil/gate.ts";
import { reasonOf, troubleOf } from "../../model/errors.ts";
import { type Session } from "../../model/history.ts";
import { within } from "../background.ts";
import { type Core, type Who } from "../core.ts";
import { completeFor } from "./distilling.ts";
import { distilOptions } from "../options.ts";
import { persist } from "../keep/persist.ts";
import { factsByModel, factsByQuoting } from "./ranges.ts";
import { settled } from "./settled.ts";

/** Conversations asked about at a close; those before them are read without a model. */
const SESSIONS = 20;

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
    open.slice(0, SESSIONS).map((session) => flush(core, who, session, abort.signal)),
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
      ...(read === undefined ? {} : { by: "model" as const }),
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
      if (receipt) core.emit({ type: "queued", session: session.id, messages });
    } catch (again) {
      core.emit({ type: "degraded", where: "close", ...troubleOf(again) });
    }
  }
}
