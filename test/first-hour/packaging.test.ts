import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { packed, REPOSITORY, type Packed } from "../support/packed.ts";

const execute = promisify(execFile);
let install: Packed;
beforeAll(async () => {
  install = await packed();
});

const PROGRAM = `import Anthropic from "@anthropic-ai/sdk";
import { openTidemark } from "tidemark";
import { anthropicMiddleware } from "tidemark/anthropic";
async function main() {
  const tidemark = await openTidemark({ workspace: process.argv[2], distil: "extractive", window: { tokens: 4000 } });
  new Anthropic({ apiKey: "none", middleware: [anthropicMiddleware(tidemark)] });
  await tidemark.memory.save("The deploy key AKIAQ3EGRXKZ5WPLMN42 lives in the blue vault.");
  console.log((await tidemark.memory.recall("where is the deploy key?"))[0].text);
  await tidemark.close();
}
main();
`;

/** Tells every name that is asked for while ways in are imported. */
const LOADS = `import { registerHooks } from "node:module";
const asked = [];
registerHooks({ resolve: (name, context, next) => (asked.push(name), next(name, context)) });
for (const way of process.argv.slice(2)) await import(way);
console.log(JSON.stringify(asked));
`;

const bundles = new Map<string, string>();
async function bundled(format: "esm" | "cjs"): Promise<string> {
  const known = bundles.get(format);
  if (known !== undefined) return known;
  const source = join(install.project, "bundle-me.ts");
  writeFileSync(source, PROGRAM);
  const outfile = join(install.project, `bundle.${format === "esm" ? "mjs" : "cjs"}`);
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: "node",
    format,
    logLevel: "silent",
  });
  bundles.set(format, outfile);
  return outfile;
}
const run = (file: string): Promise<{ stdout: string; stderr: string }> =>
  execute(process.execPath, [file, mkdtempSync(join(tmpdir(), "bundled-"))], { cwd: tmpdir() });

describe.each(["esm", "cjs"] as const)("a program bundled by esbuild as %s", (format) => {
  it("works beside its installed packages, secrets' rules and native code included", async () => {
    const { stdout } = await run(await bundled(format));
    expect(stdout).toMatch(/^The deploy key \[[^\]]+\] lives in the blue vault\.\n$/);
  });

  it("says what to do where the packages were left behind", async () => {
    const alone = join(
      mkdtempSync(join(tmpdir(), "alone-")),
      `bundle.${format === "esm" ? "mjs" : "cjs"}`,
    );
    copyFileSync(await bundled(format), alone);
    const { stderr } = await run(alone).then(
      () => ({ stderr: "it ran" }),
      (error: { stderr: string }) => error,
    );
    expect(stderr).toMatch(
      /Tidemark was bundled .*esbuild: --external:tidemark; Next\.js: serverExternalPackages/,
    );
  });
});

describe("the tarball", () => {
  it.each([
    ["publint", "--strict"],
    ["attw", "--profile", "esm-only"],
  ])("has nothing to be said of by %s", async (tool, ...flags) => {
    const file = tool === "attw" ? install.tarball : install.root;
    const said = await execute(process.execPath, [
      join(REPOSITORY, "node_modules/.bin", tool),
      file,
      ...flags,
    ]);
    expect(said.stdout).toMatch(tool === "attw" ? /"tidemark\/anthropic"/ : /All good!/);
  });

  it("loads no client library and no other peer, whichever way in is imported", async () => {
    const page = readFileSync(join(install.root, "package.json"), "utf8");
    const { exports, peerDependencies } = JSON.parse(page) as Record<string, object>;
    const ways = Object.keys(exports!).flatMap((way) =>
      /json$|contracts$/.test(way) ? [] : [`tidemark${way.slice(1)}`],
    );
    const script = join(install.project, "loads.mjs");
    writeFileSync(script, LOADS);
    const { stdout } = await execute(process.execPath, [script, ...ways]);
    const asked = JSON.parse(stdout) as string[];
    expect(asked).toEqual(expect.arrayContaining(ways));
    const peers = Object.keys(peerDependencies!);
    const isOf = (name: string, peer: string) => name === peer || name.startsWith(`${peer}/`);
    expect(asked.filter((name) => peers.some((peer) => isOf(name, peer)))).toEqual([]);
  });

  it("has at most 400 files of at most 3 MB", () => {
    expect(install.files.length).toBeLessThanOrEqual(400);
    const bytes = install.files.reduce(
      (sum, file) => sum + readFileSync(join(install.root, file)).length,
      0,
    );
    expect(bytes).toBeLessThanOrEqual(3_000_000);
  });
});
