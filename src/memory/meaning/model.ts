import type { VectorIndex } from "../../model/search-index.ts";
import { isDict } from "../../base/guards.ts";
import { cosine } from "./judging.ts";
import type { Embed } from "./embed-missing.ts";
import { FINGERPRINT } from "./fingerprint.ts";

/** The same text by the same model: rounding aside, the same vector. */
const SAME = 0.98;

/**
 * Puts the embedder's model in use and answers its vector of one fixed text, by which it is known
 * again: a provider that changes what stands behind a name, or another function without a name, is
 * another model, never mixed.
 */
export async function recogniseModel(
  vectors: VectorIndex,
  name: string,
  embed: Embed,
): Promise<Float32Array> {
  const [print = new Float32Array(0)] = await embed([FINGERPRINT], "memory");
  for (let number = 1; ; number += 1) {
    const own = number === 1 ? name : `${name} (${number})`;
    const model = { name: own, dimensions: print.length };
    const known = printIn(await vectors.use(model));
    if (known !== undefined && cosine(known, print) < SAME) continue;
    if (known === undefined) await vectors.use(model, JSON.stringify({ print: toText(print) }));
    return print;
  }
}

const toText = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");

function printIn(notes: string | undefined): Float32Array | undefined {
  const given: unknown = notes === undefined ? undefined : JSON.parse(notes);
  if (!isDict(given) || typeof given.print !== "string") return undefined;
  return new Float32Array(new Uint8Array(Buffer.from(given.print, "base64")).buffer);
}
