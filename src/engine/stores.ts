import { isDict } from "../base/guards.ts";
import { refuse, shown, TidemarkError } from "../model/errors.ts";
import type { HistoryStore } from "../model/history-store.ts";
import type { Store, Stores, VectorIndex } from "../model/store.ts";
import { openDatabase } from "./upkeep/open-database.ts";
import type { WorkspaceAt } from "../store/sqlite/connect.ts";
import type { Options } from "./options/types.ts";

/** The methods of each port, in the order of model/store.ts and model/history-store.ts. */
const METHODS = {
  memories: [
    ...[
      "put",
      "durable",
      "get",
      "byKey",
      "same",
      "find",
      "list",
      "used",
      "remove",
      "removeExpired",
    ],
    ...[
      "debts",
      "paid",
      "values",
      "restore",
      "count",
      "note",
      "keepNote",
      "frequencies",
      "beginning",
      "categories",
      "candidates",
      "containing",
    ],
  ],
  turns: [
    ...["add", "frequencies", "beginning", "stretches", "wordsOf", "turns", "containing", "remove"],
    ...["roots", "cursor"],
  ],
  pages: ["known", "version", "put", "remove", "frequencies", "candidates", "containing"],
  history: [
    ...["write", "session", "entries", "sessions", "byChain", "bySaid", "bindings", "unnoted"],
    ...["messages", "version", "bodies", "asides", "unindexed", "fold", "folds", "allFolds"],
    ...["learnt", "holders", "jobs", "queue", "take", "pins", "allPins", "pin", "unpin", "spent"],
    ...["account", "forget", "close"],
  ],
} as const;

const wrong = (what: string, is: unknown, more = ""): TidemarkError =>
  new TidemarkError("config", `openTidemark: ${what}, got ${shown(is)}.${more}`);

function checkPort(stores: Stores, name: keyof Stores, methods: readonly string[]): void {
  const port: unknown = stores[name];
  if (typeof port !== "object" || port === null)
    throw wrong(`option "store.${name}" must be an object with ${methods.join(", ")}`, port);
  for (const method of methods) {
    const member: unknown = Reflect.get(port, method);
    if (typeof member !== "function")
      throw wrong(`option "store.${name}.${method}" must be a function`, member);
  }
}

/** Throws "config" for what is no set of stores, or does not go with the other options. */
export function checkStores({ store, history, embed, key }: Options): void {
  if (store === undefined) return;
  if (!isDict(store))
    throw wrong(
      'option "store" must be an object { memories, turns, pages, vectors?, history }',
      store,
      " There is no store behind an address yet; leave it out for SQLite in the workspace.",
    );
  for (const name of ["memories", "turns", "pages", "history"] as const)
    checkPort(store, name, METHODS[name]);
  const keeps: unknown = store.history.keeps;
  if (!isDict(keeps) || !["verbatim", "masked"].some((one) => one === keeps.keep))
    throw wrong('option "store.history.keeps" must be { keep: "verbatim" }, or "masked"', keeps);
  if (store.vectors !== undefined) checkPort(store, "vectors", Object.keys(noVectors));
  else if (embed)
    throw wrong('option "store.vectors" is needed where memories are embedded', undefined);
  if (key !== undefined)
    refuse('openTidemark: option "key" is for the store of Tidemark\'s own; leave it out.');
  if (history?.keep !== undefined)
    throw wrong('option "history" is for the store of Tidemark\'s own; leave it out', history.keep);
}

/** Nothing asks it without an embedder. */
const noVectors: VectorIndex = {
  use: async () => undefined,
  note: async () => undefined,
  put: async () => undefined,
  missing: async () => [],
  nearest: async () => [],
  sample: async () => [],
  cosines: async (values) => values.map(() => undefined),
  tend: async () => false,
};

/**
 * A host's port as the engine asks it: its object may be of a class, whose methods need their
 * object.
 */
const bound = <Port extends object>(port: Port, names: readonly (keyof Port)[]): Port =>
  Object.fromEntries(names.map((name) => [name, (port[name] as () => void).bind(port)])) as Port;

const composed = (stores: Stores): Store => ({
  ...bound(stores.memories, METHODS.memories),
  turns: stores.turns,
  pages: bound(stores.pages, METHODS.pages),
  vectors: stores.vectors ?? noVectors,
  close: async () => stores.close?.(),
});

/**
 * A host's history stands in a store of its own: memory is written first, and what is planned anew
 * then finds that it knows it.
 */
const apart = ({ history, memories }: Stores): HistoryStore => ({
  ...bound(history, METHODS.history),
  keeps: history.keeps,
  async write({ memories: changes = [], debts, ...change }) {
    if (changes.length > 0) {
      if (!(await memories.put(changes, debts))) return false;
      await memories.durable();
    }
    return history.write(change);
  },
});

interface OpenedStores {
  readonly history: HistoryStore;
  readonly store: Store;
  /**
   * The folder whose databases are Tidemark's own: only these are backed up, mended and shrunk
   * here.
   */
  readonly files: WorkspaceAt | undefined;
}

type StoresGround = Parameters<typeof openDatabase>[1];

/**
 * Opens what a workspace keeps: the host's ports, or SQLite in its folder, or in memory where it
 * has none.
 */
export async function openStores(
  { store, history: kept, key }: Options,
  root: string | undefined,
  around: StoresGround,
): Promise<OpenedStores> {
  if (store !== undefined)
    return { history: apart(store), store: composed(store), files: undefined };
  const opened = await openDatabase(root, { ...around, ...kept, key });
  return { ...opened, files: root === undefined ? root : { workspace: root, key } };
}
