import { pastTurns } from "../../memory/turns/past.ts";
import { type TurnRow } from "../../model/turns.ts";
import { type SaidBefore } from "../../prompt/recalled.ts";
import { type Sight } from "../session/outgoing.ts";
import { excerpt } from "./excerpt.ts";
import { indexTurns } from "./turn-index.ts";

/** Turns looked at; the tokens decide how many of them are shown. */
const TURNS = 40;
/** Characters of one: some 120 tokens. */
const TURN_CHARACTERS = 480;

/** What was said on the words of a turn, if they ask of the past: out of sight or in other conversations, best first. */
export async function saidBefore(
  { call: { core, who }, placed, view }: Sight,
  words: string,
): Promise<SaidBefore[]> {
  await indexTurns(core);
  const here = placed.session.id;
  const from = placed.positions.slice(view.replaced).find((position) => position >= 0) ?? 0;
  // All of this conversation is in view until a fold: it would only weigh on what is brought.
  const besides = from === 0 ? here : undefined;
  const standing = ({ session, position }: TurnRow): boolean =>
    session === here && position >= from;
  const past = await pastTurns(core.store.turns, words, {
    root: who.root,
    limit: TURNS,
    besides,
    standing,
  });
  return (past?.turns ?? []).map(({ row: { text, role, name, at, session } }) => {
    const content = excerpt(text, past?.terms ?? new Set(), TURN_CHARACTERS);
    const place = session === here ? "earlier here" : `whole in conversation ${session}`;
    const isCut = text.length > TURN_CHARACTERS;
    return { content, role, name, at, place: session === here || isCut ? place : undefined };
  });
}
