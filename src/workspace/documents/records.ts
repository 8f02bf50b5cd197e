import { refuse } from "../../core/errors-and-events.ts";
import type { Scope } from "../../core/identity.ts";
import { clip, oneLine } from "../../core/text/cut.ts";
import {
  fileOf,
  type FilePlace,
  type Folder,
  folderOf,
  type Listed,
  placeIn,
  safeName,
  shown,
  type Tell,
  troubled,
  unpercent,
} from "../disk/folder.ts";
import { backupAt, backUp } from "../pages/first-pages-and-backups.ts";
import { readRecord, type RecordHead, writeRecord } from "./record-file.ts";

/** A page of `records/<category>`, with what its front matter says. Times are ms since epoch. */
export interface StoredRecord extends RecordHead {
  /** Outlives renames and moves. Of a page that has none yet: its place. */
  readonly id: string;
  readonly scope: Scope;
  readonly category: string;
  /** The file's name without its ending. */
  readonly name: string;
  /** From the root of the workspace. */
  readonly path: string;
  readonly content: string;
}

/**
 * What a writer may set, as the front matter says it. Undefined leaves a value as it is, null takes
 * it out.
 */
export interface RecordChange extends Partial<
  Pick<StoredRecord, "content" | "source" | "aliases" | "keywords">
> {
  readonly until?: string | null;
  readonly archived?: true | null;
}

/** Files of one scope that are read for their heads. */
const MOST_RECORDS = 5_000;
const NAME = 60;
const FOLDER = "records";

/** A moment as the front matter says it. */
export const momentText = (at: number): string => new Date(at).toISOString().replace(".000Z", "Z");

type NewRecord = RecordChange & {
  id: string;
  at: number;
  category: string;
  name?: string;
  content: string;
};

/** Reads records, each file once as long as it stays as it is. */
function recordReader(folder: Folder, tell: Tell) {
  /** Files by their paths, as they were read last; undefined for one that could not be read. */
  const known = new Map<string, { stamp: string; record: StoredRecord | undefined }>();

  async function read(scope: Scope, { place, stamp }: Listed): Promise<StoredRecord | undefined> {
    const path = shown(place);
    const last = known.get(path);
    if (last?.stamp === stamp) return last.record;
    const file = readRecord((await folder.read(place)) ?? "");
    if ("broken" in file)
      tell(troubled(`The front matter of ${path} cannot be read: ${file.broken}. Mend it.`));
    const record = "broken" in file ? undefined : recordOf(scope, place, file.head, file.body);
    known.set(path, { stamp, record });
    return record;
  }

  async function readAt(scope: Scope, place: FilePlace): Promise<StoredRecord | undefined> {
    const [listed] = await folder.list(place);
    return listed && read(scope, listed);
  }

  async function all(scope: Scope): Promise<StoredRecord[]> {
    const listed = await folder.list(fileOf(scope, FOLDER));
    const found: StoredRecord[] = [];
    for (const one of listed.slice(0, MOST_RECORDS)) {
      const record = await read(scope, one);
      if (record !== undefined) found.push(record);
    }
    return withOwnIds(found, tell);
  }

  return { all, readAt };
}

/**
 * Markdown files with YAML front matter, by category; agents, people and editors write them alike.
 * What was replaced is kept under .tidemark/backups until the record is removed. Rejects with
 * "config" or "workspace". `change` and `remove` stand within `alone`, as does the look for what
 * they are given; `isFound` says whether a search may show a page, which is not archived or over
 * then.
 */
