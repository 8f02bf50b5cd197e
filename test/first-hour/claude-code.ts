// A real Claude Code through `tidemark wrap`, in front of a local provider: one session over many starts of the program, until
// it has been folded: npx node test/first-hour/claude-code.ts
// It is installed for the time of the run, some 400 MB; where it cannot be, a line says so.
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { openTidemark } from "../../src/index.ts";
import { prose } from "../support/anthropic.ts";
import { startMessagesServer } from "../support/messages-server/index.ts";
import { lastText } from "../support/messages-server/replies.ts";

const VERSION = "2.1.332";
const TURNS = 12;
/** Its own instructions and tools take about half of it. */
const WINDOW = "64k";
const MAIN = join(import.meta.dirname, "../../src/cli/main.ts");

const home = mkdtempSync(join(tmpdir(), "tidemark-claude-code-"));
const [folder, workspace] = [join(home, "project"), join(home, "workspace")];
mkdirSync(folder);

function installed(): string | undefined {
  const args = ["install", "--prefix", home, `@anthropic-ai/claude-code@${VERSION}`];
  if (spawnSync("npm", args, { stdio: "ignore" }).status !== 0) return undefined;
  const program = join(home, "node_modules/.bin/claude");
  const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  return stdout?.startsWith(VERSION) ? program : undefined;
}

const program = installed();
if (program === undefined) {
  console.log(`Claude Code: 0 passed, since ${VERSION} could not be installed here`);
  rmSync(home, { recursive: true });
  process.exit(0);
}

const SUMMARY = "<analysis>\nThey spoke.\n</analysis>\n<summary>\nA boat, Zephyrine.\n</summary>";
/** Has the model been given what it asked to read? */
const isAnswered = ({ messages }: Record<string, unknown>): boolean =>
  JSON.stringify((messages as unknown[]).at(-1)).includes('"tool_result"');
const FILES = ["tides.txt", "moorings.txt"].map((name) => join(folder, name));
for (const file of FILES) writeFileSync(file, `Of ${file}: ${prose(400, file.length)}`);

const server = await startMessagesServer({
  models: { "claude-opus-5-5": { max_tokens: 128_000 } },
  reply(body) {
    const words = lastText(body);
    if (words.includes("CRITICAL: Respond with TEXT ONLY")) return SUMMARY;
    if (words.startsWith("Read") && !isAnswered(body))
      return FILES.map((file_path) => ({ type: "tool_use", name: "Read", input: { file_path } }));
    return `Noted: ${words.slice(0, 40)} ${prose(300, words.length)}`;
  },
});

/** One start of the program, as a person types it. */
async function said(words: string, session: readonly string[]): Promise<string> {
  const claude = [String(program), "-p", words, ...session];
  const child = spawn(
    process.execPath,
    [MAIN, "wrap", "--workspace", workspace, "--window", WINDOW, "--", ...claude],
    {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...{ PATH: process.env.PATH, HOME: home, ANTHROPIC_API_KEY: "a-key" },
        ...{ ANTHROPIC_BASE_URL: server.url, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
      },
    },
  );
  let out = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part: string) => (out += part));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`turn ended with ${code}: ${out.slice(0, 2_000)}`);
  return out;
}

const id = randomUUID();
const start = performance.now();
for (let turn = 0; turn < TURNS; turn += 1) {
  const session = turn === 0 ? ["--session-id", id] : ["--resume", id];
  // Every third turn calls two tools at once.
  const asks = turn % 3 === 1 ? "Read both, turn" : "Turn";
  const out = await said(`${asks} ${turn}: my boat is Zephyrine. ${prose(2_500, turn)}`, session);
  if (!out.startsWith("Noted: ")) throw new Error(`another reply: ${out}`);
}
const turns = server.requests.filter(({ distil }) => !distil).map(({ tokens }) => tokens);
// Its own summary is made of the whole history, and is no turn.
await said("/compact", ["--resume", id]);
const compacting = server.requests.filter(({ body }) => JSON.stringify(body).includes("TEXT ONLY"));
const seconds = (performance.now() - start) / 1_000;

const tidemark = await openTidemark({ workspace, listen: false });
const conversations = await tidemark.history.list();
const { memories, folds } = await tidemark.stats();
await tidemark.close();
await server.close();
rmSync(home, { recursive: true });
console.log({
  ...{ turns: turns.length, folds, memories, seconds: Math.round(seconds) },
  conversations: conversations.map(({ label, messages }) => ({ label, messages })),
  "tokens of each turn": turns,
  "tokens of its own summary": compacting.map(({ tokens }) => tokens),
  "calls to distil": server.requests.filter(({ distil }) => distil).length,
  refusals: server.refusals,
});
const isWell =
  conversations.length === 1 &&
  conversations[0]?.label === id &&
  folds > 0 &&
  turns.length >= TURNS &&
  server.refusals.length === 0;
console.log(`Claude Code: ${isWell ? "1 passed, 0 failed" : "0 passed, 1 failed"}`);
process.exitCode = isWell ? 0 : 1;
