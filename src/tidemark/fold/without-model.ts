import { extractive } from "../../distil/extractive.ts";
import { injectedText } from "../../prompt/recalled.ts";
import { completeFor, distil, taskFor } from "../behind/distilling.ts";
import { persist } from "../keep/persist.ts";
import { type Sight } from "../sight.ts";
import { type Prepared, upToDate, type Works } from "../behind/works.ts";

/** Summary and receipt for the messages before `cut`: what is at hand, carried on to there by quoting. Undefined: overtaken. */
export async function withoutModel(given: Sight, works: Works, cut: number): Promise<Pick<Prepared, "upTo" | "summary" | "receipt"> | undefined> {
  const { call } = given;
  const { core } = call;
  const session = given.placed.session.id;
  const upTo = given.placed.positions[cut] ?? 0;
  // What the model is still at goes to the queue whole: it must not be saved from both ends.
  await works.halt(session);
  const ready = works.prepared(given);
  if (ready?.upTo === upTo) return ready;
  const started = core.now();
  const sight = await upToDate(given);
  const { placed } = sight;
  const previous = ready && ready.upTo < upTo ? { summary: ready.summary, upTo: ready.upTo } : undefined;
  const result = await distil(core, extractive, (signal) => taskFor(sight, { upTo, signal, base: false, known: works.heard(session), ...(previous ? { previous } : {}) }));
  const from = placed.session.watermark;
  const asked = completeFor(core, call) !== undefined && from < upTo;
  const receipt = await persist(core, call.who, {
    of: { session, first: from, last: upTo, chain: placed.entries[upTo - 1]?.chain },
    facts: result.facts,
    injected: injectedText(placed.session.state),
    ...(asked ? { owed: { from, error: "the fold could not wait for the distiller" } } : {}),
  });
  if (receipt === undefined) return undefined;
  core.emit({ type: "distilled", session, by: "extractive", facts: receipt.facts, ms: core.now() - started });
  if (asked) core.emit({ type: "queued", session, messages: upTo - from });
  return { upTo, summary: result.summary ?? "", receipt };
}
