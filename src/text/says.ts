import { contentWords } from "./content-words.ts";
import { bareWords } from "./speaker.ts";

/** Does any of the lines hold at least so large a share of a point's words? */
export function saying(lines: readonly string[], share: number): (point: string) => boolean {
  const held = lines.map((line) => new Set(contentWords(line)));
  return (point) => {
    const wanted = [...new Set(contentWords(bareWords(point)))];
    if (wanted.length === 0) return false;
    return held.some(
      (words) =>
        wanted.reduce((sum, word) => sum + (words.has(word) ? 1 : 0), 0) >= wanted.length * share,
    );
  };
}
