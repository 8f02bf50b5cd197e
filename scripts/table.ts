// What the library is in numbers: files, lines, tokens, exports, options, verbs, members of ports, and how many files of src what
// people call most runs. `node scripts/table.ts --write` keeps it in bench/results/house.json.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { openTidemark, type Options, type Tidemark } from "../src/index.ts";
import { VERBS } from "../src/cli/verbs.ts";
import { sizeOf } from "./size.ts";

const ROOT = join(import.meta.dirname, "..");
const PORTS = {
  "storage/port.ts": ["Truth", "SearchIndex", "Storage"],
  "session/ports.ts": ["Ground", "Kept", "Settings", "Weighing"],
};

function declared(file: string): ts.InterfaceDeclaration[] {
  const text = readFileSync(join(ROOT, "src", file), "utf8");
  return ts
    .createSourceFile(file, text, ts.ScriptTarget.Latest, true)
    .statements.filter(ts.isInterfaceDeclaration);
}
const membersOf = (file: string, name: string): number =>
  declared(file).find((one) => one.name.text === name)?.members.length ?? 0;

/** Names that the package's own entry has, types too. */
function exported(): number {
  const index = ts.createSourceFile(
    "index.ts",
    readFileSync(join(ROOT, "src/index.ts"), "utf8"),
    ts.ScriptTarget.Latest,
  );
  return index.statements
    .flatMap((one) => (ts.isExportDeclaration(one) ? (one.exportClause ?? []) : []))
    .reduce((sum, names) => sum + (ts.isNamedExports(names) ? names.elements.length : 0), 0);
}

/** Files and functions of src that ran while `work` did; what was only loaded counts for none. */
async function ran(inspector: Session, work: () => Promise<unknown>) {
  await inspector.post("Profiler.takePreciseCoverage");
  await work();
  const { result } = await inspector.post("Profiler.takePreciseCoverage");
  const own = result
    .filter(({ url }) => url.startsWith("file:") && fileURLToPath(url).startsWith(`${ROOT}/src/`))
    .map(({ functions }) =>
      functions.filter(
        ({ functionName, ranges: [range] }, at) =>
          (range?.count ?? 0) > 0 && (at > 0 || functionName !== ""),
      ),
    )
    .filter((functions) => functions.length > 0);
  return { files: own.length, functions: own.flat().length };
}

/** A conversation's request with so many turns before it. */
const request = (turns: number, topic = "boats") => ({
  model: "claude-sonnet-5-5",
  max_tokens: 500,
  messages: Array.from({ length: 2 * turns + 1 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `${topic} ${at}: ${`The ${topic} master asks who moors at the ${topic} tonight. `.repeat(15)}`,
  })),
});

const WINDOW = { tokens: 8_000, patience: 30_000 };
async function opened<Done>(
  options: Options,
  work: (tidemark: Tidemark) => Promise<Done>,
): Promise<Done> {
  const workspace = mkdtempSync(join(tmpdir(), "tidemark-table-"));
  const given: Options = { workspace, distil: "extractive", embed: false, window: WINDOW };
  const tidemark = await openTidemark({ ...given, ...options });
  const done = await work(tidemark);
  await tidemark.close();
  rmSync(workspace, { recursive: true });
  return done;
}

/**
 * What `ready` answers runs six times. The first two load code and begin the conversation; of the others the fewest
 * files count, since work behind the conversations may run beside.
 */
async function counted(
  tidemark: Tidemark,
  ready: (nth: number) => Promise<() => Promise<unknown>>,
) {
  const inspector = new Session();
  inspector.connect();
  await inspector.post("Profiler.enable");
  await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const found: { files: number; functions: number }[] = [];
  for (const nth of [1, 2, 3, 4, 5, 6]) {
    const work = await ready(nth);
    await tidemark.idle();
    found.push(await ran(inspector, work));
  }
  inspector.disconnect();
  return found.slice(2).sort((one, other) => one.files - other.files)[0];
}

/** A turn as the adapters make it: begun, and ended with the reply that the next request holds. */
async function turn(tidemark: Tidemark, turns: number, topic?: string) {
  const { end, window } = await tidemark.begin(request(turns, topic));
  if (window.mark !== "below") throw new Error("a mark was reached");
  const content = request(turns + 1, topic).messages[2 * turns + 1]?.content;
  const rest = { id: "m", type: "message", stop_reason: "end_turn" };
  await end({ role: "assistant", content: [{ type: "text", text: content }], ...rest });
}
const below = (tidemark: Tidemark) =>
  counted(tidemark, async (nth) => {
    await turn(tidemark, nth);
    return () => tidemark.begin(request(nth + 1));
  });
const plain = { recall: false } as const;
const runs = {
  "begin below the marks": await opened(plain, below),
  "the same with recall, as by default": await opened({}, below),
  "begin that folds": await opened(plain, (tidemark) =>
    counted(tidemark, async (nth) => {
      // Messages that are nearly the same are one conversation's, told again.
      const topic = ["river", "estuary", "canal", "lagoon", "strait", "fjord"][nth - 1];
      await turn(tidemark, 3, topic);
      return async () => {
        const { folded } = await tidemark.begin(request(15, topic));
        if (folded === undefined) throw new Error("nothing was folded");
      };
    }),
  ),
  "memory.save": await opened({}, (tidemark) =>
    counted(
      tidemark,
      async (nth) => () => tidemark.memory.save(`Boat ${nth} lies at pier ${nth + 7}.`),
    ),
  ),
  "memory.recall": await opened({}, (tidemark) =>
    counted(tidemark, async (nth) => {
      await tidemark.memory.save(`Harbour ${nth} has nine piers.`);
      return () => tidemark.memory.recall(`How many piers has harbour ${nth}?`);
    }),
  ),
};
const options = "session/options/turn-and-option-types.ts";
const figures = {
  ...{ src: sizeOf(join(ROOT, "src")), test: sizeOf(join(ROOT, "test")) },
  exports: exported(),
  options: membersOf(options, "Options") + membersOf(options, "AdvancedOptions"),
  verbs: Object.keys(VERBS).length,
  "members of ports": Object.fromEntries(
    Object.entries(PORTS).flatMap(([file, names]) =>
      names.map((name) => [name, membersOf(file, name)]),
    ),
  ),
  "files and functions run by": runs,
};
console.log(JSON.stringify(figures, null, 2));
if (process.argv.includes("--write"))
  writeFileSync(
    join(ROOT, "bench/results/house.json"),
    `${JSON.stringify({ command: "node scripts/table.ts --write", node: process.version, figures }, null, 2)}\n`,
  );
