// Holds src to scripts/house.ts: no climb, no circle, clocks and provider names where they belong, no export without an importer.
// `--write` brings the table in docs/design.md up to date.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import ts from "typescript";
import { type Floor, HOUSE, type Room } from "./house.ts";

/** Ways in from outside, and the check every one of them makes first. */
const ENTRIES = ["index.ts", "node-version.ts"];
const CLOCK =
  /\b(?:setTimeout|setInterval|randomUUID)\(|\b(?:Date|performance)\.now\b|new Date\(\)|Math\.random/;
/** Texts of a database: they stand in one room. */
const SQL =
  /\bselect\s[^]*\sfrom\s|\binsert\s[^]*\binto\s|\bupdate\s\w+\sset\s|\bdelete\sfrom\s\w|\b(?:create|drop)\s(?:table|index)\s|^(?:begin immediate|rollback|pragma\s)/i;
const SQL_ROOM = /^storage\/(?:sqlite|postgres)\//;
const PROVIDER = /anthropic|openai|claude|gpt-|gemini/i;
const LENS = /^providers\/(?!common\/)[^/]+\//;

const problems: string[] = [];
const listed = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.includes("node_modules"),
  );
const files = listed("src");
const sources = new Map(
  files.map((file) => {
    const text = readFileSync(join("src", file), "utf8");
    return [file, ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)] as const;
  }),
);

/** The floor of each step on the way to a file, and the room it ends in. */
function placeOf(file: string): { floors: number[]; path: string[]; room: Room | undefined } {
  const [floors, path]: [number[], string[]] = [[], []];
  let inside: readonly Floor[] = HOUSE;
  let room: Room | undefined;
  for (const step of file.split("/").slice(0, -1)) {
    const floor = inside.findIndex((rooms) => rooms.some((one) => one.room === step));
    if (floor < 0) {
      problems.push(`${file} stands in no room of scripts/house.ts`);
      break;
    }
    room = inside[floor]?.find((one) => one.room === step);
    floors.push(floor);
    path.push(step);
    inside = room?.inside ?? [];
  }
  const floor = room?.ground?.includes(basename(file)) === true ? -1 : inside.length;
  return { floors: [...floors, floor], path: [...path, "."], room };
}
const places = new Map(files.map((file) => [file, placeOf(file)]));

interface Import {
  readonly target: string;
  readonly names: readonly string[] | "all";
}
function importsOf(source: ts.SourceFile, at: string): Import[] {
  const found: Import[] = [];
  const add = (spec: ts.Node | undefined, names: Import["names"]): void => {
    if (spec !== undefined && ts.isStringLiteral(spec) && spec.text.startsWith("."))
      found.push({ target: relative("src", join(dirname(at), spec.text)), names });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const bindings = node.importClause?.namedBindings;
      const named = bindings !== undefined && ts.isNamedImports(bindings);
      const all = bindings !== undefined && !named;
      add(
        node.moduleSpecifier,
        all
          ? "all"
          : named
            ? bindings.elements.map((one) => (one.propertyName ?? one.name).text)
            : [],
      );
    } else if (ts.isExportDeclaration(node)) {
      const clause = node.exportClause;
      const named = clause !== undefined && ts.isNamedExports(clause);
      add(
        node.moduleSpecifier,
        named ? clause.elements.map((one) => (one.propertyName ?? one.name).text) : "all",
      );
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], "all");
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node.argument.literal, "all");
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
const graph = new Map(
  [...sources].map(([file, source]) => [file, importsOf(source, join("src", file))]),
);

for (const [file, imports] of graph) {
  const from = places.get(file);
  if (from === undefined) continue;
  for (const { target } of imports) {
    const to = places.get(target);
    if (to === undefined || ENTRIES.includes(file) || ENTRIES.includes(target)) continue;
    const step = from.path.findIndex((name, index) => name !== to.path[index]);
    // Of files that lie in one folder each may know the other, as long as there is no circle.
    if (step < 0) continue;
    const [mine, other] = [from.floors[step] ?? 0, to.floors[step] ?? 0];
    if (other > mine) problems.push(`${file} climbs to ${target}`);
    else if (other === mine) problems.push(`${file} knows its neighbour ${target}`);
  }
}

const done = new Set<string>();
function visit(file: string, path: readonly string[]): void {
  if (path.includes(file))
    problems.push(`circle: ${[...path.slice(path.indexOf(file)), file].join(" → ")}`);
  if (path.includes(file) || done.has(file)) return;
  for (const { target } of graph.get(file) ?? []) visit(target, [...path, file]);
  done.add(file);
}
for (const file of files) visit(file, []);

function textsOf(source: ts.SourceFile): string[] {
  const found: string[] = [];
  const walk = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node))
      found.push(node.getText(source).slice(1, -1));
    ts.forEachChild(node, walk);
  };
  walk(source);
  return found;
}
for (const [file, source] of sources) {
  const text = textsOf(source).find((one) => SQL.test(one));
  if (text !== undefined && !SQL_ROOM.test(file))
    problems.push(`${file} speaks SQL, which stands in storage/sqlite/: ${text.slice(0, 60)}`);
}

