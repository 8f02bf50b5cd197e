import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "./packed.ts";

export const readme = readFileSync(join(REPOSITORY, "README.md"), "utf8");
export const measured = readFileSync(join(REPOSITORY, "docs/measured.md"), "utf8");
export const reference = readFileSync(join(REPOSITORY, "docs/reference.md"), "utf8");

export const toolsPage = readFileSync(join(REPOSITORY, "docs/tools.md"), "utf8");
export const hostingPage = readFileSync(join(REPOSITORY, "docs/hosting.md"), "utf8");
export const learningPage = readFileSync(join(REPOSITORY, "docs/learning.md"), "utf8");

/** Counts as `wc -w` does. */
export const wordsIn = (text: string): number => text.match(/\S+/g)?.length ?? 0;

/** The code blocks of one language, in order. */
export const blocks = (language: string, page = readme): string[] =>
  [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, code]) =>
    name === language ? [code ?? ""] : [],
  );

/** What stands in the first cells of the table under a heading. */
export function named(page: string, heading: string): string[] {
  const part = page.slice(page.indexOf(`\n## ${heading}\n`)).split(/\n## /)[1] ?? "";
  const cells = part
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|")[1] ?? "");
  return cells.flatMap((cell) => [...cell.matchAll(/`([\w.-]+)`/g)].map((match) => match[1] ?? ""));
}

export interface Figure {
  readonly row: string;
  readonly file: string;
  readonly path: readonly string[];
  readonly relation: "<" | ">";
  readonly bound: number;
}

/** The claim that stands in a comment beside each figure: `file/path/… < bound`. */
export const figures = (): Figure[] =>
  measured.split("\n").flatMap((row) => {
    const match = /<!-- (.+) ([<>]) ([\d.]+) -->/.exec(row);
    if (!match) return [];
    const [file = "", ...path] = (match[1] ?? "").split("/");
    return [
      {
        row: row.replace(/<!--.*-->/, ""),
        file,
        path,
        relation: match[2] as "<" | ">",
        bound: Number(match[3]),
      },
    ];
  });

/** What the reader of the README has already: a way to call a model. */
export const YOUR_MODEL = `export async function callModel(request: unknown): Promise<unknown> {
  const headers = { "content-type": "application/json", "x-api-key": process.env["ANTHROPIC_API_KEY"] ?? "", "anthropic-version": "2023-06-01" };
  const response = await fetch(process.env["ANTHROPIC_BASE_URL"] + "/v1/messages", { method: "POST", headers, body: JSON.stringify(request) });
  if (!response.ok) throw Object.assign(new Error(await response.text()), { status: response.status });
  return response.json();
}
`;

/** And a way to know the user of a request. */
export const YOUR_SESSION = `import type { IncomingMessage } from "node:http";
export const userOf = (request: IncomingMessage): string => String(request.headers["x-user"]);
`;
