import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dictIn } from "../../core/base.ts";
import { reasonOf } from "../../core/errors-and-events.ts";
import { digest } from "../../core/text/cut.ts";
import type { Files } from "../../storage/files.ts";
import { openPostgres } from "../../storage/postgres/postgres-storage.ts";
import { diskFolder } from "../../workspace/disk/disk-folder.ts";
import { ownFile, pageAt as at } from "../../workspace/disk/folder.ts";
import { Failure, UsageError, type Verb, type VerbAnswer } from "../input/flags.ts";
import { type Io, paint, plain, table } from "../render/layout.ts";
import { ago, bytes, count } from "../render/numbers.ts";

/** The digest of each page as both sides had it last. */
const PULLED = ownFile("pulled.json");
/** The server's page stands beside a person's where both were changed. */
const THEIRS = ".server.md";
/** A page: no folder's own row, no backup, nothing that stands beside one. */
const isPage = (path: string): boolean => !/^\.tidemark\/|\/$/.test(path) && !path.endsWith(THEIRS);
const digestOf = (text: string | undefined): string => (text === undefined ? "" : digest(text));

/**
 * Brings what was changed on one side to the other. Where both were, a person's page stays, and
 * the server's is put beside it.
 */
async function bring(how: "pull" | "push", { files, dir, under = "", io }: Bringing) {
  mkdirSync(dir, { recursive: true });
  const folder = diskFolder(dir, (error) => io.warn(`tidemark: ${plain(reasonOf(error))}`));
  const last = new Map(Object.entries(dictIn((await folder.read(PULLED)) ?? "{}") ?? {}));
  const local = await folder.list(at("."));
  const paths = new Set([...last.keys(), ...local.map(({ place }) => place.path.slice(2))]);
  for (const { path } of await files.list(under)) paths.add(path);
  const both: string[] = [];
  let done = 0;
  for (const path of [...paths].filter(isPage)) {
    const [there, text] = await Promise.all([files.read(path), folder.read(at(path))]);
    const [theirs, ours, before = ""] = [digestOf(there?.text), digestOf(text), last.get(path)];
    const [isTheirs, isOurs] = [theirs !== before, ours !== before];
    if (theirs === ours) last.set(path, ours);
    else if (isTheirs && isOurs) {
      both.push(path);
      last.set(path, theirs);
      await folder.change(at(path + THEIRS), () => there?.text);
    } else if (how === "pull" && isTheirs) {
      await (there ? folder.change(at(path), () => there.text) : folder.remove(at(path)));
      last.set(path, theirs);
      done += 1;
    } else if (how === "push" && isOurs) {
      // Where it is another at this moment, it is looked at with the next push.
      const isDone = await files.put([{ path, text, on: there?.digest }], Date.now());
      if (isDone) last.set(path, ours);
      done += Number(isDone);
    }
  }
  await folder.change(PULLED, () => `${JSON.stringify(Object.fromEntries(last), null, 1)}\n`);
  return { done, both };
}

interface Bringing {
  readonly files: Files;
  readonly dir: string;
  readonly under?: string;
  readonly io: Io;
}

const answered = (said: string, found: Awaited<ReturnType<typeof bring>>): VerbAnswer => ({
  ...{ found, code: found.both.length > 0 ? 1 : 0 },
  lines: [
    found.both.map((path) =>
      paint.yellow(
        `! ${plain(path)} was changed on both sides: bring into it what stands in ` +
          `${plain(path + THEIRS)}, and push again.`,
      ),
    ),
    `${paint.green("✓")} ${count(found.done, "page")} ${said}.`,
  ],
});

const ACTS: Readonly<Record<string, (files: Files, word: string, io: Io) => Promise<VerbAnswer>>> =
  {
    async list(files, word) {
      const found = (await files.list(word)).filter(({ path }) => isPage(path));
      const rows = found.map(({ path, bytes: size, changed }) => [
        plain(path),
        bytes(size),
        ago(changed),
      ]);
      return { found, lines: [table(rows), found.length === 0 && "There are no pages yet."] };
    },
    pull: async (files, dir, io) =>
      answered("came from the server", await bring("pull", { files, dir, io })),
    push: async (files, dir, io) =>
      answered("went to the server", await bring("push", { files, dir, io })),
    async edit(files, under, io) {
      const dir = mkdtempSync(join(tmpdir(), "tidemark-"));
      await bring("pull", { files, dir, under, io });
      editWith(io, join(dir, under));
      const found = await bring("push", { files, dir, under, io });
      return answered(`written; a copy is in ${dir}`, found);
    },
  };

/** Opens a file in the person's editor. */
function editWith({ env }: Io, file: string): void {
  const [editor = "", ...args] = (env.VISUAL || env.EDITOR || "vi").split(" ");
  const { error } = spawnSync(editor, [...args, file], { stdio: "inherit" });
  if (error !== undefined)
    throw new Failure(
      `the editor "${editor}" could not be started (${error.message}); set EDITOR, or edit ` +
        `${file} yourself.`,
    );
}

/** Pages that are rows of a server, for people. */
export const files: Verb = {
  says: "list, pull DIR, push DIR, edit PATH: pages that a server keeps",
  takes: "ACT …",
  words: "any",
  examples: [
    'tidemark files list --workspace "postgres://db/acme"',
    "tidemark files pull pages",
    "tidemark files push pages",
    "tidemark files edit SOUL.md",
  ],
  async run({ words: [name = "", word = ""], store }, io) {
    const act = Object.hasOwn(ACTS, name) ? ACTS[name] : undefined;
    if (act === undefined || (word === "" && name !== "list"))
      throw new UsageError("files takes list, pull DIR, push DIR or edit PATH.");
    if (store === undefined)
      throw new UsageError(
        "files is for pages on a server: name it with --workspace or TIDEMARK_STORE; in a folder " +
          "they are files already.",
      );
    const storage = await openPostgres(store);
    try {
      if (storage.files === undefined) throw new Failure("this store keeps no pages.");
      return await act(storage.files, word, io);
    } finally {
      await storage.close();
    }
  },
};
