import type { Embedder } from "../../src/core/request.ts";
import { fold } from "../../src/core/text/terms.ts";

/** Words of one meaning share a direction. */
const CONCEPTS = [
  "cat kitten feline pet whiskerino",
  "doctor physician surgeon medic",
  "car vehicle automobile volvo",
  "bread loaf sourdough rye bakes baking",
  "ship boat ferry vessel",
  "money budget euros salary",
  "ill sick flu fever",
  "house home flat dwelling",
].map((words) => new Set(words.split(" ")));
const REST = 64;

export interface ToyEmbedder extends Embedder {
  /** What it was asked, call by call. */
  readonly calls: string[][];
  /** Rejects with this until it is taken back. */
  failing: string | undefined;
  /** Answers of another length. */
  width: number;
}

/** An embedder that knows a few meanings: "kitten" is near "cat", though they share no letters. */
export function toyEmbedder({
  model = "toy",
  turn = 0,
}: { model?: string; turn?: number } = {}): ToyEmbedder {
  const width = CONCEPTS.length + REST;
  const toy: ToyEmbedder = {
    model,
    calls: [],
    failing: undefined,
    width,
    async embed(texts) {
      toy.calls.push([...texts]);
      if (toy.failing !== undefined) throw new Error(toy.failing);
      return texts.map((text) => {
        const vector = new Float32Array(toy.width);
        const add = (at: number, by: number): void =>
          void (vector[(at + turn) % width] = (vector[(at + turn) % width] ?? 0) + by);
        for (const word of fold(text).match(/\p{L}+/gu) ?? []) {
          const concept = CONCEPTS.findIndex((words) => words.has(word));
          const hash = [...word].reduce(
            (sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973,
            7,
          );
          if (concept >= 0) add(concept, 2);
          else add(CONCEPTS.length + (hash % REST), hash % 2 === 0 ? 0.4 : -0.4);
        }
        return vector;
      });
    },
  };
  return toy;
}

/** An embedder is waited for as long as it takes, and wakes no other work. */
export const UNHURRIED = {
  within: <T>(work: Promise<T>): Promise<T> => work,
  wake: (): void => undefined,
};
