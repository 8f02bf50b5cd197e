// `npm test`: the types beside the build and all tests, so that no processor waits for another. Lint and layout are `npm run check`.
import { spawn } from "node:child_process";

/** Runs a script of package.json; answers its exit code and, where it is not shown at once, what it said. */
function run(name, { args = [], shown = true } = {}) {
  const child = spawn(
    "npm",
    ["run", "--silent", name, ...(args.length > 0 ? ["--", ...args] : [])],
    { stdio: shown ? "inherit" : ["ignore", "pipe", "pipe"] },
  );
  let said = "";
  for (const stream of shown ? [] : [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part) => (said += part));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code: code ?? 1, said })));
}

const checking = run("types", { shown: false });
const built = await run("build");
const tested = built.code === 0 ? await run("test:only", { args: process.argv.slice(2) }) : built;
const checked = await checking;
process.stdout.write(checked.said);
process.exitCode = checked.code || tested.code;
