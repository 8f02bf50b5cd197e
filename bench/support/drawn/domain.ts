// What a domain lends to the forms: words its people use.
/** A text, and the word of it that any faithful wording holds. */
type Word = readonly [text: string, key: string];

export interface Domain {
  readonly craft: string;
  /** Behind "since I started". */
  readonly began: Word;
  /** Work that somebody wishes for: in general, and for whom. */
  readonly trade: Word;
  readonly folk: Word;
  readonly seeks: Word;
  readonly keepsake: string;
  readonly crew: string;
  readonly role: string;
  readonly gear: Word;
  readonly prize: Word;
  /** Behind "a group that". */
  readonly charity: Word;
  readonly orders: string;
  readonly better: Word;
  readonly part: string;
  readonly file: string;
  readonly units: readonly [right: string, wrong: string];
  readonly input: string;
  readonly program: readonly [name: string, setting: string, value: string];
  /** What was made by itself, what it holds and who cannot read it. */
  readonly trap: readonly [made: string, holds: string, who: string];
  readonly work: string;
  readonly tools: readonly [string, string, string];
  readonly check: string;
}
