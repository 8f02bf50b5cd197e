import { resolve } from "node:path";
import { refuse } from "../../core/errors-and-events.ts";
import { isAddress } from "../../session/options/read-options.ts";
import type { TableRow } from "../../storage/table-row.ts";
import { postgresArchive } from "../../storage/postgres/archive-rows.ts";
import { postgresStorage } from "../../storage/postgres/postgres-storage.ts";
import { openServer } from "../../storage/postgres/server.ts";
import type { Server } from "../../storage/postgres/sql.ts";
import { archivePortions, takeRows } from "../../storage/sqlite/archive-rows.ts";
import { patiently } from "../../storage/sqlite/shared-file.ts";
import { exclusively } from "../../workspace/disk/lock.ts";
import { isWithin, makeWorkspace, mayLeave, realOf } from "./archive.ts";
import * as pages from "./archive-pages.ts";
import { databaseOf, type UpkeepOf } from "./mend.ts";
import { openWorkspaceDatabase } from "./mended-database.ts";

interface Contents {
  /** Portions of which none needs a later one. */
  rows(): AsyncIterable<TableRow[]> | Iterable<TableRow[]>;
  pages(leftOut: string[]): AsyncIterable<pages.ArchivedFile>;
}

/** All of a workspace, wherever it is kept. */
export interface Side {
  /** A real folder, or a server as errors name it. */
  readonly at: string;
  readonly isFolder: boolean;
  /** Work on it as it stands at one moment. */
  reading<T>(work: (held: Contents) => Promise<T>): Promise<T>;
  take(rows: readonly TableRow[]): Promise<unknown>;
  /** Undefined: such a file cannot be there. */
  standing(page: pages.ArchivedFile): Promise<pages.Standing | undefined>;
  put(page: pages.ArchivedFile): Promise<unknown>;
  close(): Promise<void>;
}

/** Opens a source, which is there already, or the target that all of it goes to. */
export async function openPlace(of: UpkeepOf, source?: Side): Promise<Side> {
  const opened = isAddress(of.workspace) ? openServer(of.workspace) : undefined;
  const at = opened?.where ?? realOf(resolve(of.workspace));
  const isOne =
    opened === undefined && source?.isFolder === true
      ? isWithin(source.at, at) || isWithin(at, source.at)
      : source?.at === at;
  if (isOne) refuse(`${source?.at} and ${at} are one place: name two.`, "workspace");
  return opened === undefined
    ? folderPlace({ ...of, workspace: at }, source === undefined)
    : postgresPlace({ ...opened, at }, source === undefined);
}

async function folderPlace(of: UpkeepOf, isSource: boolean): Promise<Side> {
  const { workspace: root, key, now, emit = () => {} } = of;
  if (!isSource) makeWorkspace(root, "name a new folder");
  const file = databaseOf(of);
  const store = await openWorkspaceDatabase(root, { now, emit, key });
  await (isSource ? mayLeave(store, root) : Promise.resolve()).finally(() => store.close());
  return {
    ...{ at: root, isFolder: true },
    reading: (work) =>
      exclusively(root, () =>
        work({
          rows: () => archivePortions(file),
          pages: (leftOut) => pages.filesOf(root, { of: undefined, sessions: new Set(), leftOut }),
        }),
      ),
    take: (rows) => patiently(() => takeRows(file, rows)),
    standing: async (page) => pages.standing(root, page),
    put: (page) => exclusively(root, () => pages.putFile(root, page)),
    close: async () => {},
  };
}

interface Schema {
  readonly server: Server;
  readonly schema: string;
  readonly at: string;
}

export async function postgresPlace(
  { server, schema, at }: Schema,
  isSource: boolean,
): Promise<Side> {
  const store = await postgresStorage(server, schema, { where: at, isThere: isSource });
  if (isSource) await mayLeave(store, at);
  const { files, close } = store;
  const archive = postgresArchive(server, schema, at);
  return {
    ...{ at, isFolder: false },
    reading: (work) =>
      archive.reading(({ rows, pages: held }) =>
        work({
          rows,
          async *pages() {
            for await (const some of held())
              for (const { row } of some)
                if (pages.wrongPage(row) === undefined) yield row as unknown as pages.ArchivedFile;
          },
        }),
      ),
    take: archive.take,
    async standing(page) {
      if (page.text === undefined) return undefined;
      const held = await files?.read(page.file);
      return pages.besideOld(held && Buffer.from(held.text), page);
    },
    async put({ file: path, text }) {
      const held = await files?.read(path);
      await files?.put([{ path, text, on: held?.digest }], Date.now());
    },
    close,
  };
}
