import { lru, present } from "../../core/base.ts";
import { degraded, type Listen, TidemarkError } from "../../core/errors-and-events.ts";
import type { Scope } from "../../core/identity.ts";
import type { Memory } from "../../core/memory.ts";
import type { Embedder } from "../../core/request.ts";
import type { VectorStorage } from "../../storage/port.ts";
import { type Embed, embedMissing, type Judge, judgeOf, recogniseModel } from "./embeddings.ts";

/**
 * ms a question, and a save, wait for vectors; what comes too late is done without, and embedded
 * later.
 */
const PATIENCE = { ask: 3_000, save: 10_000, background: 120_000 } as const;
/** Memories whose cosines are read, to judge the question's. */
const SAMPLE = 32;
/** After a failure the embedder is left alone so long; twice as long after each further one. */
const REST = { first: 15_000, longest: 600_000 } as const;

export interface MeaningRoom {
  readonly store: VectorStorage;
  readonly embedder: Embedder;
  readonly now: () => number;
  readonly listen: Listen;
  /** The work's result if it comes within `ms`. */
  readonly within: <T>(work: Promise<T>, ms: number) => Promise<T | undefined>;
  /** There may be something to embed. */
  readonly wake: () => void;
}

/** A question's vector, and how far to believe what is near it. */
export interface Question {
  readonly vector: Float32Array;
  readonly judge: Judge;
}

export type Meaning = ReturnType<typeof createMeaning>;

/**
 * What texts mean, by one embedder. No member rejects: without vectors one goes by words, and the
 * listener is told.
 */
export function createMeaning(room: MeaningRoom) {
  const { store, listen, wake } = room;
  const { vectors } = store;
  const prepared = lru<string, Float32Array>(512);
  const end = new AbortController();
  const embed = checkedEmbed(room.embedder, end.signal);
  const attempt = createAttempts(room, end.signal);
  const model = createModel(room, embed);
  const ask = asking({ embed, attempt, model });
  /** How a question's cosines count among what these scopes hold. */
  async function judge(vector: Float32Array, scopes: readonly Scope[]): Promise<Judge> {
    // The fixed text stands among the memories, so that one memory has a stranger too.
    return judgeOf(vector, present([model.print(), ...(await vectors.sample(scopes, SAMPLE))]));
  }
  return {
    vector: ask,
    judge,
    /** A question's vector, and its judge. */
    async ask(text: string, scopes: readonly Scope[]): Promise<Question | undefined> {
      const vector = await ask(text);
      return vector && { vector, judge: await judge(vector, scopes) };
    },

    /** Vectors for texts that are about to be saved, fetched before any transaction. */
    async prepare(texts: readonly string[]): Promise<void> {
      const open = [...new Set(texts)].filter((text) => prepared.get(text) === undefined);
      if (open.length === 0) return;
      const answer = await attempt(PATIENCE.save, (signal) =>
        Promise.all([model.start(), embed(open, "memory", signal)]),
      );
      if (answer === undefined) return;
      const [, made] = answer;
      made.forEach((vector, at) => prepared.set(open[at] ?? "", vector));
    },

    /**
     * Stores the prepared vectors of memories that were saved; of the others `catchUp` takes care.
     */
    async learn(memories: readonly Memory[]): Promise<void> {
      const made = memories.flatMap(({ id, version, content }) => {
        const vector = prepared.get(content);
        return vector === undefined ? [] : [{ id, version, vector }];
      });
      try {
        if (made.length > 0) await store.commit({ vectors: { memories: made } });
      } catch (thrown) {
        listen(degraded("embed", thrown));
      }
      if (memories.length > 0) wake();
    },

    /**
     * Embeds some of what has no vector yet. False when there is none, or when it cannot be done
     * now.
     */
    async catchUp(): Promise<boolean> {
      const embedded = await attempt(PATIENCE.background, async (signal) => {
        await model.start();
        return embedMissing({ store, listen, embed, signal });
      });
      return embedded ?? false;
    },

    stop: () => end.abort(),
  };
}

interface EmbedCall {
  readonly embed: Embed;
  readonly attempt: ReturnType<typeof createAttempts>;
  readonly model: ReturnType<typeof createModel>;
}

/** Facts and pages ask at once, and ask again: the embedder is asked once. */
function asking({ embed, attempt, model }: EmbedCall) {
  const asked = lru<string, Promise<Float32Array | undefined>>(256);

  async function ask(question: string): Promise<Float32Array | undefined> {
    const answer = await attempt(PATIENCE.ask, (signal) =>
      Promise.all([model.start(), embed([question], "question", signal)]),
    );
    const [, [vector] = []] = answer ?? [];
    // A question that got no answer is asked anew.
    if (vector === undefined) asked.delete(question);
    return vector?.some((value) => value !== 0) ? vector : undefined;
  }

  return async (text: string): Promise<Float32Array | undefined> => {
    const question = text.trim();
    if (question === "") return undefined;
    const work = asked.get(question) ?? ask(question);
    asked.set(question, work);
    return work;
  };
}

/** Embeds texts, and refuses an answer of other dimensions than the first had. */
function checkedEmbed(embedder: Embedder, end: AbortSignal): Embed {
  let size: number | undefined;
  return async (texts, use = "memory", signal = end) => {
    const vectors = (await embedder.embed(texts, signal, use)).map((vector) =>
      vector instanceof Float32Array ? vector : Float32Array.from(vector),
    );
    if (vectors.length !== texts.length)
      throw new TidemarkError(
        "embed",
        `The embedder was given ${texts.length} texts and answered ${vectors.length} vectors; ` +
          "it must answer one for each, in order.",
      );
    size ??= embedder.dimensions ?? vectors[0]?.length;
    const wrong = vectors.find((vector) => vector.length !== size || vector.length === 0);
    if (wrong !== undefined)
      throw new TidemarkError(
        "embed",
        `The embedder promised ${size} dimensions and gave a vector of ${wrong.length}; ` +
          "give its true number as `dimensions`.",
      );
    return vectors;
  };
}

/**
 * Runs work within its time, unless the embedder is being left alone. Trouble is told once, when it
 * happens.
 */
function createAttempts({ now, listen, within, wake }: MeaningRoom, end: AbortSignal) {
  let failures = 0;
  let restUntil = -Infinity;
  return async <T>(
    ms: number,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> => {
    if (end.aborted || now() < restUntil) return undefined;
    const late = new AbortController();
    try {
      const finished = await within(
        work(AbortSignal.any([end, late.signal])).then((result) => ({ result })),
        ms,
      );
      if (finished === undefined)
        throw new TidemarkError("connection", `The embedder did not answer within ${ms} ms.`);
      // The work that failed meanwhile can be made up for now.
      if (failures > 0) wake();
      failures = 0;
      return finished.result;
    } catch (thrown) {
      late.abort();
      // Of several that fail at once, one is told.
      if (end.aborted || now() < restUntil) return undefined;
      restUntil = now() + Math.min(REST.longest, REST.first * 2 ** failures);
      failures += 1;
      listen(degraded("embed", thrown));
      return undefined;
    }
  };
}

/** The embedder's model, recognised when it is first needed. */
function createModel({ store, embedder }: MeaningRoom, embed: Embed) {
  let starting: Promise<Float32Array> | undefined;
  let print: Float32Array | undefined;
  return {
    /** Its vector of the fixed text, once that is known. */
    print: () => print,
    start(): Promise<Float32Array> {
      starting ??= recogniseModel(store.vectors, embedder.model ?? "unnamed", embed);
      starting.then(
        (known) => (print = known),
        () => (starting = undefined),
      );
      return starting;
    },
  };
}
