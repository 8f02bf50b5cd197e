import { asText, breathe, dictIn, sharing } from "../core/base.ts";
import { degraded, type Listen, reasonOf } from "../core/errors-and-events.ts";
import type { Embedder } from "../core/request.ts";
import { digest } from "../core/text/cut.ts";
import { checkVector, unit, vectorIn, vectorText } from "../core/vectors.ts";
import { createMeaning, type Meaning } from "../memory/meaning/meaning.ts";
import type { VectorStorage } from "../storage/port.ts";
import { diskFolder } from "../workspace/disk/disk-folder.ts";
import { type FilePlace, ownFile, safeName } from "../workspace/disk/folder.ts";
import { type Background, unheldTimer, within } from "./options/background.ts";

/** The parts of the core that are needed; the core holds what is made here, so it is not named. */
interface EmbeddingGround {
  readonly store: VectorStorage;
  readonly now: () => number;
  readonly emit: Listen;
  readonly background: Background;
}

/**
 * Meaning for one open workspace, and the work behind it: texts without a vector, vectors of a
 * former model.
 */
export function createEmbedding(
  { store, now, emit, background }: EmbeddingGround,
  embedder: Embedder,
) {
  let halted = false;
  const work = sharing(async () => {
    while (!halted && (await meaning.catchUp())) await breathe();
  });
  const wake = (): void => {
    if (!halted) background.run(work());
  };

  const meaning: Meaning = createMeaning({
    store,
    embedder,
    now,
    listen: emit,
    within: (work, ms) => within(work, ms, unheldTimer),
    wake,
  });
  return {
    meaning,
    /** Begins with what an earlier process left undone. */
    start: wake,
    /** Nothing more is begun in the background; the rest waits for the next start. */
    halt: (): void => void (halted = true),
  };
}

export type Embedding = ReturnType<typeof createEmbedding>;

/** The vector, each of its directions as a map weighs it. */
export const weighed = (map: Float32Array, vector: Float32Array): Float32Array =>
  unit(vector).map((value, at) => value * (map[at] ?? 0));

/** The file of its map, below the folder of the machine's own, which no name leads out of. */
const placeOf = ({ model = "" }: Embedder): FilePlace => ownFile(`tuned/${safeName(model)}.json`);

export async function writeMap(
  root: string,
  embedder: Embedder,
  map: Float32Array,
): Promise<string> {
  const place = placeOf(embedder);
  await diskFolder(root, () => undefined).change(place, () =>
    JSON.stringify({ map: vectorText(map) }),
  );
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
  const map = vectorIn(asText(dictIn(text)?.map));
  const name = `${embedder.model} tuned ${digest(text).slice(0, 8)}`;
  const model = { name, dimensions: map.length };
  if (map.length === 0) throw new Error("it holds none");
  checkVector(map, model);
  return {
    ...embedder,
    model: name,
    async embed(texts, signal, use) {
      const vectors = (await embedder.embed(texts, signal, use)).map((one) =>
        Float32Array.from(one),
      );
      for (const vector of vectors) checkVector(vector, model);
      return vectors.map((vector) => weighed(map, vector));
    },
  };
}
