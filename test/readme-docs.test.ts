import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "./support/packed.ts";

const source = (path: string): string => readFileSync(join(REPOSITORY, path), "utf8");

describe.each([
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "docs/design.md",
  "docs/reference.md",
])("%s", (page) => {
  it("names only files that are there", () => {
    const named = [
      ...source(page).matchAll(/`((?:src|test|scripts|bench|examples)\/[\w./-]+)`/g),
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

describe("the map in CONTRIBUTING.md", () => {
  it("has every room of the executed table, on its floor", () => {
    const table = /const FLOORS = (\[[\s\S]*?\n\]);/.exec(source("scripts/layers.ts"))?.[1] ?? "[]";
    const floors = JSON.parse(table.replace(/,(\s*\])/g, "$1")) as string[][];
    const rows = source("CONTRIBUTING.md")
      .split("\n")
      .flatMap((line) => {
        const match = /^\| (\d) \| (.+?) \|/.exec(line);
        return match
          ? [
              {
                floor: Number(match[1]),
                rooms: [...(match[2] ?? "").matchAll(/`([\w.]+)`/g)].map((room) => room[1] ?? ""),
              },
            ]
          : [];
      });
    const there = floors
      .flatMap((rooms, floor) =>
        rooms
          .filter((room) => existsSync(join(REPOSITORY, "src", room)))
          .map((room) => `${floor} ${room}`),
      )
      .filter((place) => !place.endsWith("node-version.ts"));
    expect(
      rows.flatMap(({ floor, rooms }) => rooms.map((room) => `${floor} ${room}`)).sort(),
    ).toEqual(there.sort());
  });
});
