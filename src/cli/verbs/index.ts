import { realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { indexPages } from "../../engine/upkeep/rebuild.ts";
import { scopesOf } from "../../model/identity.ts";
import { Failure, lineOf, UsageError } from "../input/failure.ts";
import { type Flags, type Given, JSON_FLAG, show } from "../input/flags.ts";
import { needWorkspace, teller } from "../input/open.ts";
import { roomOf, type Io } from "../render/io.ts";
import { count } from "../render/numbers.ts";
import { plain, wrap } from "../render/text.ts";

export const flags: Flags = JSON_FLAG;
export const examples = [
  "tidemark index workspace/notes/plan.md",
  "tidemark index workspace/records",
  "tidemark index workspace",
];

/** For the hook of an editor or of git: what it names is found from now on. Exit 1 where one of the paths names no page. */
export async function run(given: Given, io: Io): Promise<number> {
  const { words, workspace } = given;
  if (words.length === 0)
    throw new UsageError(
      "index takes pages or folders of them: tidemark index workspace/notes/plan.md.",
    );
  needWorkspace(workspace);
  const inside = words.map((word) => ({ word, path: fromRoot(workspace, word) }));
  const paths = inside.flatMap(({ path }) => path ?? []);
  const done = await indexPages(
    { workspace, paths, scopes: scopesOf(given.identity) },
    { now: Date.now, emit: teller(io) },
  );
  const failed = [
    ...inside
      .filter(({ path }) => path === undefined)
      .map(({ word }) => `${word} leads out of ${workspace}. Name a page inside it.`),
    ...done.flatMap((one) => ("error" in one ? [lineOf(one.error)] : [])),
  ];
  const sum = { added: 0, changed: 0, gone: 0, chunks: 0 };
  for (const one of done) {
    if ("error" in one) continue;
    for (const what of ["added", "changed", "gone"] as const) sum[what] += one[what].length;
    sum.chunks += one.chunks;
  }
  const [last] = failed;
  if (last !== undefined && failed.length === words.length && words.length === 1)
    throw new Failure(last);
  for (const line of failed) io.warn(plain(`tidemark: ${line}`));
  show(given, io, sum, () => wrap(said(sum), roomOf(io)));
  return failed.length > 0 ? 1 : 0;
}

interface Sum {
  readonly added: number;
  readonly changed: number;
  readonly gone: number;
  readonly chunks: number;
}

function said({ added, changed, gone, chunks }: Sum): string {
  if (added + changed + gone === 0) return "Nothing has changed: the index is as the pages are.";
  return `Pages: ${added} added, ${changed} changed, ${gone} gone; ${count(chunks, "chunk")} read.`;
}

/** From the root of the workspace, "" for the root; a path is meant from the current folder, else from the workspace. Undefined: it leads out. */
function fromRoot(workspace: string, word: string): string | undefined {
  const root = resolve(workspace);
  const roots = [root, realpathSync(root)];
  for (const path of [resolve(word), resolve(root, word)])
    for (const one of roots) {
      const way = relative(one, path);
      if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) continue;
      return way.split(sep).join("/");
    }
  return undefined;
}
