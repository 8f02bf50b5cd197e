import type { Recalled } from "../../model/history.ts";
import type { Memory } from "../../model/memory.ts";
import { recalledAt, standingIn } from "../../prompt/recalled.ts";
import { firstInView, foldIn, type Outgoing } from "../session/outgoing.ts";
import { newTurn } from "./recall-question.ts";

/** What goes beside a message of the conversation. */
export const besideAt = (placed: Outgoing["placed"], index: number): Recalled | undefined =>
  recalledAt({ ...placed, recalled: placed.session.state.recalled }, index);

interface View {
  /** Is this in the request already: in the sections, the fold's message or an earlier recall? */
  readonly standing: (said: Pick<Memory, "content">) => boolean;
  /** Or, of a memory, as the messages it was learnt from? */
  readonly told: (memory: Memory) => boolean;
}

/** What the model has before it, so that it is told nothing twice. */
export async function inView(outgoing: Outgoing): Promise<View> {
  const { call, placed, view } = outgoing;
  const { state, id } = placed.session;
  const recalled = view.recalls.flatMap((index) => besideAt(placed, index) ?? []);
  const texts = [
    state.frozen?.text ?? "",
    foldIn(placed)?.text ?? "",
    ...recalled.filter(({ as }) => as !== "cleared").map(({ text }) => text),
  ];
  const last = newTurn(call);
  const said = call.conversation[last];
  const standing = standingIn([...texts, said === undefined ? "" : call.dialect.text(said)]);
  const from = firstInView(outgoing);
  const learnt = await call.core.history.learnt(id, from, placed.entries.length);
  const told = new Set(learnt.filter(({ first }) => first >= from).map(({ memory }) => memory));
  return { standing, told: (memory) => told.has(memory.id) || standing(memory) };
}
