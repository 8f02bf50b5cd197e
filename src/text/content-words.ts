import { bareWords } from "./sentences.ts";
import { isStopword } from "./terms.ts";

const WORD =
  /[\p{Script=Latin}\p{N}]+(?:['’_.-][\p{Script=Latin}\p{N}]+)*|[\p{Script=Han}]+|[\p{L}]+/gu;

/**
 * The words a text is about, lower case, in order: stop words left out, Chinese as overlapping
 * pairs of characters.
 */
export function contentWords(text: string): string[] {
  const words: string[] = [];
  // `match` makes one string a word; an iterator makes an object of each, ten times the garbage on
  // a long history.
  for (const match of text.match(WORD) ?? []) {
    if (match.length > 80) continue;
    if (/^\p{Script=Han}/u.test(match)) {
      if (match.length === 1 && !isStopword(match)) words.push(match);
      for (let at = 0; at + 2 <= match.length; at += 1) {
        const pair = match.slice(at, at + 2);
        if (!isStopword(pair) && !(isStopword(pair[0] ?? "") && isStopword(pair[1] ?? "")))
          words.push(pair);
      }
      continue;
    }
    const lower = match.toLowerCase();
    const word = /['’]/.test(lower) ? lower.replace(/’/g, "'").replace(/'s$/, "") : lower;
    if (word.length > 1 && !isStopword(word)) words.push(word);
  }
  return words;
}

/** Does any of the lines hold at least so large a share of a point's words? */
export function saying(lines: readonly string[], share: number): (point: string) => boolean {
  const held = lines.map((line) => new Set(contentWords(line)));
  return (point) => {
    const wanted = new Set(contentWords(bareWords(point)));
    return (
      wanted.size > 0 &&
      held.some((words) => wanted.intersection(words).size >= wanted.size * share)
    );
  };
}
