import { refuse, shown } from "../core/errors-and-events.ts";
import type { Keep } from "../core/history.ts";
import { checkIdentity, identityKey } from "../core/identity.ts";
import { createEmbedding } from "../session/embedding.ts";
import { countedEmbedder } from "../session/metered-and-spent.ts";
import { hasFileRows, isAddress } from "../session/options/read-options.ts";
import type { Options } from "../session/options/tidemark-api.ts";
import type { Embedded, Ground, Settings } from "../session/ports.ts";
import type { Storage, VectorStorage } from "../storage/port.ts";
import { openPostgres } from "../storage/postgres/postgres-storage.ts";
import type { WorkspaceAt } from "../storage/sqlite/database-file.ts";
import { openStorage as openSqlite } from "../storage/sqlite/sqlite-storage.ts";
import { patiently } from "../storage/sqlite/shared-file.ts";
import { missingIn, searched } from "../storage/sqlite/index-in-memory.ts";
import { databaseOf, lookAt } from "./upkeep/mend.ts";
import { KEEP, openWorkspaceDatabase, toldOf } from "./upkeep/mended-database.ts";

/** Throws "config" for what is no storage, or does not go with the other options. */
export function checkStorage({ store, read, embed, key, workspace }: Options): void {
  if (read !== undefined && !(isServer(read) && isServer(store)))
    refuse(
      'openTidemark: option "read" must be "postgres://…", the address of a replica of the ' +
        'server in option "store".',
    );
  if (store === undefined) return;
  if (hasFileRows({ store }) && workspace)
    refuse(
      'openTidemark: option "store" keeps the pages as rows; leave "workspace" out, and bring ' +
        'what stands in a folder with "tidemark files push".',
    );
  if (key !== undefined)
    refuse('openTidemark: option "key" is for the store of Tidemark\'s own; leave it out.');
  if (isServer(store)) return;
  if (typeof store !== "object" || store === null)
    // What is no such address may hold a password all the same.
    refuse(
      'openTidemark: option "store" must be a Storage or "postgres://…", got ' +
        `${typeof store === "string" ? "another text" : shown(store)}; leave it out for SQLite ` +
        "in the workspace.",
    );
  const missing = missingIn(store);
  if (missing.length > 0)
    refuse(
      `openTidemark: option "store" lacks ${missing.join(", ")}; storageContract of ` +
        "tidemark/contracts tests a Storage.",
    );
  if (Reflect.get(store, "vectors") === undefined && embed)
    refuse(
      'openTidemark: option "store" needs `vectors` where memories are embedded.',
      "capability",
    );
}

const isServer = (store: unknown): boolean => typeof store === "string" && isAddress(store);

type StorageGround = Parameters<typeof openWorkspaceDatabase>[1];

/** Opens what a workspace keeps: the host's, or SQLite in its folder, or in memory without one. */
export async function openStorage(
  { store, read, history: { keep: wanted } = {}, key }: Options,
  root: string | undefined,
  around: StorageGround,
) {
  const given =
    typeof store === "string"
      ? await openPostgres(store, { read, missing: toldOf(around.emit, "pgvector") })
      : store;
  const storage: Storage =
    given === undefined ? await openWorkspaceDatabase(root, { ...around, key }) : searched(given);
  try {
    const held = (await storage.note(KEEP)) === "masked" ? "masked" : "verbatim";
    const keep: Keep = wanted ?? held;
    if (keep !== held) await storage.commit({ notes: { [KEEP]: keep } });
    const isOwn = store === undefined && root !== undefined;
    // Only a database of Tidemark's own is backed up, mended and shrunk here.
    const files: WorkspaceAt | undefined = isOwn ? { workspace: root, key } : undefined;
    return { storage, keep, files };
  } catch (thrown) {
    await storage.close().catch(() => undefined);
    throw thrown;
  }
}

/**
 * The same as it is, to look at: what would be written is not, and is said to be. Rejects with
 * "config" or "store" where nothing is there.
 */
export async function openUnwritten(
  { store, key }: Options,
  root: string | undefined,
): ReturnType<typeof openStorage> {
  const files =
    typeof store === "string" || root === undefined ? undefined : { workspace: root, key };
  const path = files && databaseOf(files).path;
  if (path !== undefined && (lookAt(path)?.size ?? 0) === 0)
    refuse(`${path} is not there: it is made with the first conversation or memory.`, "store");
  const storage =
    path === undefined
      ? await openPostgres(String(store), { isThere: "as it is" })
      : await patiently(() => openSqlite(path, { key, look: true }));
  return { storage: { ...storage, commit: async () => true }, keep: "verbatim", files };
}

/** The host's embedder, with what it takes counted for the identity that opened the workspace. */
export function embeddingOf(
  options: Options,
  { off, now, emit }: Pick<Ground, "now" | "emit"> & Pick<Settings, "off">,
  {
    storage: store,
    spans,
    background,
  }: Pick<Ground, "background"> & Pick<Settings, "spans"> & { storage: Storage },
): Embedded["embedding"] {
  if (off || !options.embed || !hasVectors(store)) return undefined;
  const owner = identityKey(checkIdentity(options.identity ?? {}));
  const counted = countedEmbedder(options.embed, {
    spans,
    write: (line) => store.commit({ spent: { root: owner, lines: [line] } }),
  });
  return createEmbedding({ store, now, emit, background }, counted);
}

const hasVectors = (store: Storage): store is VectorStorage => store.vectors !== undefined;
