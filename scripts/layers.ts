// The rooms of docs/design.md as a table, executed: no import climbs, no room sees its neighbour, no circles.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const FLOORS = [
  ["base"],
  ["model"],
  ["tokens", "text", "dialect"],
  ["window", "store", "workspace", "history"],
  ["memory", "distil", "prompt"],
  ["tools"],
  ["engine"],
  ["adapters"],
  ["cli", "inspect", "index.ts", "node-version.ts"],
];
/** Checked first by every entry point, so it stands outside the floors. */
const GROUND = "node-version.ts";

const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".ts"),
);
const roomOf = (file: string) => file.split("/")[0] ?? file;
const floorOf = (file: string) => FLOORS.findIndex((rooms) => rooms.includes(roomOf(file)));
const problems: string[] = [];
const graph = new Map<string, string[]>();

for (const file of files) {
  if (floorOf(file) < 0) problems.push(`${file} stands in no room of the table`);
  const source = readFileSync(join("src", file), "utf8");
  const targets = [...source.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) =>
    relative("src", join("src", dirname(file), match[1] ?? "")),
  );
  graph.set(file, targets);
  for (const target of targets) {
    if (target === GROUND || roomOf(target) === roomOf(file)) continue;
    const [from, to] = [floorOf(file), floorOf(target)];
    if (to > from || (to === from && roomOf(file) !== "index.ts" && from !== FLOORS.length - 1))
      problems.push(`${file} (floor ${from}) may not import ${target} (floor ${to})`);
  }
}

const done = new Set<string>();
function visit(file: string, path: readonly string[]): void {
  if (path.includes(file)) {
    problems.push(`circle: ${[...path.slice(path.indexOf(file)), file].join(" → ")}`);
    return;
  }
  if (done.has(file)) return;
  for (const target of graph.get(file) ?? []) visit(target, [...path, file]);
  done.add(file);
}
for (const file of files) visit(file, []);

const sizes = files
  .map((file) => readFileSync(join("src", file), "utf8").split("\n").length)
  .sort((a, b) => a - b);
const median = sizes[Math.floor(sizes.length / 2)] ?? 0;
if (median > 120) problems.push(`the median file has ${median} lines; 120 is the bound`);

for (const problem of problems) console.error(problem);
console.log(
  `${files.length} files, median ${median} lines, longest ${sizes.at(-1) ?? 0}, ${problems.length} problems`,
);
process.exit(problems.length > 0 ? 1 : 0);
