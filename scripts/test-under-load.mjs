// node scripts/test-under-load.mjs [TIMES]: all tests, beside three busy loops, then once more with each worker slowed.
import { spawn, spawnSync } from "node:child_process";

/** Beside the loops a worker of this niceness has about a fifth of a core; of 19 it would have a hundredth. */
const SLOWED = 5;
const times = Number(process.argv[2] ?? 5);
const tests = (how) =>
  spawnSync("nice", ["-n", String(how), "npm", "run", "--silent", "test:only"], {
    stdio: "inherit",
  }).status === 0;
const busy = Array.from({ length: 3 }, () => spawn(process.execPath, ["-e", "for (;;);"]));
let red = 0;
try {
  for (let at = 0; at < times; at += 1) if (!tests(0)) red += 1;
  if (!tests(SLOWED)) red += 1;
} finally {
  for (const loop of busy) loop.kill();
}
console.log(`${times + 1 - red} of ${times + 1} runs were green`);
process.exitCode = red === 0 ? 0 : 1;
