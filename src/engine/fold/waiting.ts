import { type Works } from "../background/work.ts";
import { type Sight } from "../session/outgoing.ts";
import { rehearse, type Rehearsed } from "./without-model.ts";

/** Why a request must shrink. */
export type Urgency = "mark" | "brim" | "overflow" | "manual";

const WAITS: Readonly<Record<Urgency, string>> = {
  mark: "no summary was ready at the compact mark",
  brim: "the request is at the brim and no summary was ready",
  overflow: "the provider refused the request for its size and no summary was ready",
  manual: "a fold was asked for",
};

/**
 * A person who asks for a fold has more patience than a turn. A turn that cannot go on without one makes it ready meanwhile: what
 * can be done of it without a summary, and without writing anything, is not left for the time behind the wait. Undefined:
 * there was nothing to wait for.
 */
export async function waitFor(
  sight: Sight,
  works: Works,
  { urgency, rehearses }: { urgency: Urgency; rehearses: boolean },
): Promise<{ readonly rehearsed?: Rehearsed } | undefined> {
  const { core, patience } = sight.call;
  const { id } = sight.placed.session;
  const most = patience.left();
  const work = most > 0 ? works.awaited(id, { again: urgency !== "mark" }) : undefined;
  if (work === undefined) return undefined;
  const rehearsal = rehearses ? rehearse(sight, works) : undefined;
  const { ms } = rehearsal
    ? await core.process.endings.among({ since: patience.since, most }, (stop) =>
        patience.wait(work, most, stop),
      )
    : await patience.wait(work, most);
  core.emit({
    type: "notice",
    about: "waited",
    text: WAITS[urgency],
    session: id,
    ms: Math.round(ms),
  });
  const rehearsed = await rehearsal?.over();
  return rehearsed ? { rehearsed } : {};
}
