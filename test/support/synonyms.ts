import type { Embedder } from "../../src/model/ports.ts";
import { isStopword } from "../../src/text/terms.ts";
import { fold } from "../../src/text/terms.ts";
import { chance } from "./vectors.ts";

const WIDTH = 256;
/** Words, and forms of them, that mean the same. */
export const SYNONYMS = (
  "owns has|named called|begins starts|began started|course class|acquired bought purchased|likes enjoys|forest woods|doctor physician|manager boss|deletes removes erases|allows permits|shop store|package parcel|fears dreads afraid|" +
  "repaired fixed mended|moved shifted|large big|speaks talks|firm company|flat apartment|small tiny|quit stopped|operation surgery|hard difficult|husband spouse|guard sentry|keeps stores|argued quarrelled|caretaker janitor|job task|" +
  "attended went|excited awaits|finds considers|sofa couch|car automobile|kitten pussycat|child kid|lawyer attorney|rock stone|cook chef|happy glad|gift present|sick ill"
)
  .split("|")
  .map((words) => words.split(" "));
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\blooks forward to\b/g, "awaits"],
  [/\bis excited about\b/g, "awaits"],
];

const conceptOf = (groups: readonly (readonly string[])[]): ((word: string) => string) => {
  const known = new Map(
    groups.flatMap((words) => words.map((word) => [word, words[0] ?? word] as const)),
  );
  return (word) => known.get(word) ?? word;
};

const directions = new Map<string, Float32Array>();
function direction(word: string): Float32Array {
  const known = directions.get(word);
  if (known !== undefined) return known;
  const random = chance(
    [...word].reduce((sum, letter) => (Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0)) >>> 0, 7),
  );
  for (let warm = 0; warm < 8; warm += 1) random();
  const made = Float32Array.from(
    { length: WIDTH },
    () => (random() < 0.5 ? 1 : -1) / Math.sqrt(WIDTH),
  );
  directions.set(word, made);
  return made;
}

/**
 * Knows which words mean the same, and nothing of order or grammar. With `blur` two words of one meaning lie near each other
 * instead of on one spot; other `groups` are another opinion of what means the same.
 */
export function synonymEmbedder({
  model = "synonyms",
  blur = 0,
  groups = SYNONYMS,
}: { model?: string; blur?: number; groups?: readonly (readonly string[])[] } = {}): Embedder {
  const meant = conceptOf(groups);
  return {
    model,
    async embed(texts) {
      return texts.map((text) => {
        const vector = new Float32Array(WIDTH);
        const add = (word: string, weight: number): void =>
          direction(word).forEach(
            (value, at) => void (vector[at] = (vector[at] ?? 0) + weight * value),
          );
        const said = PHRASES.reduce(
          (whole, [pattern, by]) => whole.replace(pattern, by),
          fold(text),
        );
        for (const word of said.match(/[\p{L}\p{N}]+/gu) ?? []) {
          const weight = isStopword(word) && meant(word) === word ? 0.3 : 1;
          add(`=${meant(word)}`, weight);
          if (blur > 0) add(word, weight * blur);
        }
        return vector;
      });
    },
  };
}
