import { type Past, pastTurns } from "../../memory/turns/recall-turns.ts";
import type { TurnRow } from "../../model/turns.ts";
import { recalledAt, type SaidBefore, standingIn } from "../../prompt/recalled.ts";
import type { Recalled } from "../../model/history.ts";
import type { Memory } from "../../model/memory.ts";
import { oneLine } from "../../text/cut.ts";
import {
  firstInView,
  foldIn,
  type Outgoing,
  type PlacedCall,
} from "../session/outgoing-request.ts";
import { excerpt, gist } from "./excerpt.ts";
import { newTurn } from "./recall-question.ts";
import type { TurnSearch } from "./turn-index.ts";
import type { Kept } from "../session/core.ts";

export const besideAt = (
  { positions, entries, session }: PlacedCall,
  index: number,
): Recalled | undefined =>
  recalledAt({ positions, entries, recalled: session.state.recalled }, index);

/** Facts the model has before it are not told again. */
export async function inView({ history }: Kept, outgoing: Outgoing) {
  const { dialect, conversation, session, view } = outgoing;
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
  const learnt = await history.learnt({
    ...{ session: id, from },
    to: outgoing.entries.length,
  });
  const told = new Set(learnt.filter(({ first }) => first >= from).map(({ memory }) => memory));
  return {
    /** Is this in the request already: in the sections, the fold's message or an earlier recall? */
    standing,
    /** Or, of a memory, as the messages it was learnt from? */
    told: (memory: Memory): boolean => told.has(memory.id) || standing(memory),
  };
}

/** Characters of one: some 120 tokens. */
const TURN_CHARACTERS = 480;

/**
 * What was said on the words of a turn, if they ask of the past: out of sight or in other
 * conversations, best first.
 */
export async function saidBefore(
  { turns, store }: Kept & { readonly turns: TurnSearch },
  outgoing: Outgoing,
  words: string,
): Promise<Past | undefined> {
  const { who } = outgoing;
  await turns.bringUp();
  const here = outgoing.session.id;
  const from = firstInView(outgoing);
  // All of this conversation is in view until a fold: it would only weigh on what is brought.
  const besides = from === 0 ? here : undefined;
  const standing = ({ session, position }: TurnRow): boolean =>
    session === here && position >= from;
  return pastTurns(store, words, { root: who.root, besides, standing });
}

interface Bounds {
  /** The conversation under way. */
  readonly here: string;
  /** For all lines together. */
  readonly tokens: number;
  readonly standing: (said: Pick<SaidBefore, "content">) => boolean;
}

/**
 * What of it is shown: to a question the turns, to a message the gist of the talks it may go on
 * with.
 */
export function linesOf(
  { terms, form, talks }: Past,
  { here, tokens, standing }: Bounds,
): SaidBefore[] {
  const contents =
    form === "message"
      ? gist(
          talks.map(({ weight, rows }) => ({ weight, texts: rows.map(({ text }) => text) })),
          terms,
          { tokens, standing: (content) => standing({ content }) },
        )
      : talks.map(({ rows }) => rows.map(({ text }) => excerpt(text, terms, TURN_CHARACTERS)));
  return talks.flatMap(({ rows }, talk) =>
    rows.flatMap(({ text, role, name, at, session, position }, turn): SaidBefore[] => {
      const content = contents[talk]?.[turn] ?? "";
      if (content === "" || standing({ content })) return [];
      const isCut = content !== oneLine(text);
      const place = session === here ? "earlier here" : `whole in conversation ${session}`;
      return [
        {
          content,
          role,
          name,
          at,
          session,
          position,
          place: session === here || isCut ? place : undefined,
        },
      ];
    }),
  );
}
