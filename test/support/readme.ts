import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "./packed.ts";

export const readme = readFileSync(join(REPOSITORY, "README.md"), "utf8");

/** The code blocks of one language, in order. */
export const blocks = (language: string): string[] => [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, code]) => (name === language ? [code ?? ""] : []));

/** First cells of the table under a heading. */
export function firstCells(heading: string): string[] {
  const part = readme.slice(readme.indexOf(`\n## ${heading}\n`)).split(/\n## /)[1] ?? "";
  return part.split("\n").filter((line) => line.startsWith("| `")).map((line) => line.split("|")[1] ?? "");
}

export interface Figure {
  readonly row: string;
  readonly file: string;
  readonly path: readonly string[];
  readonly relation: "<" | ">";
  readonly bound: number;
}

/** What stands behind each figure, in a comment beside it: `file / path / … < bound`. */
export const figures = (): Figure[] =>
  readme.split("\n").flatMap((row) => {
    const match = /<!-- (.+) ([<>]) ([\d.]+) -->/.exec(row);
    if (!match) return [];
    const [file = "", ...path] = (match[1] ?? "").split(" / ");
    return [{ row: row.replace(/<!--.*-->/, ""), file, path, relation: match[2] as "<" | ">", bound: Number(match[3]) }];
  });