export function recordsIn(folder: Folder, tell: Tell) {
  const { all, readAt } = recordReader(folder, tell);

  async function written(scope: Scope, place: FilePlace): Promise<StoredRecord> {
    return (
      (await readAt(scope, place)) ??
      refuse(`The record ${shown(place)} was taken away as it was written.`, "conflict")
    );
  }

  return {
    all,
    add: (scope: Scope, given: NewRecord) =>
      folder.alone(async () => {
        const { id, at, content, category, name = slug(content), ...rest } = given;
        const now = momentText(at);
        const head = { id, category, created: now, updated: now, ...rest };
        const place = await freePlace(folder, { scope, category, name });
        await folder.change(place, () => writeRecord("", { head, body: content }));
        return written(scope, place);
      }),
    /**
     * Changes a record where it stands, or moves it to another category. A page without front
     * matter gets one, with the id; `at`: ms since epoch.
     */
    async change(
      record: StoredRecord,
      given: RecordChange & { id: string; at: number; category?: string },
    ) {
      const { scope, name, path } = record;
      const { id: fresh, at, content, category = record.category, ...rest } = given;
      const from = placeOf(record);
      const before = (await folder.read(from)) ?? "";
      const id = record.id === path ? fresh : record.id;
      await backUp(folder, { name: copiesOf(id), text: before, now: at }, scope);
      const created = momentText(record.created ?? at);
      const head = { id, category, created, updated: momentText(at), ...rest };
      const body = content ?? record.content;
      // The file itself is moved then: at every moment it stands in one of the two places.
      await folder.change(from, () => writeRecord(before, { head, body }));
      if (category === record.category) return written(scope, from);
      const to = await freePlace(folder, { scope, category, name });
      await folder.move(from, to);
      return written(scope, to);
    },
    async remove(record: StoredRecord) {
      await folder.remove(placeOf(record));
      await folder.remove(backupAt(record.scope, copiesOf(record.id)));
    },
    async isFound(scope: Scope, path: string, now: number) {
      const place = placeOf({ scope, path });
      if (!place.path.startsWith(`${FOLDER}/`)) return true;
      const record = await readAt(scope, place);
      return record === undefined || (!record.archived && (record.until ?? Infinity) > now);
    },
  };
}

/** Old texts of a record, wherever it stood: its id tells them. */
const copiesOf = (id: string): string => `${FOLDER}/${safeName(id)}`;

/** A place in the category where nothing stands. */
async function freePlace(
  folder: Folder,
  { scope, category, name }: Pick<StoredRecord, "scope" | "category" | "name">,
): Promise<FilePlace> {
  const parent = `${FOLDER}/${safeName(category)}`;
  const taken = new Set((await folder.list(fileOf(scope, parent))).map(({ place }) => place.path));
  for (let again = 1; ; again += 1) {
    const path = `${parent}/${safeName(again === 1 ? name : `${name}-${again}`)}.md`;
    if (!taken.has(path)) return fileOf(scope, path);
  }
}

function recordOf(scope: Scope, place: FilePlace, head: RecordHead, content: string): StoredRecord {
  const parts = place.path.split("/");
  const path = shown(place);
  return {
    ...head,
    id: head.id ?? path,
    scope,
    category: parts.length > 2 ? unpercent(parts[1] ?? "general") : "general",
    name: (parts.at(-1) ?? "").replace(/\.md$/i, ""),
    path,
    content,
  };
}

const placeOf = ({ scope, path }: Pick<StoredRecord, "scope" | "path">): FilePlace =>
  placeIn(folderOf(scope), path);

/**
 * Of two records with one id the older keeps it: a copied file is a record of its own, known by its
 * place.
 */
function withOwnIds(records: readonly StoredRecord[], tell: (error: unknown) => void) {
  const byAge = [...records].sort(
    (one, other) =>
      (one.created ?? Infinity) - (other.created ?? Infinity) || (one.path < other.path ? -1 : 1),
  );
  const ids = new Set<string>();
  return byAge.map((record) => {
    if (!ids.has(record.id)) {
      ids.add(record.id);
      return record;
    }
    tell(
      troubled(
        `${record.path} has the id of an older record, which keeps it. Take the line \`id\` out.`,
      ),
    );
    return { ...record, id: record.path };
  });
}

/** A file name from the first line of a text. */
function slug(content: string): string {
  const line = content.split("\n").find((one) => one.trim() !== "") ?? "";
  const words = clip(oneLine(line), NAME)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  return words === "" ? "record" : words;
}
