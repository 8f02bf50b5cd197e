import { createSerial } from "../../history/serial.ts";
import { breathe } from "../../model/breath.ts";
import { type FoldPlan } from "../../window/plan.ts";
import { upToDate } from "../behind/newest.ts";
import { type Works } from "../behind/works.ts";
import { type Sight } from "../sight.ts";
import { type Outlook, planAt } from "./fold-plan.ts";
import { foresee } from "./foresee.ts";
import { quote, type Quoted } from "./without-model.ts";

/** A fold at the brim as far as it can be made while a turn still waits for its summary: nothing of it is written. */
export interface Rehearsed {
  readonly outlook: Outlook;
  readonly plan: FoldPlan;
  readonly quoted?: Quoted;
}

/** One at a time, whoever waits: to read a history takes milliseconds in which nothing else goes on. */
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
