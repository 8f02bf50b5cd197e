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

/** How common terms are among the turns of a root. */
export interface TurnFrequencies {
  readonly documents: number;
  /** How many turns hold each term asked for, in the order asked. */
  readonly holding: readonly number[];
  /** Counted over all turns. */
  readonly words: number;
  readonly stretches: number;
}

/**
 * Searchable turns: a copy of history that may be deleted and built anew. A turn is found by what
 * `turnTerms` of tidemark/contracts gives: the words that say something, and "@" before each word
 * of its speaker's name.
 */
export interface TurnIndex {
  /** All or none, the cursor with them. The same root and id again replaces the row. */
  add(rows: readonly TurnRow[], cursor?: number): Promise<void>;
  /** `besides`: a session whose turns hold nothing here; the other counts take them in. */
  frequencies(root: string, terms: readonly string[], besides?: string): Promise<TurnFrequencies>;
  /** Words of turns that begin so, most used first. */
  beginning(query: {
    readonly root: string;
    readonly start: string;
    readonly limit: number;
  }): Promise<readonly { readonly term: string; readonly holding: number }[]>;
  /**
   * Stretches that hold any of the terms, greatest sum of weights first, then by number. A term
   * that n turns hold counts 2n / (n + 1) times its weight; one of weight 0 is not looked for, only
   * shown where it stands. `besides`: a session that is left out.
   */
  stretches(query: {
    readonly root: string;
    readonly terms: readonly { readonly term: string; readonly weight: number }[];
    readonly limit: number;
    readonly besides?: string;
  }): Promise<Stretch[]>;
  /**
   * The first 100 different words of each of these turns, in the order asked; names of speakers
   * left out.
   */
  wordsOf(root: string, keys: readonly TurnKey[]): Promise<readonly (readonly TurnWord[])[]>;
  /** In the order asked; what is gone is left out. */
  turns(root: string, keys: readonly TurnKey[]): Promise<TurnRow[]>;
  /** Turns that hold the text as it stands, letter case aside, first said first. */
  containing(query: {
    readonly root: string;
    readonly text: string;
    readonly limit: number;
  }): Promise<TurnRow[]>;
  /** Takes the turns of these sessions for good. How many went. */
  remove(sessions: readonly string[]): Promise<number>;
  /** Each root that has turns, those whose latest stretch began last first. */
  roots(): Promise<readonly string[]>;
  /** How far history has been indexed, as the last `add` said; 0 at first. */
  cursor(): Promise<number>;
}
