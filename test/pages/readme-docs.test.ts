import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../support/packed.ts";
import { wordsIn } from "../support/readme.ts";

const source = (path: string): string => readFileSync(join(REPOSITORY, path), "utf8");

const docs = readdirSync(join(REPOSITORY, "docs"))
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);

/** Words at most, of pages together. */
const BOUNDS: readonly (readonly [pages: readonly string[], words: number])[] = [
  [["README.md", ...docs], 11_000],
  [["CONTRIBUTING.md"], 1_100],
  [["docs/design.md"], 3_600],
  [["docs/measured.md"], 500],
];

describe("the pages", () => {
  it.each(BOUNDS)("are short enough to be read: %s", (pages, most) => {
    const words = pages.reduce((sum, page) => sum + wordsIn(source(page)), 0);
    expect(words, "as many words go as come").toBeLessThanOrEqual(most);
  });

  it("of docs are all looked at", () => {
    expect(docs.length).toBeGreaterThanOrEqual(6);
  });
});

describe.each(["README.md", "CONTRIBUTING.md", "SECURITY.md", ...docs])("%s", (page) => {
  it("names only files that are there", () => {
    const named = [
      ...source(page).matchAll(/`((?:src|test|scripts|bench|drill|examples)\/[\w./-]+)`/g),
    ].map((match) => match[1] ?? "");
    expect(
      named.filter((path) => !path.includes("NAME") && !existsSync(join(REPOSITORY, path))),
    ).toEqual([]);
  });

  it("links only to what is there", () => {
    const links = [...source(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(
      (match) => match[1] ?? "",
    );
    expect(links.filter((target) => !existsSync(join(REPOSITORY, dirname(page), target)))).toEqual(
      [],
    );
  });
});

describe("the promises of SECURITY.md", () => {
  it("name each the tests that hold them, or the code that cannot break them", () => {
    const [, table = ""] = /## Promises\n([\s\S]*?)\n## /.exec(source("SECURITY.md")) ?? [];
    const rows = table
      .split("\n")
      .filter((line) => line.startsWith("| "))
      .slice(1);
    expect(rows.length).toBeGreaterThan(20);
    expect(
      rows.filter((row) => !/\| `test\/[\w./-]+\.test\.ts`|\| no code of it /.test(row)),
    ).toEqual([]);
  });
});
