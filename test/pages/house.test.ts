import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { freshFolder } from "../support/anthropic.ts";
import { REPOSITORY } from "../support/packed.ts";

const built = (): string => {
  const root = freshFolder();
  for (const part of ["src", "scripts", "docs/design.md", "package.json"])
    cpSync(join(REPOSITORY, part), join(root, part), { recursive: true });
  for (const part of ["test", "bench", "drill", "examples", "node_modules"])
    symlinkSync(join(REPOSITORY, part), join(root, part));
  return root;
};
const checked = (root: string): string =>
  spawnSync(process.execPath, ["scripts/layers.ts"], { cwd: root, encoding: "utf8" }).stderr;

describe("the check of the house", () => {
  it("names every kind of fault", () => {
    const root = built();
    const faults: [file: string, code: string, told: RegExp][] = [
      [
        "core/memory.ts",
        'import "../tidemark/open-tidemark.ts";',
        /memory\.ts climbs to tidemark\/open-tidemark\.ts/,
      ],
      [
        "compaction/plan-question.ts",
        'import "../tidemark/turn/begin.ts";',
        /plan-question\.ts climbs to tidemark\/turn\/begin/,
      ],
      [
        "tidemark/pins.ts",
        'export const PINS = "select id from pin";',
        /pins\.ts speaks SQL, which stands in storage\/sqlite\/: select id/,
      ],
      [
        "core/tokens/scripts.ts",
        'import "../text/cut.ts";',
        /scripts\.ts knows its neighbour core\/text\/cut/,
      ],
      ["core/base.ts", 'import "./text/cut.ts";', /base\.ts climbs to core\/text\/cut/],
      [
        "adapters/embedders/http.ts",
        'import "../anthropic/messages-api.ts";',
        /http\.ts knows its neighbour/,
      ],
      ["core/text/cut.ts", 'import "./fence.ts";', /circle: .*core\/text\/cut\.ts/],
      ["memory/saving/save.ts", "export const used = Date.now;", /save\.ts reads a clock/],
      [
        "session/options/save-and-fold-marks.ts",
        'export const own = "openai";',
        /save-and-fold-marks\.ts names a provider/,
      ],
      [
        "session/assemble.ts",
        'import "../providers/openai/chat.ts";',
        /assemble\.ts knows a provider's lens/,
      ],
      [
        "core/text/terms.ts",
        "export const idle = 1;",
        /terms\.ts exports idle, which nothing imports/,
      ],
      ["nowhere/new.ts", "const one = 1;", /nowhere\/new\.ts stands in no room/],
    ];
    for (const [file, code] of faults) {
      mkdirSync(join(root, "src", file, ".."), { recursive: true });
      appendFileSync(join(root, "src", file), `\n${code}\n`);
    }
    const page = join(root, "docs/design.md");
    writeFileSync(page, readFileSync(page, "utf8").replace("| `core` |", "| `heart` |"));
    const told = checked(root);
    for (const [file, , fault] of faults) expect(told, file).toMatch(fault);
    expect(told).toContain("docs/design.md shows another table");
  });
});