/** The code alone: comments may name what they like. */
function codeOf(source: ts.SourceFile): string {
  const parts: string[] = [];
  const walk = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isJSDoc(node)) return;
    if (node.getChildCount(source) === 0) parts.push(node.getText(source));
    else for (const child of node.getChildren(source)) walk(child);
  };
  walk(source);
  return parts
    .join(" ")
    .replaceAll(/\s*([.(])\s*/g, "$1")
    .replaceAll("( )", "()");
}
for (const [file, source] of sources) {
  const room = places.get(file)?.room;
  if (ENTRIES.includes(file) || room === undefined) continue;
  const top = HOUSE.flat().find((one) => one.room === file.split("/")[0]);
  const code = codeOf(source);
  const has = (right: "clock" | "providers"): boolean =>
    room[right] === true ||
    (room[right] !== undefined && room[right].includes(basename(file))) ||
    top?.[right] === true;
  if (CLOCK.test(code) && !has("clock"))
    problems.push(`${file} reads a clock, waits or draws an id: ${CLOCK.exec(code)?.[0] ?? ""}`);
  const known = (graph.get(file) ?? []).find(({ target }) => LENS.test(target));
  if (known !== undefined && !has("providers"))
    problems.push(`${file} knows a provider's lens: ${known.target}`);
  if (PROVIDER.test(code) && !has("providers"))
    problems.push(`${file} names a provider: ${PROVIDER.exec(code)?.[0] ?? ""}`);
}

// A part of the rooms between memory and adapters asks for a small port; only the public options and interfaces are wide.
const MOST_MEMBERS = 12;
for (const [file, source] of sources)
  if (/^(?:session\/(?!options\/)|compaction\/(?!plan\.ts)|agents\/|tidemark\/)/.test(file))
    for (const node of source.statements)
      if (ts.isInterfaceDeclaration(node) && node.members.length > MOST_MEMBERS)
        problems.push(`${file}: ${node.name.text} has ${node.members.length} members`);

// Plain sentences: code and data are named for what they are.
for (const [file, source] of sources)
  for (const [riddle] of source.text.matchAll(/(?:\/\/|\*) .*\b(?:whoever|nobody)\b.*/gi))
    problems.push(`${file} speaks of nobody: ${riddle.slice(0, 80)}`);

/** What anything outside a file imports of it, tests and benches too. */
const wanted = new Map<string, Set<string> | "all">();
const note = ({ target, names }: Import): void => {
  const known = wanted.get(target) ?? new Set<string>();
  if (names === "all" || known === "all") wanted.set(target, "all");
  else wanted.set(target, new Set([...known, ...names]));
};
for (const imports of graph.values()) imports.forEach(note);
for (const folder of ["test", "bench", "drill", "examples", "scripts"])
  for (const file of listed(folder)) {
    const text = readFileSync(join(folder, file), "utf8");
    if (!text.includes("src/")) continue;
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    importsOf(source, join(folder, file)).forEach(note);
  }
// The contract suite shows these types whole, so that a storage can be written against them.
for (const [, shown] of readFileSync("scripts/contracts.d.ts", "utf8").matchAll(
  /^export type \* from "\.\/(.+)\.d\.ts"/gm,
))
  note({ target: `${shown}.ts`, names: "all" });
for (const [file, source] of sources) {
  const names = wanted.get(file) ?? new Set<string>();
  if (names === "all" || file === "index.ts" || /^adapters\/[\w-]+\.ts$/.test(file)) continue;
  for (const statement of source.statements) {
    const exported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (exported !== true) continue;
    const declared = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.map(({ name }) => name.getText(source))
      : [(statement as ts.DeclarationStatement).name?.getText(source) ?? ""];
    for (const name of declared)
      if (/^\w+$/.test(name) && !names.has(name))
        problems.push(`${file} exports ${name}, which nothing imports`);
  }
}

const sizes = [...sources.values()]
  .map((source) => source.text.split("\n").length)
  .sort((a, b) => a - b);
const median = sizes[Math.floor(sizes.length / 2)] ?? 0;

/** The same table for people, without the rooms inside rooms. */
const rowsOf = (floors: readonly Floor[]): string[] =>
  floors.flatMap((rooms, floor) =>
    rooms.map(({ room, holds }) => `| ${floor} | \`${room}\` | ${holds} |`),
  );
const [OPEN, CLOSE] = ["<!-- rooms -->", "<!-- /rooms -->"];
const table = [
  OPEN,
  "",
  "| floor | room | holds |",
  "|---|---|---|",
  ...rowsOf(HOUSE),
  "",
  CLOSE,
].join("\n");
const page = readFileSync("docs/design.md", "utf8");
const shown = page.slice(page.indexOf(OPEN), page.indexOf(CLOSE) + CLOSE.length);
if (shown !== table) {
  if (process.argv.includes("--write"))
    writeFileSync(
      "docs/design.md",
      page.replace(shown, () => table),
    );
  else problems.push("docs/design.md shows another table: node scripts/layers.ts --write");
}

for (const problem of problems) console.error(problem);
console.log(
  `${files.length} files, median ${median} lines, longest ${sizes.at(-1) ?? 0}, ${problems.length} problems`,
);
process.exit(problems.length > 0 ? 1 : 0);
