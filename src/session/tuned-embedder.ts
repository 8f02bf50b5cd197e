import { dictIn } from "../core/base.ts";
import { degraded, type Listen, reasonOf } from "../core/errors-and-events.ts";
import type { Embedder } from "../core/request.ts";
import { digest } from "../core/text/cut.ts";
import { add, checkVector, dot, unit, vectorIn, vectorText } from "../core/vectors.ts";
import { diskFolder } from "../workspace/disk/disk-folder.ts";
import { type FilePlace, ownFile, safeName } from "../workspace/disk/folder.ts";

/** Directions that a map may turn. */
export const RANK = 16;

/** Two rows a direction: how much of a vector lies in the first is added along the second. */
export type LinearMap = readonly Float32Array[];

export function mapped(rows: LinearMap, vector: Float32Array): Float32Array {
  const from = unit(vector);
  const to = from.slice();
  rows.slice(0, RANK).forEach((row, at) => add(to, rows[RANK + at] ?? row, dot(row, from)));
  return to;
}

/** The file of its map, below the folder of the machine's own, which no name leads out of. */
const placeOf = ({ model = "" }: Embedder): FilePlace => ownFile(`tuned/${safeName(model)}.json`);

export async function writeMap(root: string, embedder: Embedder, map: LinearMap): Promise<string> {
  const place = placeOf(embedder);
  const rows = map.map(vectorText);
  await diskFolder(root, () => undefined).change(place, () => JSON.stringify({ rows }));
  return `${place.base}/${place.path}`;
}

/**
 * The embedder behind the map that was written for it: another model, so its vectors are made anew.
 * A file that is no map is told of, and the embedder is used without.
 */
export async function tunedEmbedder(
  embedder: Embedder,
  root: string,
  listen: Listen,
): Promise<Embedder> {
  const place = placeOf(embedder);
  try {
    const text = await diskFolder(root, () => undefined).read(place);
    return text === undefined ? embedder : withMap(embedder, text);
  } catch (thrown) {
    const error =
      `${place.base}/${place.path} is no map of ${embedder.model} (${reasonOf(thrown)}): the ` +
      'embedder goes without; delete the file, or run "tidemark tune".';
    listen(degraded("embed", error));
    return embedder;
  }
}

function withMap(embedder: Embedder, text: string): Embedder {
  const map = [dictIn(text)?.rows ?? []].flat().map((row) => vectorIn(String(row)));
  const name = `${embedder.model} tuned ${digest(text).slice(0, 8)}`;
  const model = { name, dimensions: map[0]?.length ?? 0 };
  if (map.length !== 2 * RANK || model.dimensions === 0) throw new Error("it holds no rows of one");
  for (const row of map) checkVector(row, model);
  return {
    ...embedder,
    model: name,
    async embed(texts, signal, use) {
      const vectors = (await embedder.embed(texts, signal, use)).map((one) =>
        Float32Array.from(one),
      );
      for (const vector of vectors) checkVector(vector, model);
      return vectors.map((vector) => mapped(map, vector));
    },
  };
}
