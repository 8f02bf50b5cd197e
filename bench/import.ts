// What an import of a large ChatGPT export takes: memory at the most, and time.
//   npm run bench -- import [MEGABYTES]
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { chatGptExport, writeZip } from "../test/support/made-exports.ts";
import { record } from "./support.ts";

const [given = "500"] = process.argv.slice(2);
const MAIN = join(import.meta.dirname, "../src/cli/main.ts");
/** Says at its end how much memory the process took at most, in kB. */
const MEASURED = `data:text/javascript,${encodeURIComponent(
  'process.on("exit",()=>console.error("most "+process.resourceUsage().maxRSS))',
)}`;

const home = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
const zip = join(home, "export.zip");
await writeZip(zip, "conversations.json", chatGptExport(Number(given) * 1_000_000));
const args = ["--import", MEASURED, MAIN, "import", zip, "--workspace", join(home, "workspace")];
const start = performance.now();
const { status, stdout, stderr } = spawnSync(process.execPath, args, {
  encoding: "utf8",
  maxBuffer: 1e9,
});
const seconds = Math.round((performance.now() - start) / 1_000);
if (status !== 0) throw new Error(stderr.slice(-2_000));
const [, conversations, messages] =
  /(\d+) conversations with (\d+) new messages/.exec(stdout.replaceAll(",", "")) ?? [];
record("import", {
  "MB of JSON": Number(given),
  "MB of ZIP": Math.round(statSync(zip).size / 1e6),
  conversations: Number(conversations),
  messages: Number(messages),
  "MB of memory at most": Math.round(Number(/most (\d+)/.exec(stderr)?.[1]) / 1_024),
  seconds,
});
rmSync(home, { recursive: true });
