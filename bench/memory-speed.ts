// How fast memory saves and finds, by size: words and vectors (384 dimensions) in one file, and what the event loop feels.
//   npm run bench -- memory-speed [1000 10000 100000 1000000 1000x1000 clusters mem0 …]
// Each part runs in a process of its own and adds its figures to results/memory-speed.json. "own" is the time without what the
// thread waited for a processor that other work had, "clock" the time with it. A million facts are built in half an hour; with
// TIDEMARK_BENCH_KEEP=FOLDER what is built stays there and is only asked again the next time. mem0 wants `npm ci --prefix bench/peers`.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { record } from "./support.ts";

const PARTS: Readonly<Record<string, readonly string[]>> = {
  clusters: ["memory-speed-clusters.ts", "1000", "10000", "100000"],
  mem0: ["memory-speed-mem0.ts"],
};
const DEFAULT = ["1000", "10000", "100000", "clusters"];

/** "1000" is so many facts in one scope, "1000x200" so many in each of so many scopes. */
function commandOf(part: string): readonly string[] | undefined {
  const [, size, scopes = "1"] = /^(\d+)(?:x(\d+))?$/.exec(part) ?? [];
  return size === undefined ? PARTS[part] : ["memory-speed-size.ts", size, scopes];
}

const keep = process.env.TIDEMARK_BENCH_KEEP;
const asked = process.argv.slice(2);
const file = join(import.meta.dirname, "results", "memory-speed.json");
const known = existsSync(file)
  ? (JSON.parse(readFileSync(file, "utf8")) as { figures: Record<string, unknown> }).figures
  : {};
for (const part of asked.length > 0 ? asked : DEFAULT) {
  const command = commandOf(part);
  if (command === undefined) {
    console.error(
      `memory-speed takes numbers of facts (1000), of facts and scopes (1000x1000) and ${Object.keys(PARTS).join(", ")}; it does not know ${part}.`,
    );
    process.exit(2);
  }
  const busy = loadavg()[0] ?? 0;
  const [script = "", ...rest] = command;
  const given =
    script !== "memory-speed-size.ts" || keep === undefined ? rest : [...rest, join(keep, part)];
  const output = execFileSync(
    process.execPath,
    [join(import.meta.dirname, "support", script), ...given],
    { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1e8 },
  );
  const note = process.env.TIDEMARK_BENCH_NOTE;
  known[part] = {
    ...(note === undefined ? {} : { note }),
    loadBefore: Math.round(busy * 10) / 10,
    ...(JSON.parse(output.slice(output.lastIndexOf("\n{") + 1)) as object),
  };
  record("memory-speed", known);
}
