// Compiles what people write with the real SDKs against the packed package: npx node test/first-hour/types/check.ts
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packed } from "../../support/packed.ts";
import { PROGRAMS } from "./programs.ts";

const HERE = import.meta.dirname;
const COMPILERS = ["typescript-5.4", "typescript-5.9", "typescript-6", "typescript-7"];
const MODULES = [
  ["nodenext", "nodenext"],
  ["bundler", "esnext"],
] as const;

if (!existsSync(join(HERE, "node_modules")))
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: HERE, stdio: "ignore" });
const install = await packed();
const folder = mkdtempSync(join(tmpdir(), "first-hour-types-"));
mkdirSync(join(folder, "node_modules"));
for (const name of readdirSync(join(HERE, "node_modules")).filter((one) => !one.startsWith(".")))
  symlinkSync(join(HERE, "node_modules", name), join(folder, "node_modules", name));
symlinkSync(install.root, join(folder, "node_modules", "tidemark"));
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
for (const [name, code] of Object.entries(PROGRAMS))
  writeFileSync(join(folder, `${name}.ts`), code);
// Told by every compiler that reads the options at all.
const WRONG = "mistyped-option.ts";
writeFileSync(
  join(folder, WRONG),
  'import { openTidemark } from "tidemark";\nawait openTidemark({ workspaces: "./here" });\n',
);

let [passed_, failed] = [0, 0];
// Each compiler reads one of the two ways; the newest, which is fast, both.
for (const [at, compiler] of COMPILERS.entries())
  for (const [moduleResolution, module] of compiler === COMPILERS.at(-1)
    ? MODULES
    : MODULES.slice(at % 2, (at % 2) + 1)) {
    const compilerOptions = {
      strict: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      skipLibCheck: false,
      target: "es2022",
      lib: ["es2023", "dom", "dom.asynciterable", "esnext.disposable"],
      types: ["node"],
      moduleResolution,
      module,
    };
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, include: ["*.ts"] }),
    );
    const { stdout } = spawnSync(
      process.execPath,
      [join(HERE, "node_modules", compiler, "bin", "tsc"), "-p", ".", "--pretty", "false"],
      { cwd: folder, encoding: "utf8" },
    );
    // What a compiler has against the declarations of somebody else's package is not ours to mend.
    const lines = stdout.split("\n").filter((line) => /error TS/.test(line));
    if (!lines.some((line) => line.startsWith(WRONG)))
      throw new Error(`${compiler} ${moduleResolution} did not look at the programs: ${stdout}`);
    const ours = lines
      .filter((line) => !line.startsWith(WRONG))
      .filter(
        (line) =>
          /^[\w.-]+\.ts\(/.test(line) ||
          /tidemark[\\/](?:dist|node_modules[\\/]tidemark)/.test(line) ||
          !line.includes("("),
      );
    for (const name of Object.keys(PROGRAMS)) {
      const faults = ours.filter((line) => line.startsWith(`${name}.ts`));
      if (faults.length === 0) passed_ += 1;
      else failed += 1;
      for (const line of faults) console.log(`${compiler} ${moduleResolution}: ${line}`);
    }
    const declared = ours.filter(
      (line) => !Object.keys(PROGRAMS).some((name) => line.startsWith(`${name}.ts`)),
    );
    if (declared.length === 0) passed_ += 1;
    else failed += 1;
    for (const line of declared.slice(0, 10))
      console.log(`${compiler} ${moduleResolution}: ${line}`);
  }
console.log(`types: ${passed_} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
