import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { VERBS } from "../../src/cli/verbs.ts";
import { openTidemark } from "../../src/index.ts";
import { executeHere } from "../support/cli-here.ts";
import { start } from "../support/cli.ts";
import { startMessagesServer } from "../support/messages-server/index.ts";
import { fileFolder } from "../support/afterwards.ts";

const home = fileFolder();
const workspace = join(home, "workspace");
const ids = { memory: "", undone: "", fold: "", record: "" };

beforeAll(async () => {
  const tidemark = await openTidemark({
    workspace,
    window: 4_000,
    listen: false,
    distil: "extractive",
  });
  const messages = Array.from({ length: 12 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `${at} ${"the quiet boat lies by the old pier ".repeat(40)}`,
  }));
  await tidemark.history.import({ id: "desk", messages: [{ role: "user", text: "Hello!" }] });
  const turn = await tidemark.begin({
    model: "m",
    max_tokens: 500,
    messages: messages.slice(0, 11),
  });
  await turn.end({ role: "assistant", content: "Noted." });
  ids.fold = turn.folded?.id ?? "";
  ids.memory = (await tidemark.memory.save("The port is 5433.")).id;
  ids.record = (await tidemark.records.add({ category: "decision", content: "Use SQLite." })).id;
  await tidemark.close();
  writeFileSync(join(home, "talk.json"), JSON.stringify({ model: "claude-sonnet-5-5", messages }));
});

/** A line for every verb; an archive is written before it is read. */
const lines = (): Readonly<Record<string, readonly string[]>> => ({
  init: [],
  replay: [join(home, "talk.json")],
  recall: ["port"],
  search: ["port"],
  list: [],
  show: [ids.memory],
  save: ["The host is a."],
  conversations: [],
  read: ["desk"],
  turns: ["desk"],
  users: [],
  stats: [],
  folds: [],
  diff: [ids.fold],
  undo: [ids.fold],
  record: ["delete", ids.record],
  heartbeat: [],
  token: ["list"],
  doctor: [],
  eval: [],
  tune: ["--embedder", "http://127.0.0.1:9/v1", "--model", "bge"],
  tidy: [],
  export: [join(home, "all.jsonl")],
  rebuild: [],
  import: [join(home, "all.jsonl")],
  move: [workspace, join(home, "moved")],
  forget: [ids.memory],
});

/** They go on until they are told to end, answer a hook, or look at a server. */
const UNENDING = ["chat", "mcp", "proxy", "wrap", "hook", "files", "migrate", "serve", "inspect"];

describe("--json", () => {
  it("answers one JSON value for every verb, and no other word", async () => {
    const known = lines();
    expect(Object.keys(known).sort()).toEqual(
      Object.keys(VERBS)
        .filter((name) => !UNENDING.includes(name))
        .sort(),
    );
    for (const [verb, words] of Object.entries(known)) {
      const { out, err, code } = await executeHere(
        [verb, ...words, "--json", "--workspace", workspace],
        { env: { EDITOR: "true" } },
      );
      expect(() => JSON.parse(out) as unknown, `${verb}: ${out}${err}`).not.toThrow();
      expect([0, 1], `${verb}: ${err}`).toContain(code);
    }
  });

  it("is a line for each reply in a chat", async () => {
    const server = await startMessagesServer();
    const env = { ANTHROPIC_API_KEY: "a-key", ANTHROPIC_BASE_URL: server.url };
    const chat = start(["chat", "--json", "--workspace", workspace], { env });
    chat.type("Good morning");
    chat.end();
    const { out } = await chat.done;
    expect(JSON.parse(out)).toEqual({ reply: "You said: Good morning" });
    await server.close();
  });
});
