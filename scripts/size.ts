// Counts TypeScript's tokens of code (comments left out) in src, test and page, and fails above the budget in package.json.
// `node scripts/size.ts --write` lowers the budget to what there is, never raises it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** Counts leaves of the syntax tree: a scanner alone loses its way behind a template with a brace in it. */
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

export function sizeOf(folder: string): { files: number; lines: number; tokens: number } {
  const texts = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.includes("node_modules"))
    .map((file) => readFileSync(join(folder, file), "utf8"));
  return {
    files: texts.length,
    lines: texts.reduce((sum, text) => sum + text.split("\n").length, 0),
    tokens: texts.reduce((sum, text) => sum + tokensIn(text), 0),
  };
}

const FOLDERS = ["src", "test", "page"] as const;
type Folder = (typeof FOLDERS)[number];

function check(): void {
  const page = readFileSync("package.json", "utf8");
  const budget = (JSON.parse(page) as { size: Record<Folder, number> }).size;
  const sizes = { src: sizeOf("src"), test: sizeOf("test"), page: sizeOf("page") };
  console.table(sizes);

  if (process.argv.includes("--write")) {
    const lower = (name: Folder): number => Math.min(budget[name], sizes[name].tokens);
    const lines = FOLDERS.map((name) => `    "${name}": ${lower(name)}`).join(",\n");
    writeFileSync("package.json", page.replace(/"size": \{[^}]*\}/, `"size": {\n${lines}\n  }`));
  }
  for (const name of FOLDERS)
    if (sizes[name].tokens > budget[name] && !process.argv.includes("--write")) {
      console.error(
        `${name} has ${sizes[name].tokens} tokens of code; package.json allows ${budget[name]}`,
      );
      process.exitCode = 1;
    }
}

if (import.meta.main) check();
