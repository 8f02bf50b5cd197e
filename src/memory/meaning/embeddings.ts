import { isDict } from "../../core/base.ts";
import { type Listen, reasonOf } from "../../core/errors-and-events.ts";
import type { EmbeddingUse } from "../../core/request.ts";
import { mask } from "../../core/secrets/mask.ts";
import { head } from "../../core/text/cut.ts";
import { dot, unit, vectorIn, vectorText } from "../../core/vectors.ts";
import type { VectorStorage } from "../../storage/port.ts";
import type { VectorIndex } from "../../storage/search-index.ts";

/**
 * How far an embedder's cosines count. Alone they say nothing: with one model strangers stand at
 * 0.1, with another at 0.8.
 */
export interface Judge {
  /** Up to this cosine texts are strangers. */
  readonly floor: number;
  /** How far the cosines of strangers scatter: chance can do that much. */
  readonly spread: number;
}

/** Few cosines tell little: as though so many more had scattered by what is usual. */
const PRIOR = { cosines: 10, deviation: 0.1 };
/** Standard deviations above the middle: 99 of 100 strangers stand below. */
const ABOVE = 2.5;
/** Chance is out of the question so many spreads above the floor. */
const SURE = 2;
/**
 * As much as a memory is worth that answers by its meaning alone. It is not added to what words
 * say: then an embedder that only compares letters moves hits that words had in their right order
 * (LoCoMo's shared five).
 */
const WORTH = 0.8;
/**
 * A hit of meaning alone stands behind what words find better: paraphrases come, and displace
 * nothing.
 */
const ALONE = 0.26;

/**
 * From the cosines of some memories with one another and with the question: memories of one kind
 * are near each other and no strangers, and a question may be near to none. The lower floor counts.
 */
export function judgeOf(question: Float32Array, memories: readonly Float32Array[]): Judge {
  const asking = unit(question);
  const units = memories.map(unit);
  const paired = units.flatMap((one, at) => units.slice(at + 1).map((other) => dot(one, other)));
  const among = strangers(paired, PRIOR.deviation);
  const asked = strangers(
    units.map((one) => dot(one, asking)),
    among.spread / ABOVE,
  );
  return among.floor < asked.floor ? among : asked;
}

/**
 * Most texts have nothing to do with each other: the cosines up to the middle are strangers', and
 * scatter above it as they do below.
 */
function strangers(cosines: readonly number[], usual: number): Judge {
  const lower = cosines
    .toSorted((one, other) => one - other)
    .slice(0, Math.ceil(cosines.length / 2));
  const middle = lower.at(-1) ?? 1;
  const squares = lower.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  const prior = PRIOR.cosines * usual ** 2;
  const deviation = Math.sqrt((squares + prior) / (lower.length + PRIOR.cosines));
  return { floor: middle + ABOVE * deviation, spread: ABOVE * deviation };
}

const above = (cosine: number, { floor, spread }: Judge): number =>
  Math.max(0, (cosine - floor) / spread);

/** How well a memory answers: 0…1. The better of the first two is its relevance. */
export interface Match {
  readonly words: number;
  readonly meaning: number;
  /** All it says to the question, of which that may be a part: its place comes from it. */
  readonly strength: number;
}

/**
 * A match by words and by meaning together. Meaning fills what the words leave open and takes
 * nothing away: a memory is never less than its words say.
 */
export function fuse(match: Match, cosine: number | undefined, judge: Judge): Match {
  if (cosine === undefined) return match;
  const sure = Math.min(1, above(cosine, judge) / SURE);
  const meaning = Math.max(WORTH * sure, Math.min(ALONE, above(cosine, judge)));
  return { ...match, meaning, strength: Math.max(match.strength, meaning) };
}

/**
 * Embedded first in every run: an embedder that answers otherwise is another model, whatever its
 * name.
 */
const FINGERPRINT = "The tide comes in twice a day, and the boats in the old harbour rise with it.";

/** Embedded in one call, behind the conversation; memories are short. */
const BATCH = { memories: 64, pages: 16, turns: 16 } as const;
/** Characters of a turn that are embedded; no chunk of a page is longer. */
const LONGEST_SHOWN = 2_000;

export type Embed = (
  texts: readonly string[],
  use?: EmbeddingUse,
  signal?: AbortSignal,
) => Promise<Float32Array[]>;

/** Around the embedding of what has no vector yet. */
interface Embedding {
  readonly store: VectorStorage;
  readonly listen: Listen;
  readonly embed: Embed;
  readonly signal: AbortSignal;
}

/**
 * Stores vectors for some of what has none: memories, then chunks of pages, then past turns. False
 * where there is nothing, or where the signal aborted before.
 */
export async function embedMissing(around: Embedding): Promise<boolean> {
  const { store, signal } = around;
  for (const kind of ["memories", "pages", "turns"] as const) {
    const missing = await store.vectors.missing(kind, BATCH[kind]);
    if (missing.length === 0) continue;
    // A page or a turn may hold a secret: no service is told it.
    const shown = (text: string): string =>
      kind === "memories" ? text : mask(head(text, LONGEST_SHOWN));
    const cut = missing.map((one) => ({ ...one, content: shown(one.content) }));
    const vectors = { [kind]: await embedded(cut, around) };
    if (!signal.aborted) await store.commit({ vectors });
    return !signal.aborted;
  }
  return false;
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
    if (known !== undefined && dot(unit(known), unit(print)) < SAME) continue;
    if (known === undefined) await vectors.use(model, JSON.stringify({ print: vectorText(print) }));
    return print;
  }
}

function printIn(notes: string | undefined): Float32Array | undefined {
  const given: unknown = notes === undefined ? undefined : JSON.parse(notes);
  if (!isDict(given) || typeof given.print !== "string") return undefined;
  return vectorIn(given.print);
}
