import { reasonOf } from "../../model/errors.ts";
import { type Listen } from "../../model/events.ts";
import { type EmbeddingUse } from "../../model/ports.ts";
import { type Store } from "../../model/store.ts";
import { maskAtOnce } from "../../secrets/mask.ts";
import { FINGERPRINT } from "./texts.ts";

/** Chunks of pages embedded in one call: they are longer than memories. */
const CHUNKS = 16;

export type Embed = (
  texts: readonly string[],
  use?: EmbeddingUse,
  signal?: AbortSignal,
) => Promise<Float32Array[]>;

interface Room {
  readonly store: Store;
  readonly listen: Listen;
}

/** Stores vectors for memories that have none. False when the signal aborted before. */
export async function embedMissing(
  { store, listen }: Room,
  missing: Awaited<ReturnType<Store["vectors"]["missing"]>>,
  { embed, signal }: { embed: Embed; signal: AbortSignal },
): Promise<boolean> {
  const texts = missing.map(({ content }) => content);
  const vectors = await embedEach(texts, { embed, signal, listen });
  if (signal.aborted) return false;
  await store.vectors.put(
    missing.flatMap(({ id, version }, at) =>
      vectors.slice(at, at + 1).map((vector) => ({ id, version, vector })),
    ),
  );
  return true;
}

/** The same for chunks of pages. False when there is none, too. */
export async function embedPages(
  { store, listen }: Room,
  { embed, signal }: { embed: Embed; signal: AbortSignal },
): Promise<boolean> {
  const missing = (await store.vectors.pages?.missing(CHUNKS)) ?? [];
  if (missing.length === 0) return false;
  // A person's page may hold a secret: no service is told it.
  const texts = missing.map(({ content }) => maskAtOnce(content));
  const vectors = await embedEach(texts, { embed, signal, listen });
  if (signal.aborted) return false;
  await store.vectors.pages?.put(
    missing.flatMap(({ chunk }, at) =>
      vectors.slice(at, at + 1).map((vector) => ({ chunk, vector })),
    ),
  );
  return true;
}

const embedEach = (texts: readonly string[], around: Embedding): Promise<Float32Array[]> =>
  around.embed(texts, "memory", around.signal).catch(() => embedSingly(texts, around));

interface Embedding {
  readonly embed: Embed;
  readonly signal: AbortSignal;
  readonly listen: Listen;
}

/** One by one: what the embedder cannot take is set aside with no direction, so that it does not hold up the rest. */
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
