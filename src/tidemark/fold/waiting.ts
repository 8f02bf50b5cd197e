import { type Sight } from "../sight.ts";
import { type Works } from "../behind/works.ts";

/** Why a request must shrink. */
export type Urgency = "mark" | "brim" | "overflow" | "manual";

const WAITS: Readonly<Record<Urgency, string>> = {
  mark: "no summary was ready at the compact mark",
  brim: "the request is at the brim and no summary was ready",
  overflow: "the provider refused the request for its size and no summary was ready",
  manual: "a fold was asked for",
};

/** A person who asks for a fold has more patience than a turn. */
export async function waitFor({ call: { core, patience }, placed: { session } }: Sight, works: Works, urgency: Urgency): Promise<void> {
  const most = patience.left();
  const work = most > 0 ? works.awaited(session.id, { again: urgency !== "mark" }) : undefined;
  if (work === undefined) return;
  const { ms } = await patience.wait(work, most);
  core.emit({ type: "waited", session: session.id, ms: Math.round(ms), why: WAITS[urgency] });
}
