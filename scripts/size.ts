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

function tokensIn(text: string): number {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true, ts.LanguageVariant.Standard, text);
  let count = 0;
  while (scanner.scan() !== ts.SyntaxKind.EndOfFileToken) count += 1;
  return count;
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
