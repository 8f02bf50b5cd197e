// Holds the language of src and page to the figures under "language" in package.json; `--list` names each place.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const WIDTH = 100;
/** A comment that begins so names a thing by a question word and has no subject. */
const NO_SUBJECT = /^(?:what|who|where|whose|of|so many)\b/i;
/** A bare superlative does not say what it bounds. */
const BARE = /^(?:LONGEST|MOST|LEAST|ROOM)$/;
const MOST_FILES_OF_A_TYPE = 2;

const found = {
  "comments without a subject, per mille": [] as string[],
  "types of one name in more than two files": [] as string[],
  "bare names of bounds": [] as string[],
  "lines over 100 characters": [] as string[],
};
type Rule = keyof typeof found;

const typeFiles = new Map<string, Set<string>>();
let comments = 0;

/** Joins line comments that stand under each other, as a reader does. */
function commentsOf(text: string): { at: number; words: string }[] {
  const all: { at: number; end: number; words: string; line: boolean }[] = [];
  const source = ts.createSourceFile("one.ts", text, ts.ScriptTarget.Latest, true);
  const seen = new Set<number>();
  const note = (range: ts.CommentRange): void => {
    if (seen.has(range.pos)) return;
    seen.add(range.pos);
    const raw = text.slice(range.pos, range.end);
    const line = raw.startsWith("//");
    const words = raw.replace(/^\/\/\s*|^\/\*+\s*/, "").replace(/\s*\*+\/$/, "");
    const last = all.at(-1);
    if (line && last?.line === true && /^\n[ \t]*$/.test(text.slice(last.end, range.pos)))
      last.end = range.end;
    else all.push({ at: range.pos, end: range.end, words, line });
  };
  const visit = (node: ts.Node): void => {
    if (node.kind !== ts.SyntaxKind.JsxText) {
      ts.getLeadingCommentRanges(text, node.pos)?.forEach(note);
      ts.getTrailingCommentRanges(text, node.end)?.forEach(note);
    }
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  return all;
}

const files = ["src", "page"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
);
for (const file of files) {
  if (!file.endsWith(".ts")) continue;
  const text = readFileSync(file, "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const at = (position: number): string =>
    `${file}:${source.getLineAndCharacterOfPosition(position).line + 1}`;
  const add = (rule: Rule, position: number, words: string): void => {
    found[rule].push(`${at(position)} ${words}`);
  };
  text.split("\n").forEach((line, index) => {
    if (line.length > WIDTH)
      found["lines over 100 characters"].push(`${file}:${index + 1} ${line.length}`);
  });
  for (const { at: position, words } of commentsOf(text)) {
    comments += 1;
    if (NO_SUBJECT.test(words))
      add("comments without a subject, per mille", position, words.slice(0, 80));
  }
  const visit = (node: ts.Node): void => {
    if (ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node))
      typeFiles.set(node.name.text, (typeFiles.get(node.name.text) ?? new Set()).add(file));
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && BARE.test(node.name.text))
      add("bare names of bounds", node.pos, node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
}
for (const [name, files] of typeFiles)
  if (files.size > MOST_FILES_OF_A_TYPE)
    found["types of one name in more than two files"].push(`${name}: ${[...files].join(" ")}`);

const page = JSON.parse(readFileSync("package.json", "utf8")) as {
  language: Record<Rule, number>;
};
for (const [rule, places] of Object.entries(found) as [Rule, string[]][]) {
  const figure = rule.endsWith("per mille")
    ? Math.ceil((places.length / Math.max(1, comments)) * 1000)
    : places.length;
  console.log(`${rule}: ${figure}`);
  if (process.argv.includes("--list")) for (const place of places) console.log(`  ${place}`);
  if (figure > page.language[rule]) {
    console.error(`${rule}: ${figure}; package.json allows ${page.language[rule]}`);
    process.exitCode = 1;
  }
}
