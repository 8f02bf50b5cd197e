import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { PROGRAMS } from "../first-hour/programs.ts";
import { packed, REPOSITORY } from "../support/packed.ts";
import {
  blocks,
  hostingPage,
  learningPage,
  toolsPage,
  YOUR_MODEL,
  YOUR_SESSION,
} from "../support/readme.ts";

const MISTYPED = `import { openTidemark, type Options, type TidemarkEvent } from "tidemark";
export const options: Options = { workspace: false, window: { tokens: 16_000 }, listen: (event: TidemarkEvent) => { if (event.type === "folded") event.after.toFixed(); } };
// @ts-expect-error a mistyped option must not pass
await openTidemark({ workspaces: "./here" });
`;

// One run of the compiler reads the SDKs once; `types/check.ts` asks every compiler and SDK.
it("what README, docs/tools.md, docs/learning.md and a first hour write compiles strictly against the packed package", async () => {
  const folder = mkdtempSync(join((await packed()).project, "typed-"));
  const numbered = (name: string, codes: readonly string[]) =>
    codes.map((code, at) => [`${name}-${at}`, code] as const);
  const files = [
    ...numbered("readme", blocks("ts")),
    ...numbered("tools", blocks("ts", toolsPage)),
    ...numbered("learning", blocks("ts", learningPage)),
    ...numbered("hosting", blocks("ts", hostingPage)),
    ...Object.entries(PROGRAMS),
    ["your-model", YOUR_MODEL] as const,
    ["your-session", YOUR_SESSION] as const,
    ["mistyped", MISTYPED] as const,
  ];
  for (const [name, code] of files) writeFileSync(join(folder, `${name}.ts`), code);
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    target: "es2023",
    module: "nodenext",
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: ["node"],
    typeRoots: [join(REPOSITORY, "node_modules/@types")],
  };
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, include: ["*.ts"] }),
  );
  const compiler = join(REPOSITORY, "node_modules/typescript/bin/tsc");
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, "-p", "."], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error);
  expect(stdout).toBe("");
  expect(files.length).toBeGreaterThanOrEqual(3 + 2 + 1 + 4);
});
