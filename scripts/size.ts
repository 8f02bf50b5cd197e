// How large src is: files, lines, and tokens of code (TypeScript's own, comments left out). `node scripts/size.ts REV` beside a revision.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

interface Size {
  readonly files: number;
  readonly lines: number;
  readonly tokens: number;
}

/** Leaves of the syntax tree: a scanner alone loses its way behind a template with a brace in it. */
function tokensIn(text: string): number {
  const source = ts.createSourceFile("one.ts", text, ts.ScriptTarget.Latest, true);
  const count = (node: ts.Node): number => {
    if (ts.isJSDoc(node)) return 0;
    const children = node.getChildren(source);
    return children.length === 0
      ? Number(node.getWidth(source) > 0)
      : children.reduce((sum, child) => sum + count(child), 0);
  };
  return count(source);
}

const sizeOf = (texts: readonly string[]): Size => ({
  files: texts.length,
  lines: texts.reduce((sum, text) => sum + text.split("\n").length, 0),
  tokens: texts.reduce((sum, text) => sum + tokensIn(text), 0),
});

const here = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => readFileSync(join("src", file), "utf8"));
console.table({ here: sizeOf(here) });

const [revision] = process.argv.slice(2);
if (revision !== undefined) {
  const git = (...words: string[]): string =>
    execFileSync("git", words, { encoding: "utf8", maxBuffer: 2 ** 28 });
  const texts = git("ls-tree", "-r", "--name-only", revision, "src")
    .split("\n")
    .filter((file) => file.endsWith(".ts"))
    .map((file) => git("show", `${revision}:${file}`));
  console.table({ [revision]: sizeOf(texts) });
}
