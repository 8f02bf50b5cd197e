import { TidemarkError } from "./errors-and-events.ts";

export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  // A typed array holds numbers all over its length, which the compiler cannot know.
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (other[at] as number);
  return sum;
}

/** The vector at length 1, so that a dot product is a cosine; one without direction stays zero. */
export function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  return length > 0 ? vector.map((value) => value / length) : new Float32Array(vector.length);
}

/** Adds so much of another vector to one, in its place. */
export function add(to: Float32Array, other: Float32Array, by: number): void {
  for (let at = 0; at < to.length; at += 1)
    to[at] = (to[at] as number) + by * (other[at] as number);
}

export const vectorText = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");

/** Throws for a text of other bytes than whole numbers take. */
export const vectorIn = (text: string): Float32Array =>
  new Float32Array(new Uint8Array(Buffer.from(text, "base64")).buffer);

export interface VectorModel {
  readonly name: string;
  readonly dimensions: number;
}

/** Throws "embed" for what is no vector of the model's. */
export function checkVector(vector: Float32Array, { name, dimensions }: VectorModel): void {
  const refuse = (what: string): never => {
    throw new TidemarkError("embed", `The embedder ${name} ${what}; nothing of it is stored.`);
  };
  if (vector.length !== dimensions)
    refuse(`promised ${dimensions} dimensions and gave a vector of ${vector.length}`);
  if (!vector.every(Number.isFinite))
    refuse("gave a vector that holds something else than finite numbers");
}
