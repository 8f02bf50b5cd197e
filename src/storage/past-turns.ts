import type { Entry, Session } from "../core/history.ts";
import { digest, head } from "../core/text/cut.ts";
import { contentTerms, terms } from "../core/text/terms.ts";

/** A turn of history as the index holds it. `root` is the identity key whose conversation it is. */
export interface TurnRow {
  readonly id: string;
  readonly session: string;
  readonly root: string;
  readonly position: number;
  readonly role: string;
  readonly name?: string;
  readonly text: string;
  readonly at: number;
  readonly ref?: string;
}

/** How many turns a stretch holds at most: as many bits as a number carries exactly, less a few. */
export const STRETCH = 48;

/**
 * A night between two turns, in ms: what follows is another matter, though the host calls it one
 * conversation.
 */
export const PAUSE = 8 * 3_600_000;

/** From this many later stretches on a turn is long ago. */
export const LATER = 40;

/**
 * Neighbouring turns of one conversation, in order, as the index knows them without reading their
 * texts. A conversation is cut into stretches where it grows longer than STRETCH, or where PAUSE or
 * more passes between two turns.
 */
export interface Stretch {
  readonly number: number;
  /** When its first turn was said. */
  readonly at: number;
  /** Its first turn begins a conversation, or goes on with one after a pause. */
  readonly opens: boolean;
  /** How many stretches of the root began later; counted up to LATER. */
  readonly later: number;
  /** Words of each turn, stop words too. */
  readonly lengths: Uint16Array;
  /** Signs of each turn, as `cuesOf` of tidemark/contracts gives them. */
  readonly cues: Uint16Array;
  /** Which turns hold each term asked for, in the order asked: 2^i stands for the i-th turn. */
  readonly places: readonly number[];
}

/** Names a turn without its text. */
export interface TurnKey {
  readonly stretch: number;
  readonly place: number;
}

/**
 * A word of a turn, how many turns of its root hold it, and whether this one is the first: of the
 * earliest stretch, there the earliest place.
 */
export interface TurnWord {
  readonly term: string;
  readonly holding: number;
  readonly first: boolean;
}

/**
 * A turn as it was found, and its first 100 different words, names of speakers left out. A turn is
 * found by what `turnTerms` of tidemark/contracts gives: the words that say something, and "@"
 * before each word of its speaker's name.
 */
export interface FoundTurn extends TurnRow, TurnKey {
  readonly words?: readonly TurnWord[];
}

/** How common terms are among the turns of a root. */
export interface TurnFrequencies {
  readonly documents: number;
  /** How many turns hold each term asked for, in the order asked. */
  readonly holding: readonly number[];
  /** Counted over all turns. */
  readonly words: number;
  readonly stretches: number;
}

/** Words are found by their digest within one identity and label. */
export const anchorOf = (root: string, label: string | undefined, said: string): string =>
  digest(root, label ?? "", said);

/** A conversation is found by the user's words and by replies that were had here. */
export const entryAnchor = (
  { root, label }: Pick<Session, "root" | "label">,
  { said, role, reply }: Pick<Entry, "said" | "role" | "reply">,
): string | undefined =>
  said !== "" && (reply || role === "user") ? anchorOf(root, label, said) : undefined;

/**
 * A longer turn is a dumped file: 100,000 characters take 20 ms to read. The text itself is kept
 * whole.
 */
const READ_CHARACTERS = 100_000;

/** Lengths are kept in two bytes. */
const LONGEST_TURN = 65_535;

/**
 * A turn is found by these: each term once, those of its speaker's name marked; and how long it is,
 * in words.
 */
export function turnTerms({ name, text }: Pick<TurnRow, "name" | "text">): {
  found: string[];
  length: number;
} {
  const { terms: said, length } = contentTerms(head(text, READ_CHARACTERS));
  const speaker = name === undefined ? [] : terms(name).map((term) => `@${term}`);
  return { found: [...new Set([...said, ...speaker])], length: Math.min(length, LONGEST_TURN) };
}
