// npm run bench -- NAME [ARG …]: runs bench/NAME.ts; without a name, says which there are.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const [name, ...rest] = process.argv.slice(2);
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && !["run.ts", "support.ts"].includes(file))
  .map((file) => file.slice(0, -3));
const file = join(import.meta.dirname, `${name}.ts`);
if (name === undefined || !names.includes(name) || !existsSync(file)) {
  console.error(`npm run bench -- NAME, where NAME is one of: ${names.join(", ")}`);
  process.exit(name === undefined ? 0 : 2);
}
execFileSync(process.execPath, [file, ...rest], { stdio: "inherit" });
