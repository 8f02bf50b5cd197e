import { realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { indexPages } from "../../engine/upkeep/rebuild.ts";
import { scopesOf } from "../../model/identity.ts";
import { Failure, lineOf, UsageError } from "../input/failure.ts";
import { JSON_FLAG, show, type Verb } from "../input/flags.ts";
import { needWorkspace, teller } from "../input/open.ts";
import { roomOf } from "../render/io.ts";
import { count } from "../render/numbers.ts";
import { plain, wrap } from "../render/text.ts";

/** For the hook of an editor or of git: what it names is found from now on. Exit 1 where one of the paths names no page. */
export const index: Verb = {
  flags: JSON_FLAG,
  examples: [
    "tidemark index workspace/notes/plan.md",
    "tidemark index workspace/records",
    "tidemark index workspace",
  ],
  async run(given, io) {
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
    const failed = inside
      .filter(({ path }) => path === undefined)
      .map(({ word }) => `${word} leads out of ${workspace}. Name a page inside it.`);
    const sum = { added: 0, changed: 0, gone: 0, chunks: 0 };
    for (const one of done) {
      if ("error" in one) failed.push(lineOf(one.error));
      else {
        for (const what of ["added", "changed", "gone"] as const) sum[what] += one[what].length;
        sum.chunks += one.chunks;
      }
    }
    const [first] = failed;
    if (first !== undefined && words.length === 1) throw new Failure(first);
    for (const line of failed) io.warn(plain(`tidemark: ${line}`));
    const { added, changed, gone, chunks } = sum;
    const said =
      added + changed + gone === 0
        ? "Nothing has changed: the index is as the pages are."
        : `Pages: ${added} added, ${changed} changed, ${gone} gone; ${count(chunks, "chunk")} read.`;
    show(given, io, sum, () => wrap(said, roomOf(io)));
    return failed.length > 0 ? 1 : 0;
  },
};

/** From the root of the workspace, "" for the root; a path is meant from the current folder, else from the workspace. Undefined: it leads out. */
function fromRoot(workspace: string, word: string): string | undefined {
  const root = resolve(workspace);
  const ways = [resolve(word), resolve(root, word)].flatMap((path) =>
    [root, realpathSync(root)].map((from) => relative(from, path)),
  );
  return ways
    .find((way) => way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way))
    ?.split(sep)
    .join("/");
}
