import type { Recalled } from "../../model/history.ts";
import type { Memory } from "../../model/memory.ts";
import { recalledAt, standingIn } from "../../prompt/recalled.ts";
import { firstInView, foldIn, type Outgoing, type PlacedCall } from "../session/outgoing.ts";
import { newTurn } from "./recall-question.ts";

/** What goes beside a message of the conversation. */
export const besideAt = (
  { positions, entries, session }: PlacedCall,
  index: number,
): Recalled | undefined =>
  recalledAt({ positions, entries, recalled: session.state.recalled }, index);

interface View {
  /** Is this in the request already: in the sections, the fold's message or an earlier recall? */
  readonly standing: (said: Pick<Memory, "content">) => boolean;
  /** Or, of a memory, as the messages it was learnt from? */
  readonly told: (memory: Memory) => boolean;
}

/** What the model has before it, so that it is told nothing twice. */
export async function inView(outgoing: Outgoing): Promise<View> {
  const { core, dialect, conversation, session, view } = outgoing;
  const { state, id } = session;
  const recalled = view.recalls.flatMap((index) => besideAt(outgoing, index) ?? []);
  const texts = [
    state.frozen?.text ?? "",
    foldIn(outgoing)?.text ?? "",
    ...recalled.filter(({ as }) => as !== "cleared").map(({ text }) => text),
  ];
  const last = newTurn(outgoing);
  const said = conversation[last];
  const standing = standingIn([...texts, said === undefined ? "" : dialect.text(said)]);
  const from = firstInView(outgoing);
  const learnt = await core.history.learnt(id, from, outgoing.entries.length);
  const told = new Set(learnt.filter(({ first }) => first >= from).map(({ memory }) => memory));
  return { standing, told: (memory) => told.has(memory.id) || standing(memory) };
}
