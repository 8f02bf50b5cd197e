import { queuedNotice } from "../journal/owed.ts";
import { defined } from "../../base/defined.ts";
import { type Distilled } from "../../distil/task/distiller.ts";
import { abridged, extractive } from "../../distil/extract/extractive.ts";
import { injectedText } from "../../prompt/recalled.ts";
import { completeFor, distil, sayNoModel, taskFor } from "../background/task.ts";
import { upToDate } from "../journal/watermark.ts";
import { type Prepared, type Works } from "../background/work.ts";
import { persist } from "../journal/receipt.ts";
import { type Sight } from "../session/outgoing.ts";
import { createSerial, breathe } from "../../base/async.ts";
import { type FoldPlan } from "../../window/plan.ts";
import { type Outlook, planAt } from "./plan.ts";
import { foresee } from "./outlook.ts";

/** What quoting made of the messages before a cut, and what it was made from. */
interface Quoted {
  readonly of: string;
  readonly result: Distilled;
}

/** From what a quoting at `cut` is made, besides the messages: equal for what would be the same. */
function sourceOf(
  { placed }: Sight,
  works: Works,
  { cut, ready }: { cut: number; ready: Prepared | undefined },
) {
  const session = placed.session.id;
  const upTo = placed.positions[cut] ?? 0;
  const previous =
    ready && ready.upTo < upTo ? { summary: ready.summary, upTo: ready.upTo } : undefined;
  const known = works.heard(session);
  return {
    upTo,
    known,
    ...defined({ previous }),
    of: JSON.stringify([
      upTo,
      placed.entries[upTo - 1]?.chain,
      placed.session.watermark,
      previous ?? null,
      known,
    ]),
  };
}

/** Quotes what stands before `cut`; `sight` knows how far the session is distilled. */
async function quote(sight: Sight, works: Works, cut: number): Promise<Quoted> {
  const { of, ...range } = sourceOf(sight, works, { cut, ready: works.prepared(sight) });
  // All that a model is still asked for need not be read now.
  const asked = completeFor(sight.call.core, sight.call) !== undefined;
  const result = await distil(extractive, async (signal) => {
    const task = await taskFor(sight, { ...range, signal, base: false });
    return asked ? abridged(task) : task;
  });
  return { of, result };
}

/** Summary and receipt for the messages before `cut`: what is at hand, carried on to there by quoting. Undefined: overtaken. */
export async function withoutModel(
  given: Sight,
  works: Works,
  { cut, quoted }: { cut: number; quoted?: Quoted | undefined },
): Promise<Pick<Prepared, "upTo" | "summary" | "receipt"> | undefined> {
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
  // What was quoted while the turn waited holds only if nothing was stored or made ready since.
  const { result } =
    quoted?.of === sourceOf(sight, works, { cut, ready }).of
      ? quoted
      : await quote(sight, works, cut);
  const from = placed.session.watermark;
  const model = completeFor(core, call) !== undefined;
  if (!model) sayNoModel(core);
  const asked = model && from < upTo;
  const receipt = await persist(core, call.who, {
    of: { session, first: from, last: upTo, chain: placed.entries[upTo - 1]?.chain },
    facts: result.facts,
    injected: injectedText(placed.session.state),
    ...defined({
      owed: asked ? { from, error: "the fold could not wait for the distiller" } : undefined,
    }),
  });
  if (receipt === undefined) return undefined;
  core.emit({
    type: "distilled",
    session,
    by: "extractive",
    facts: receipt.facts,
    ms: core.now() - started,
  });
  if (asked) core.emit(queuedNotice(session, upTo - from));
  return { upTo, summary: result.summary ?? "", receipt };
}

/** A fold at the brim as far as it can be made while a turn still waits for its summary: nothing of it is written. */
export interface Rehearsed {
  readonly outlook: Outlook;
  readonly plan: FoldPlan;
  readonly quoted?: Quoted;
}

/** One at a time, however many wait: to read a history takes milliseconds in which nothing else goes on. */
const oneByOne = createSerial();

/** What is made by the time `over` is asked is of use; nothing more is begun then, and nothing waited for. */
export function rehearse(
  sight: Sight,
  works: Works,
): { readonly over: () => Promise<Rehearsed | undefined> } {
  let made: Rehearsed | undefined;
  let ended = false;
  const work = async (): Promise<void> => {
    // Whatever else is due comes first: others begin, and stop waiting, in between.
    await breathe();
    if (ended) return;
    // What masks secrets is loaded with the first text there is to mask.
    const [outlook, now] = await Promise.all([
      foresee(sight),
      upToDate(sight),
      sight.call.core.mask(),
    ]);
    const plan = planAt(sight, outlook, { pressed: true });
    made = { outlook, plan };
    await breathe();
    if (ended || plan.kind !== "fold") return;
    made = { outlook, plan, quoted: await quote(now, works, plan.cut) };
  };
  // Trouble is met again, and told, where the fold itself is made.
  sight.call.core.background.run(oneByOne(work).catch(() => undefined));
  return {
    over: async () => {
      ended = true;
      await breathe();
      return made;
    },
  };
}
