import { breathe, sharing } from "../core/base.ts";
import type { Listen } from "../core/errors-and-events.ts";
import type { Embedder } from "../core/request.ts";
import { createMeaning, type Meaning } from "../memory/meaning/meaning.ts";
import type { VectorStorage } from "../storage/port.ts";
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
