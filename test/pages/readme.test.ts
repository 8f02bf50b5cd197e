import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { VERBS } from "../../src/cli/verbs.ts";
import { ERROR_CODES } from "../../src/core/errors-and-events.ts";
import { REPOSITORY } from "../support/packed.ts";
import { blocks, figures, measured, named, readme, reference, wordsIn } from "../support/readme.ts";

const source = (path: string): string => readFileSync(join(REPOSITORY, path), "utf8");
/** Names of the members of an interface in a source file. */
const members = (path: string, name: string): string[] => {
  const body = source(path).split(`export interface ${name} {`)[1]?.split("\n}")[0] ?? "";
  return [...body.matchAll(/^ {2}(\w+)\??:/gm)].map((match) => match[1] ?? "");
};

describe("the README", () => {
  it("is short enough to be read in five minutes", () => {
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(200);
    expect(wordsIn(readme)).toBeLessThanOrEqual(1_250);
  });

  it("names only npm scripts that are there", () => {
    const { scripts } = JSON.parse(source("package.json")) as { scripts: Record<string, string> };
    const named = [
      ...readme.matchAll(/\bnpm (?:run )?(?!ci|i |init|install|pack|pkg)(\w[\w:]*)/g),
    ].map((match) => match[1] ?? "");
    expect(named.length).toBeGreaterThanOrEqual(2);
    for (const name of named) expect(Object.keys(scripts)).toContain(name);
    expect(
      blocks("sh")
        .join("\n")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => line.replace(/ *#.*/, "")),
    ).toEqual(["npm ci && npm run demo", "npm ci && npm test"]);
  });

  it("names no option that is not there", () => {
    const there = members("src/session/options/turn-and-option-types.ts", "Options");
    const shown = named(readme, "Options");
    expect(shown.length).toBeGreaterThanOrEqual(6);
    expect(shown.filter((name) => !there.includes(name))).toEqual([]);
  });

  it("names no way in that is not exported", () => {
    const { exports } = JSON.parse(source("package.json")) as { exports: Record<string, unknown> };
    const rows = [...readme.matchAll(/^\| [^|]+ \| `([\w-]+)` \| `([^|]+)` \|$/gm)];
    expect(rows.length).toBeGreaterThanOrEqual(7);
    for (const [row, from = "", line = ""] of rows) {
      expect(Object.keys(exports), row).toContain(`./${from}`);
      const [, name = ""] = /(\w+)\((?:client, )?tidemark\)/.exec(line) ?? [];
      expect(source(`src/adapters/${from}.ts`), row).toMatch(
        new RegExp(`export (?:function|class) ${name}\\b`),
      );
    }
  });

  it("names no verb that is not there", () => {
    const shown = [...readme.matchAll(/npx tidemark (\w+)/g)].map((match) => match[1] ?? "");
    expect(shown.filter((verb) => !(verb in VERBS))).toEqual([]);
  });

  it("states no figure that a committed bench does not bear out", () => {
    expect(figures().length).toBeGreaterThanOrEqual(4);
    for (const { row, file, path, relation, bound } of figures()) {
      const found = path.reduce<unknown>(
        (value, key) => (value as Record<string, unknown> | undefined)?.[key],
        JSON.parse(source(`bench/results/${file}.json`)),
      );
      expect(typeof found, `${file}: ${path.join(" / ")}`).toBe("number");
      if (relation === "<") expect(found, row).toBeLessThan(bound);
      else expect(found, row).toBeGreaterThan(bound);
      const said = Number(
        /[\d.]+(?= (?:%|ms|MB) *\|? *$)/.exec(row.replace(/\|\s*$/, "").trimEnd())?.[0],
      );
      expect([bound, bound * 100], row).toContain(said);
    }
  });

  it("says of the drill what the drill has found, and that nothing was lost", () => {
    const { summary } = JSON.parse(source("bench/results/drill.json")) as {
      summary: { what: string; tried: number; lost: number }[];
    };
    expect(summary.length).toBeGreaterThanOrEqual(8);
    const many = (count: number): string => count.toLocaleString("en");
    for (const { what, tried, lost } of summary) {
      expect(lost, what).toBe(0);
      expect(measured).toContain(`| ${what} | ${many(tried)} |`);
    }
  });
});

describe("docs/reference.md", () => {
  it("names every option there is, and no other", () => {
    const there = [
      ...members("src/session/options/turn-and-option-types.ts", "Options"),
      ...members("src/session/options/turn-and-option-types.ts", "AdvancedOptions").map(
        (name) => `advanced.${name}`,
      ),
      ...members("src/session/options/save-and-fold-marks.ts", "WindowOptions").map(
        (name) => `window.${name}`,
      ),
    ];
    // Parts of an option that is an object of its own may have rows, too.
    const shown = named(reference, "Options");
    expect(
      there.filter((name) => !shown.some((one) => one === name || one.startsWith(`${name}.`))),
    ).toEqual([]);
    expect(
      shown.filter((name) => !there.includes(name) && !there.includes(name.split(".")[0] ?? "")),
    ).toEqual([]);
  });

  it("names every variable of ours that the code reads from the environment, and no other", () => {
    const root = join(REPOSITORY, "src");
    const read = readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .flatMap(
        (path) =>
          source(join("src", path)).match(/\bTIDEMARK(?:_[A-Z]+)+\b|\benv\.TIDEMARK\b/g) ?? [],
      )
      .map((name) => name.replace("env.", ""));
    const shown = named(reference, "Environment").filter((name) => name.startsWith("TIDEMARK"));
    expect(shown.sort()).toEqual([...new Set(read)].sort());
  });

  it("has thirty-six options at most, the parts of each counted", () => {
    const later: readonly string[] = [
      "archive",
      "consolidate",
      "inferable",
      "levels",
      "procedures",
      "read",
      "writers",
    ];
    const partly = "src/session/options/turn-and-option-types.ts";
    const parts: Readonly<Record<string, readonly string[]>> = {
      identity: members("src/core/identity.ts", "Identity"),
      distil: members(partly, "DistilOptions"),
      window: members("src/session/options/save-and-fold-marks.ts", "WindowOptions"),
      recall: members(partly, "TurnRecallOptions"),
      history: members(partly, "HistoryOptions"),
      inject: ["tokens"],
    };
    const all = [
      ...members(partly, "Options").filter((name) => name !== "advanced" && !later.includes(name)),
      ...members(partly, "AdvancedOptions"),
    ].flatMap((name) => parts[name] ?? [name]);
    expect(Object.values(parts).filter((names) => names.length === 0)).toEqual([]);
    expect(all.length, all.join(" ")).toBeLessThanOrEqual(36);
  });

  it("names every event there is, and no other", () => {
    const there = [...source("src/core/errors-and-events.ts").matchAll(/type: "([\w-]+)"/g)].map(
      (match) => match[1] ?? "",
    );
    expect(named(reference, "Events").sort()).toEqual([...new Set(there)].sort());
  });

  it("names all that a notice is about, and nothing else", () => {
    const [, notices = ""] =
      /^type Notice =([\s\S]*?)^export type TidemarkEvent/m.exec(
        source("src/core/errors-and-events.ts"),
      ) ?? [];
    const about = [...notices.matchAll(/about: ((?:"[\w-]+"(?: \| )?)+)|^ {2}\| ("[\w-]+")/gm)];
    const there = about.flatMap(([, some, one]) => (some ?? one ?? "").match(/[\w-]+/g) ?? []);
    expect(named(reference, "Notices").sort()).toEqual(there.sort());
  });

  it("says of every error code when it comes and what to do, and of no other", () => {
    expect(named(reference, "Errors").sort()).toEqual([...ERROR_CODES].sort());
    const rows =
      (reference.split("\n## Errors\n")[1] ?? "")
        .split("\n## ")[0]
        ?.split("\n")
        .filter((line) => line.startsWith("| `")) ?? [];
    expect(
      rows.filter((row) =>
        row
          .split("|")
          .slice(2, 4)
          .some((cell) => cell.trim().length < 10),
      ),
    ).toEqual([]);
  });

  it("names every verb of the command line, and no other", () => {
    expect(named(reference, "Command line").sort()).toEqual(Object.keys(VERBS).sort());
  });

  it("has no cell of thirty words or more", () => {
    const cells = reference
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .flatMap((line) => line.split("|"));
    expect(cells.length).toBeGreaterThan(300);
    expect(cells.filter((cell) => wordsIn(cell) >= 30)).toEqual([]);
  });
});
