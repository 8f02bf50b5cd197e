import type { PlaceInput } from "../../history/read-messages.ts";
import type { Placed } from "../../history/sessions.ts";
import type { Job } from "../../model/history.ts";
import { TO_NOTHING } from "../../prompt/binding.ts";
import { completeFor } from "./choose-distiller.ts";
import { persistNotes } from "../journal/receipt.ts";
import { factsByQuoting } from "./short-session-read.ts";
import type { Call } from "../session/core.ts";
import type { PlacedCall } from "../session/outgoing-request.ts";

/** The request laid on its conversation, as that stands now; its new messages are archived. */
export async function place(call: Call): Promise<PlacedCall> {
  const { core } = call;
  const placed = await core.sessions.place(placing(call));
  for (const job of placed.owed ?? []) {
    core.process.queued.add(job.id);
    if (completeFor(core, call) === undefined) core.background.run(quoted(call, placed, job));
  }
  return { ...call, ...placed };
}

export function placing({
  core,
  who,
  dialect,
  request,
  preamble,
  conversation,
  binds,
}: Call): PlaceInput {
  const before = core.binding.before(dialect, request);
  return {
    dialect,
    messages: conversation,
    root: who.root,
    label: who.label,
    prefixBefore: (index) => (binds ? before(preamble + index) : TO_NOTHING),
  };
}

/** Without a model, the facts owed of a message that changed are quoted from it. */
async function quoted({ core, who }: Call, of: Placed, { id, from, to }: Job): Promise<void> {
  const facts = await factsByQuoting(core, who, of.session, { from, to });
  await persistNotes(core, who, { of, from, to, facts, job: id });
}
