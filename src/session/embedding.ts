import { breathe, sharing } from "../core/base.ts";
import type { Emit, Listen } from "../core/errors-and-events.ts";
import type { Scope } from "../core/identity.ts";
import type { Embedder } from "../core/request.ts";
import { createMeaning, type Meaning } from "../memory/meaning/meaning.ts";
import type { Storage } from "../storage/port.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { type Background, unheldTimer, within } from "./options/background.ts";
import type { Options } from "./options/tidemark-api.ts";

/** The parts of the core that are needed; the core holds what is made here, so it is not named. */
interface EmbeddingGround {
  readonly store: Required<Storage>;
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

/**
 * Where there is an embedder, what is written as a note or a record is brought into the index at
 * once, not with the next search.
 */
export function withPagesEmbedded(
  workspace: Workspace,
  background: Background,
  embedding: Embedding | undefined,
): Workspace {
  if (embedding === undefined) return workspace;
  const { notes, records } = workspace;
  const then = async <T>(scope: Scope, work: Promise<T>): Promise<T> => {
    const done = await work;
    background.run(workspace.settle(scope));
    return done;
  };
  return {
    ...workspace,
    notes: { ...notes, write: (place, change) => then(place.scope, notes.write(place, change)) },
    records: {
      ...records,
      add: (scope, given) => then(scope, records.add(scope, given)),
      change: (record, change) => then(record.scope, records.change(record, change)),
    },
  };
}

/**
 * Tells once, with the first recall, that no embedder was given; `embed: false` says that this is
 * meant.
 */
export function tellWordsOnly(emit: Emit, embed: Options["embed"]): Emit {
  let told = embed !== undefined;
  return (event, words) => {
    emit(event, words);
    if (told || event.type !== "recalled") return;
    told = true;
    emit({
      type: "notice",
      about: "words-only",
      text:
        "No embedder was given, so memories are found by their words; embed: false says " +
        "that this is meant",
    });
  };
}
