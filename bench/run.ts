// npm run bench -- NAME [ARG …]: runs bench/NAME.ts; without a name, says which there are.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const HERE = import.meta.dirname;
const [name, ...rest] = process.argv.slice(2);
const names = readdirSync(HERE)
  .filter((file) => file.endsWith(".ts") && !["run.ts", "support.ts"].includes(file))
  .map((file) => file.slice(0, -3));
if (name === undefined || !names.includes(name)) {
  console.error(`npm run bench -- NAME, where NAME is one of: ${names.join(", ")}`);
  process.exit(name === undefined ? 0 : 2);
}
// npm writes this file last: an installation that was broken off has none.
if (!existsSync(join(HERE, "node_modules/.package-lock.json"))) {
  console.error("The benches run for the first time: `npm ci` in bench/ brings what they compare.");
  // Output of the installation goes beside the figures, not among them.
  execFileSync("npm", ["ci"], { cwd: HERE, stdio: ["ignore", 2, 2] });
}
execFileSync(process.execPath, [join(HERE, `${name}.ts`), ...rest], { stdio: "inherit" });
