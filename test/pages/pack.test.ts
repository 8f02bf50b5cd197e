import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { packed, REPOSITORY, type Packed } from "../support/packed.ts";

const execute = promisify(execFile);
let install: Packed;
beforeAll(async () => {
  install = await packed();
});

interface Manifest {
  name: string;
  type: string;
  bin: Record<string, string>;
  exports: Record<string, Record<string, string>>;
}
const manifest = (): Manifest =>
  JSON.parse(readFileSync(join(install.root, "package.json"), "utf8")) as Manifest;

describe("the tarball", () => {
  it("holds the build, the workspace template and the papers, and nothing else", () => {
    const expected =
      /^(?:dist\/.+\.(?:js|d\.ts|LICENSE)|dist\/page\/\w+\.(?:html|css)|docs\/pictures\/[\w-]+\.png|workspace-template\/.+\.md|docs\/[\w-]+\.(?:md|svg)|package\.json|(?:README|CHANGELOG|CONTRIBUTING|SECURITY)\.md|LICENSE)$/;
    expect(install.files.filter((path) => !expected.test(path))).toEqual([]);
    for (const path of [
      "dist/index.js",
      "dist/index.d.ts",
      "dist/cli/main.js",
      "dist/page/index.html",
      "dist/page/app.js",
      "README.md",
      "CHANGELOG.md",
      "LICENSE",
      "workspace-template/MEMORY.md",
    ])
      expect(install.files).toContain(path);
  });

  it("ships every template of the repository", () => {
    const template = join(install.root, "workspace-template");
    for (const name of [
      "SOUL.md",
      "AGENTS.md",
      "USER.md",
      "MEMORY.md",
      "HEARTBEAT.md",
      "learnings/errors.md",
      "learnings/corrections.md",
    ])
      expect(existsSync(join(template, name)), name).toBe(true);
  });

  it("has every page and picture that its pages link", () => {
    const pages = install.files.filter(
      (file) => file === "README.md" || /^docs\/.*\.md$/.test(file),
    );
    for (const page of pages) {
      const links = [
        ...readFileSync(join(install.root, page), "utf8").matchAll(/\]\((?!https?:|#)([^)#\s]+)/g),
      ].map(([, link = ""]) => join(dirname(page), link));
      expect(
        links.filter((link) => !install.files.includes(link)),
        page,
      ).toEqual([]);
    }
  });

  it("points to no file that is not in it", () => {
    for (const path of install.files.filter((name) => /\.(?:js|d\.ts)$/.test(name))) {
      const text = readFileSync(join(install.root, path), "utf8");
      expect(text, path).not.toContain("sourceMappingURL");
      for (const [, target = ""] of text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
        // Declarations keep the source's `.ts`, which TypeScript reads as the `.d.ts` beside it.
        const file = path.endsWith(".d.ts") ? target.replace(/(?<!\.d)\.ts$/, ".d.ts") : target;
        expect(install.files, `${path} imports ${target}`).toContain(join(dirname(path), file));
      }
    }
  });

  it("ships the tests that a host's storage must pass", async () => {
    const script = `import { storageContract } from "tidemark/contracts";
let tests = 0;
const nothing = () => undefined;
const runner = { describe: (name, body) => body(), it: () => tests++, expect: nothing, beforeEach: nothing, afterEach: nothing };
storageContract(runner, "mine", async () => ({}));
console.log(tests);`;
    const { stdout } = await execute(process.execPath, ["--input-type=module", "-e", script], {
      cwd: install.project,
    });
    expect(Number(stdout)).toBeGreaterThan(35);
  });

  it("makes the CLI a program that can be run", async () => {
    const { stdout } = await execute(
      join(install.project, "node_modules/.bin/tidemark"),
      ["--version"],
      {
        env: {
          ...process.env,
          PATH: `${join(process.execPath, "..")}:${process.env["PATH"] ?? ""}`,
        },
      },
    );
    expect(stdout.trim()).toBe((manifest() as unknown as { version: string }).version);
  });
});

describe("the exports", () => {
  it("have a `default` condition and types each, and every file they name is there", () => {
    for (const [path, conditions] of Object.entries(manifest().exports)) {
      expect(conditions["default"], path).toBeDefined();
      if (path !== "./package.json") {
        expect(conditions["types"], path).toMatch(/\.d\.ts$/);
        expect(
          Object.keys(conditions)[0],
          "types come first, or TypeScript may not look at them",
        ).toBe("types");
      }
      for (const file of Object.values(conditions))
        expect(install.files, path).toContain(file.slice(2));
    }
  });

  it("load, each of them, from outside", async () => {
    const paths = Object.keys(manifest().exports).filter((path) => path !== "./package.json");
    const script = paths
      .map(
        (path) =>
          `console.log(Object.keys(await import(${JSON.stringify(path.replace(".", "tidemark"))})).length > 0);`,
      )
      .join("\n");
    const { stdout } = await execute(process.execPath, ["--input-type=module", "-e", script], {
      cwd: install.project,
    });
    expect(stdout.trim().split("\n")).toEqual(paths.map(() => "true"));
  });
});

describe("the contract", () => {
  const probe = join(REPOSITORY, "../shared/tools/contract-probe.mjs");
  const here = existsSync(probe);
  it.skipIf(!here)(
    `is met, asked from outside${here ? "" : " (skipped: the probe is kept beside this repository and is not here)"}`,
    async () => {
      const { stdout } = await execute(process.execPath, [probe, install.project]).catch(
        (error: { stdout: string }) => error,
      );
      expect(
        stdout
          .trim()
          .split("\n")
          .filter((line) => /^(?:WRONG|MISSING)/.test(line)),
      ).toEqual([]);
      expect(stdout).toContain("contract met");
    },
  );
});
