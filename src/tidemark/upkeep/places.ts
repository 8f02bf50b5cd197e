import { existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { makeFolders, PRIVATE } from "../../core/base.ts";
import { refuse } from "../../core/errors-and-events.ts";
import { type Identity, isOf, scopesOf } from "../../core/identity.ts";
import type { Ports } from "../../session/ports.ts";
import { isAddress } from "../../session/options/read-options.ts";
import type { Storage } from "../../storage/port.ts";
import { openPostgres } from "../../storage/postgres/postgres-storage.ts";
import type { WorkspaceAt } from "../../storage/sqlite/database-file.ts";
import { wholeFile } from "../../storage/sqlite/archive-rows.ts";
import type { TableRow, Whole } from "../../storage/whole.ts";
import { diskFolder, exclusively } from "../../workspace/disk/disk-folder.ts";
import type { Folder } from "../../workspace/disk/folder.ts";
import { rowFolder } from "../../workspace/disk/row-folder.ts";
import * as pages from "./archive-pages.ts";
import { databaseOf, lookAt, type UpkeepOf } from "./mend.ts";
import { openWorkspaceDatabase } from "./mended-database.ts";

/** A line of an archive between its head and its end. */
export type Item = pages.ArchivedFile | TableRow;

/** As it stands at one moment: all of it, or what an identity may see. */
export interface Contents {
  /** Portions of which none needs a later one. */
  rows(): AsyncIterable<TableRow[]>;
  /** `leftOut` gets the names of files that cannot be taken along. */
  pages(leftOut: string[]): AsyncIterable<pages.ArchivedFile>;
}

/** All of a workspace, wherever it is kept. */
export interface AnyWorkspace {
  /** A real folder, or a server as errors name it. */
  readonly at: string;
  /** Nothing stood there before. */
  readonly isNew: boolean;
  readonly store: Storage;
  readonly whole: Whole;
  readonly folder: Folder;
  /** A folder with a database of ours. */
  readonly files?: WorkspaceAt;
  reading<T>(work: (held: Contents) => Promise<T>, of?: Identity): Promise<T>;
  /** Undefined: such a file cannot be there. */
  standing(page: pages.ArchivedFile): Promise<pages.Standing | undefined>;
  put(page: pages.ArchivedFile): Promise<unknown>;
}

const ownedBy = (of: Identity | undefined) =>
  of && { isOwn: (root: string) => isOf(of, root), scopes: scopesOf(of) };

/** Opens a place that is there already, or with a `cure` for a wrong one a new one, too. */
export async function openPlace(of: UpkeepOf, cure?: string): Promise<AnyWorkspace> {
  if (!isAddress(of.workspace)) return folderPlace(of, cure);
  const store = await openPostgres(of.workspace, { isThere: cure === undefined });
  const isNew = (await store.whole?.owners(0))?.length === 0;
  return { ...serverPlace(store), isNew };
}

/** Where an open Tidemark keeps all; rejects with "capability" where that cannot be told. */
export const placeOf = async ({ files, store, now, emit }: Ports): Promise<AnyWorkspace> =>
  files === undefined ? serverPlace(store) : folderPlace({ ...files, now, emit });

async function folderPlace(of: UpkeepOf, cure?: string): Promise<AnyWorkspace> {
  const { key, now, emit = () => {} } = of;
  const root = realOf(resolve(of.workspace));
  const isNew = isEmpty(root);
  if (cure !== undefined) {
    if (!isNew && !existsSync(join(root, ".tidemark")))
      refuse(
        `${of.workspace} holds something and is no workspace. Nothing was changed; ${cure}.`,
        "workspace",
      );
    makeFolders(join(root, ".tidemark"), PRIVATE);
  }
  const files = { workspace: root, key };
  // A damaged database is mended first.
  const store = await openWorkspaceDatabase(root, { now, emit, key });
  const whole = wholeFile(databaseOf(files));
  return {
    ...{ at: root, isNew, store, whole, files, folder: diskFolder(root, () => {}) },
    reading: (work, as) =>
      exclusively(root, () =>
        whole.reading(ownedBy(as), ({ rows }) =>
          work({ rows, pages: (leftOut) => pages.filesOf(root, as, leftOut) }),
        ),
      ),
    standing: async (page) => pages.standing(root, page),
    put: (page) => exclusively(root, () => pages.putFile(root, page)),
  };
}

export function serverPlace(store: Storage): AnyWorkspace {
  const { whole, files } = store;
  if (whole === undefined || files === undefined)
    refuse(
      "This store cannot tell users apart, nor move: open a folder by `workspace`, or a server.",
      "capability",
    );
  const put = async ({ file: path, text }: pages.ArchivedFile): Promise<unknown> =>
    files.put([{ path, text, on: (await files.read(path))?.digest }], Date.now());
  return {
    ...{ at: whole.where, isNew: false, store, whole, put, folder: rowFolder(files, Date.now) },
    reading: (work, as) =>
      whole.reading(ownedBy(as), ({ rows, files: held = none }) =>
        work({ rows, pages: () => visible(held(), as) }),
      ),
    async standing(page) {
      if (page.text === undefined) return undefined;
      const held = await files.read(page.file);
      return pages.besideOld(held && Buffer.from(held.text), page);
    },
  };
}

async function* none() {}

async function* visible(held: AsyncIterable<pages.ArchivedFile>, as: Identity | undefined) {
  for await (const page of held)
    if (pages.wrongPage(page) === undefined && pages.isSeenBy(as, page.file)) yield page;
}

/** What is owed stays there, and such words must not leave. */
export async function mayLeave({ store, at }: AnyWorkspace): Promise<void> {
  if ((await store.debts()).some(({ kind }) => kind === "erase"))
    refuse(
      `Words of what was forgotten still stand in pages of ${at}. Open it once, so that they ` +
        "go, and do this again.",
      "workspace",
    );
}

const isEmpty = (root: string): boolean =>
  lookAt(root)?.isDirectory() === true ? readdirSync(root).length === 0 : !existsSync(root);

/** A real place, links followed; what is not there yet keeps its name. */
export function realOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const folder = dirname(path);
  return join(existsSync(folder) ? realpathSync(folder) : folder, basename(path));
}

/** Is it the folder, or does it lie in there? */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
