import type { Missing } from "../../model/search-index.ts";
import type { Storage } from "../../model/storage.ts";
import { reasonOf } from "../../model/errors.ts";
import type { Listen } from "../../model/events.ts";
import type { EmbeddingUse } from "../../model/ports.ts";
import { mask } from "../../secrets/mask.ts";
import { FINGERPRINT } from "./fingerprint.ts";

/** Chunks of pages embedded in one call: they are longer than memories. */
const CHUNKS = 16;

export type Embed = (
  texts: readonly string[],
  use?: EmbeddingUse,
  signal?: AbortSignal,
) => Promise<Float32Array[]>;

/** Around the embedding of what has no vector yet. */
interface Embedding {
  readonly store: Required<Storage>;
  readonly listen: Listen;
  readonly embed: Embed;
  readonly signal: AbortSignal;
}

/** Stores vectors for memories that have none. False when the signal aborted before. */
export async function embedMissing(
  around: Embedding,
  missing: Missing["memories"][1],
): Promise<boolean> {
  const found = await embedded(missing, around);
  if (!around.signal.aborted) await around.store.commit({ vectors: { memories: found } });
  return !around.signal.aborted;
}

/** The same for chunks of pages. False when there is none, too. */
export async function embedPages(around: Embedding): Promise<boolean> {
  const missing = await around.store.vectors.missing("pages", CHUNKS);
  if (missing.length === 0) return false;
  // A person's page may hold a secret: no service is told it.
  const masked = missing.map((one) => ({ ...one, content: mask(one.content) }));
  const found = await embedded(masked, around);
  if (!around.signal.aborted) await around.store.commit({ vectors: { pages: found } });
  return !around.signal.aborted;
}

/** Each with its vector. */
async function embedded<T extends { readonly content: string }>(
  given: readonly T[],
  around: Embedding,
): Promise<(T & { vector: Float32Array })[]> {
  const texts = given.map(({ content }) => content);
  const vectors = await around
    .embed(texts, "memory", around.signal)
    .catch(() => embedSingly(texts, around));
  return given.flatMap((one, at) =>
    vectors.slice(at, at + 1).map((vector) => ({ ...one, vector })),
  );
}

/**
 * One by one: what the embedder cannot take is set aside with no direction, so that it does not
 * hold up the rest.
 */
async function embedSingly(
  texts: readonly string[],
  { embed, signal, listen }: Embedding,
): Promise<Float32Array[]> {
  const [print] = await embed([FINGERPRINT], "memory", signal);
  const vectors: Float32Array[] = [];
  for (const text of texts) {
    const [vector] = await embed([text], "memory", signal).catch((thrown: unknown) => {
      if (signal.aborted) throw thrown;
      listen({
        type: "degraded",
        where: "embed",
        error: `A memory of ${text.length} characters is left to words: ${reasonOf(thrown)}`,
      });
      return [];
    });
    vectors.push(vector ?? new Float32Array(print?.length ?? 0));
  }
  return vectors;
}
