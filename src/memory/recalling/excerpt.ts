import { head, oneLine } from "../../core/text/cut.ts";
import { sentences } from "../../core/text/sentences.ts";
import { termSet } from "../../core/text/terms.ts";
import { estimateTokens } from "../../core/tokens/estimate.ts";

/** A word that is asked for says as much as so many others. */
const ASKED = 2;
/**
 * A sentence costs so many tokens beside its own: its share of a line's date, speaker and place.
 */
const AROUND = 6;

/**
 * Of so many sentences, the best by themselves, it is weighed which say something new: a room takes
 * some dozens.
 */
const WEIGHED = 500;

/**
 * What marks headings, items and stress: a gist needs none of it, and it is a tenth of an
 * assistant's text.
 */
const MARKUP = /\*\*|^\s*(?:[#>]+|[*+-])\s+/g;

/** A sentence that may be quoted; `words`: its different words with what each is worth. */
interface ExcerptPart {
  readonly at: number;
  readonly text: string;
  readonly size: number;
  readonly words: readonly (readonly [word: string, worth: number])[];
}

/**
 * The text on one line; of a longer one the sentences that say most for their length, words that
 * are asked for before others and no word twice, in their order, with "…" for the rest.
 */
export function excerpt(text: string, terms: ReadonlySet<string>, characters: number): string {
  const whole = oneLine(text);
  if (whole.length <= characters) return whole;
  const parts = sentences(text).map((sentence, at): ExcerptPart => {
    const said = oneLine(sentence.text);
    return {
      at,
      text: said,
      size: said.length + 2,
      words: [...termSet(said)].map((word) => [word, terms.has(word) ? ASKED : 1]),
    };
  });
  const chosen = choose(parts, characters);
  const first = parts.find(({ words }) => words.some(([word]) => terms.has(word)));
  return chosen.length === 0
    ? `${head(first?.text ?? whole, characters)}…`
    : quoted(chosen, parts.length);
}

/**
 * Of each text of these talks, what is worth quoting within so many tokens together: sentences with
 * words that come up in the talk again and that no other sentence has told. "" for a text of which
 * nothing is quoted.
 */
export function gist(
  talks: readonly { readonly weight: number; readonly texts: readonly string[] }[],
  terms: ReadonlySet<string>,
  { tokens, standing }: { tokens: number; standing: (sentence: string) => boolean },
): string[][] {
  const quotable = talks.map(({ weight, texts }) => {
    const said = texts.map((text) =>
      sentences(text)
        // An earlier question has no answer.
        .filter((sentence) => !sentence.code && !/[?？]$/.test(sentence.text))
        .map((sentence, at) => ({
          at,
          text: oneLine(sentence.text.replace(MARKUP, "")),
          words: termSet(sentence.text),
        })),
    );
    const times = new Map<string, number>();
    for (const { words } of said.flat())
      for (const word of words) times.set(word, (times.get(word) ?? 0) + 1);
    const worth = (word: string): number =>
      weight * Math.log(1 + (times.get(word) ?? 0)) * (terms.has(word) ? ASKED : 1);
    return said.map((parts) =>
      parts.map(({ at, text, words }): ExcerptPart => ({
        at,
        text,
        size: estimateTokens(text) + AROUND,
        words: [...words].map((word) => [word, worth(word)]),
      })),
    );
  });
  const chosen = new Set(choose(quotable.flat(2), tokens, standing));
  return quotable.map((texts) =>
    texts.map((parts) =>
      quoted(
        parts.filter((part) => chosen.has(part)),
        parts.length,
      ),
    ),
  );
}

/**
 * The parts that say most new words for their size, until the room is used; of those that stand
 * elsewhere the words are known.
 */
function choose(
  parts: readonly ExcerptPart[],
  room: number,
  standing: (sentence: string) => boolean = () => false,
): ExcerptPart[] {
  const told = new Set<string>();
  const worthOf = ({ words, size }: ExcerptPart): number =>
    words.reduce((sum, [word, worth]) => (told.has(word) ? sum : sum + worth), 0) / size;
  const waiting = parts
    .map((part) => ({ part, worth: worthOf(part) }))
    .sort((one, other) => other.worth - one.worth)
    .slice(0, WEIGHED);
  const chosen: ExcerptPart[] = [];
  let left = room;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { part } = next;
    // Words that others have told since count no more: a worth only falls.
    const worth = worthOf(part);
    if (part.size > left || worth === 0) continue;
    if (worth < (waiting[0]?.worth ?? 0)) {
      const behind = waiting.findIndex((other) => other.worth <= worth);
      waiting.splice(behind < 0 ? waiting.length : behind, 0, { part, worth });
      continue;
    }
    for (const [word] of part.words) told.add(word);
    if (standing(part.text)) continue;
    chosen.push(part);
    left -= part.size;
  }
  return chosen;
}

/** The sentences in their order, with "…" for what is left out of `all`. */
function quoted(parts: readonly ExcerptPart[], all: number): string {
  if (parts.length === 0) return "";
  let last = -1;
  const inOrder = [...parts].sort((one, other) => one.at - other.at);
  const texts = inOrder.flatMap(({ at, text }) => {
    const gap = at > last + 1 ? ["…", text] : [text];
    last = at;
    return gap;
  });
  return [...texts, ...(last < all - 1 ? ["…"] : [])].join(" ");
}
