import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { STRATEGY_NAMES } from "../../src/memory/recalling/rank.ts";
import { SEEDS } from "../../src/memory/saving/same-and-category.ts";
import { SOURCES } from "../../src/memory/saving/draft.ts";
import { embeddingsServer } from "../support/embeddings-server.ts";
import { fileFolder } from "../support/afterwards.ts";
import { builtUrl } from "../support/built.ts";

const pageOf = (name: string): string =>
  readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8");
const page = pageOf("memory");
const blocks = (name: string, language: string): string[] =>
  [...pageOf(name).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, is, code]) =>
    is === language ? [code ?? ""] : [],
  );
const folder = fileFolder();
let server: Awaited<ReturnType<typeof embeddingsServer>>;
beforeAll(async () => {
  server = await embeddingsServer();
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
});
afterAll(async () => {
  await server.close();
});

describe("docs/memory.md", () => {
  const examples = ["memory", "knowledge"].flatMap((name) =>
    blocks(name, "ts").map((code, at) => [name, at, code] as const),
  );
  it.each(examples)(
    "says what the example prints, as does docs/%s.md, %i",
    async (name, at, code) => {
      const file = join(folder, `${name}-${at}.ts`);
      writeFileSync(
        file,
        code
          .replace('"tidemark"', JSON.stringify(builtUrl("index")))
          .replace('"tidemark/embedders"', JSON.stringify(builtUrl("adapters/embedders"))),
      );
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], {
        cwd: folder,
        env: {
          ...process.env,
          EMBEDDINGS_URL: server.url,
          EMBEDDINGS_KEY: "secret-key",
          NO_COLOR: "1",
        },
      });
      expect(stderr).toBe("");
      expect(stdout.trim().split("\n")).toEqual(
        [...code.matchAll(/\/\/ → (.*)$/gm)].map(([, said]) => said),
      );
    },
  );

  it("names every strategy, variable, figure, built-in category and source there is, and no other", () => {
    const cells = (start: string): string[] =>
      page.split("\n").filter((line) => line.startsWith(start));
    expect(cells('| `"').map((line) => /"(\w+)"/.exec(line)?.[1])).toEqual([...STRATEGY_NAMES]);
    for (const category of Object.keys(SEEDS)) expect(page).toContain(`\`${category}\``);
    for (const [name, days] of Object.entries(SOURCES))
      if (Number.isFinite(days)) expect(page).toContain(`\`${name}\` ${days}`);
  });
});
