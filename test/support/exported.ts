// The exported functions of a room that take a text, read from its source: what is exported tomorrow is swept tomorrow.
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import ts from "typescript";
import { made, type Types } from "./made-arguments.ts";

export interface Exported {
  /** "text/sentences.ts wholeHead". */
  readonly name: string;
  readonly run: (text: string) => unknown;
}

const SOURCE = new URL("../../src/", import.meta.url);
/** What opens files or databases by a text is no reader of it. */
const OPENS =
  /from "node:(?:fs|child_process|worker_threads)|from "better-sqlite3|open-tidemark\.ts"|^#!/m;

type Callable = ts.FunctionDeclaration | ts.ArrowFunction | ts.FunctionExpression;

const parse = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(new URL(file, SOURCE), "utf8"), ts.ScriptTarget.Latest);

const isExported = (node: ts.FunctionDeclaration | ts.VariableStatement): boolean =>
  node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;

/** A function, also one that is given to another which remembers what it made. */
function callableIn(node: ts.Expression | undefined): Callable | undefined {
  if (node === undefined) return undefined;
  if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) return node;
  const [first] = ts.isCallExpression(node) ? node.arguments : [];
  return first !== undefined && ts.isArrowFunction(first) ? first : undefined;
}

function functionsOf(source: ts.SourceFile): { name: string; node: Callable }[] {
  return source.statements.flatMap((statement) => {
    if (ts.isFunctionDeclaration(statement) && isExported(statement))
      return [{ name: statement.name?.text ?? "default", node: statement }];
    if (!ts.isVariableStatement(statement) || !isExported(statement)) return [];
    return statement.declarationList.declarations.flatMap((declaration) => {
      const node = callableIn(declaration.initializer);
      return node === undefined || !ts.isIdentifier(declaration.name)
        ? []
        : [{ name: declaration.name.text, node }];
    });
  });
}

/** All names of types in the source; of two with one name the first. */
function typesIn(sources: readonly ts.SourceFile[]): Types {
  const types = new Map<string, ts.InterfaceDeclaration | ts.TypeAliasDeclaration>();
  for (const { statements } of sources)
    for (const one of statements)
      if (
        (ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one)) &&
        !types.has(one.name.text)
      )
        types.set(one.name.text, one);
  return types;
}

/** As a file knows them: its own and those it imports, before any of the same name elsewhere. */
function typesFor(source: ts.SourceFile, sources: readonly ts.SourceFile[], all: Types): Types {
  const imported = source.statements.flatMap((one) => {
    if (!ts.isImportDeclaration(one) || !ts.isStringLiteral(one.moduleSpecifier)) return [];
    const path = join(dirname(source.fileName), one.moduleSpecifier.text);
    return sources.filter(({ fileName }) => fileName === path);
  });
  return new Map([...all, ...[...imported, source].flatMap((one) => [...typesIn([one])])]);
}

const work = async (result: unknown): Promise<void> => {
  const found = await result;
  if (typeof found === "object" && found !== null && Symbol.iterator in found)
    Array.from(found as Iterable<unknown>);
};

/** `left`: those that take a text somewhere, and that no plain values can be made for. */
export async function exportedOf(
  rooms: readonly string[],
): Promise<{ found: Exported[]; left: string[] }> {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const sources = files.filter((file) => basename(file) !== "main.ts").map(parse);
  const types = typesIn(sources);
  const [found, left]: [Exported[], string[]] = [[], []];
  for (const source of sources) {
    if (!rooms.some((room) => source.fileName.startsWith(room)) || OPENS.test(source.text))
      continue;
    const module = (await import(new URL(source.fileName, SOURCE).href)) as Record<string, unknown>;
    for (const { name, node } of functionsOf(source)) {
      const call = module[name];
      const make = made(node, source, typesFor(source, sources, types));
      if (typeof call !== "function" || make === "no text") continue;
      const shown = join(source.fileName, name);
      if (make === undefined) left.push(shown);
      else
        found.push({
          name: shown,
          run: (text) => work((call as (...given: unknown[]) => unknown)(...make(text))),
        });
    }
  }
  return { found, left };
}
