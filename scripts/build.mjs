// Makes dist anew: one program for each way in, with what they share in dist/shared, and the declarations those ways show.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { rolldown } from "rolldown";
import { buildPage } from "./page.mjs";

const ENTRIES = [
  "index",
  "adapters/anthropic",
  "adapters/openai",
  "adapters/ai-sdk",
  "adapters/mastra",
  "adapters/langchain",
  "adapters/mcp",
  "adapters/http",
  "adapters/gemini",
  "adapters/claude-agent",
  "adapters/embedders",
  "cli/main",
];

rmSync("dist", { recursive: true, force: true });
const compiler = join("node_modules", "typescript", "bin", "tsc");
execFileSync(
  process.execPath,
  [compiler, "-p", "tsconfig.build.json", "--noCheck", "--emitDeclarationOnly"],
  { stdio: "inherit" },
);
copyFileSync("scripts/contracts.d.ts", "dist/contracts.d.ts");
dropUnseen();

const bundle = await rolldown({
  input: {
    ...Object.fromEntries(ENTRIES.map((entry) => [entry, `src/${entry}.ts`])),
    contracts: "test/contracts/index.ts",
  },
  platform: "node",
  preserveEntrySignatures: "allow-extension",
  // Packages are installed beside ours and stay out of it, but for zod: a fifth of it is used, and loads in a fifth of the time.
  external: (id) => !id.startsWith(".") && !id.startsWith("/") && !id.startsWith("zod/"),
});
// A file for each room below the command line, so that a stack trace names the room.
const ROOMS = readdirSync("src", { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "cli")
  .map(({ name }) => name);
const groups = ROOMS.map((name) => ({
  name,
  // What loads another package is a file of its own: who does not ask for it need not have it.
  test: new RegExp(`[\\\\/]src[\\\\/]${name}[\\\\/](?!mcp\\.ts|http\\.ts|http-api|.*-worker)`),
}));
const codeSplitting = { groups, includeDependenciesRecursively: false };
await bundle.write({
  dir: "dist",
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "shared/[name].js",
  comments: true,
  codeSplitting,
});
await bundle.close();
copyFileSync("node_modules/zod/LICENSE", "dist/shared/zod.LICENSE");
chmodSync("dist/cli/main.js", 0o755);
await buildPage();

/** Removes declarations that no public one leads to. */
function dropUnseen() {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
  const seen = new Set();
  const see = (file) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, target] of readFileSync(file, "utf8").matchAll(
      /(?:from|import)\s*\(?\s*"(\.[^"]+)"/g,
    )) {
      const declared = join(dirname(file), target).replace(/(?<!\.d)\.(?:ts|js)$/, ".d.ts");
      if (existsSync(declared)) see(declared);
    }
  };
  for (const { types } of Object.values(exports))
    if (types !== undefined) see(relative(".", resolve(types)));
  const all = readdirSync("dist", { recursive: true, encoding: "utf8" }).map((file) =>
    join("dist", file),
  );
  for (const file of all) if (file.endsWith(".d.ts") && !seen.has(file)) rmSync(file);
  for (const folder of all
    .filter((file) => !file.endsWith(".ts"))
    .sort()
    .reverse())
    if (readdirSync(folder).length === 0) rmdirSync(folder);
}
