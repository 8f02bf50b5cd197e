import { createReadStream, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import type { Entry } from "yauzl";
import { reasonOf } from "../../core/errors-and-events.ts";
import { entriesIn } from "../../tidemark/upkeep/mend.ts";
import { Failure, isWorkspace } from "../input/flags.ts";
import { bytes } from "../render/numbers.ts";

/** A file to read: one that was named, or one in a folder or a ZIP. */
export interface Source {
  /** As it reads from the working folder. */
  readonly path: string;
  /** From the folder or the ZIP on. */
  readonly name: string;
  /** Its page in a workspace of OpenClaw; undefined for JSON. */
  readonly page?: string | undefined;
  /** From the beginning, each time. */
  readonly read: () => Promise<AsyncIterable<Buffer>>;
}

const CHATS =
  /(?:^|\/)(?:(?:conversations|memories)(?:-\d+)?\.json|memories\/[^/]+\.json|[^/]+\.jsonl)$/;
const PAGE =
  /^(?:[^/]+\/)?((?:SOUL|AGENTS|USER|HEARTBEAT|MEMORY)\.md|memory\/[\d-]{10}[^/\\\p{C}]*\.md)$/u;
/** Many a project has an AGENTS.md, and is no workspace. */
const OPENCLAW = /^(?:[^/]+\/)?(?:SOUL|MEMORY|IDENTITY)\.md$/;

/**
 * The files at a path that are known by their names; nothing else is opened, and no link is
 * followed. `pass` hears of the names of the others. Throws a Failure of one sentence.
 */
export async function* sourcesAt(
  path: string,
  pass: (name: string) => void,
): AsyncGenerator<Source> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new Failure(`${path}: there is no such file.`);
  const read = (file: string) => async (): Promise<AsyncIterable<Buffer>> => createReadStream(file);
  if (found.isDirectory()) {
    if (isWorkspace(path))
      throw new Failure(
        `${path} is a workspace of Tidemark: name it with --workspace, or export it first.`,
      );
    const files = (await entriesIn(path)).filter(({ entry }) => entry.isFile());
    for (const { name, page } of chosen(
      files.map((one) => one.path),
      pass,
    ))
      yield { path: join(path, name), name, page, read: read(join(path, name)) };
  } else if (!found.isFile()) {
    // What comes through a pipe comes once.
    const all = readFileSync(path);
    yield { path, name: basename(path), read: async () => Readable.from([all]) };
  } else if (await isZip(read(path))) yield* inZip(path, pass);
  else yield { path, name: basename(path), read: read(path) };
}

function chosen(names: readonly string[], pass: (name: string) => void) {
  // A workspace of Tidemark looks like one of OpenClaw, and is none.
  const ours = names.flatMap((name) => /^(?:.*\/)?(?=\.tidemark\/)/.exec(name) ?? []);
  const visible = names.filter(
    (name) =>
      !/(?:^|\/)(?:\.|__MACOSX\/)/.test(name) && !ours.some((folder) => name.startsWith(folder)),
  );
  const isOpenClaw = visible.some((name) => OPENCLAW.test(name));
  return visible.flatMap((name) => {
    const page = isOpenClaw ? PAGE.exec(name)?.[1] : undefined;
    if (page !== undefined || CHATS.test(name)) return { name, page };
    pass(name);
    return [];
  });
}

async function isZip(read: Source["read"]): Promise<boolean> {
  for await (const chunk of await read())
    return /^PK[\x03\x05]/.test(chunk.toString("latin1", 0, 3));
  return false;
}

/** No text is packed so small; a little file may be. */
const PACKED = { times: 200, from: 20_000_000 } as const;

/** Its entries are inflated as they are read, and nothing is unpacked. */
async function* inZip(path: string, pass: (name: string) => void): AsyncGenerator<Source> {
  const { openPromise } = await import("yauzl");
  const broken = (thrown: unknown): never => {
    throw new Failure(`${path} cannot be read as a ZIP (${reasonOf(thrown)}): download it again.`);
  };
  const zip = await openPromise(path, { autoClose: false, lazyEntries: true }).catch(broken);
  try {
    const entries = new Map<string, Entry>();
    try {
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
    } catch (thrown) {
      broken(thrown);
    }
    const names = [...entries.keys()].filter((name) => !name.endsWith("/"));
    for (const { name, page } of chosen(names, pass)) {
      const entry = entries.get(name);
      if (entry === undefined) continue;
      const { compressedSize: packed, uncompressedSize: size } = entry;
      if (entry.isEncrypted())
        throw new Failure(`${path} is encrypted: unpack it, and import the folder.`);
      if (size > PACKED.from && size > packed * PACKED.times)
        throw new Failure(
          `${path}: ${name} would be ${bytes(size)}, packed in ${bytes(packed)}, which no text ` +
            "is: nothing of it was read.",
        );
      yield { path: `${path}/${name}`, name, page, read: () => zip.openReadStreamPromise(entry) };
    }
  } finally {
    zip.close();
  }
}
