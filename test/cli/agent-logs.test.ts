import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../support/cli.ts";
import { fileFolder } from "../support/afterwards.ts";

const home = fileFolder();
const lines = (name: string, rows: readonly object[]): string =>
  file(name, rows.map((row) => JSON.stringify(row)).join("\n"));
function file(name: string, text: string | object): string {
  const path = join(home, name);
  writeFileSync(path, typeof text === "string" ? text : JSON.stringify(text));
  return path;
}
const at = (minute: number): string => new Date(Date.UTC(2026, 2, 3, 9, minute)).toISOString();

interface Line {
  readonly uuid: string;
  readonly parent: string | null;
  readonly role?: "user" | "assistant";
  readonly content?: unknown;
  readonly id?: string;
}
let minute = 0;
const line = ({ uuid, parent, role = "user", content, id }: Line): object => ({
  ...{ type: role, uuid, parentUuid: parent, sessionId: "claude-1", timestamp: at((minute += 1)) },
  message: { role, content, ...(id === undefined ? {} : { id, model: "claude-opus-4-6" }) },
});
const user = (uuid: string, parent: string | null, content: unknown): object =>
  line({ uuid, parent, content });
const reply = (uuid: string, parent: string, id: string, block: object): object =>
  line({ uuid, parent, role: "assistant", content: [block], id });
const text = (words: string): object => ({ type: "text", text: words });
const call = (id: string): object => ({ type: "tool_use", id, name: "Bash", input: {} });
const result = (id: string): object => ({
  type: "tool_result",
  tool_use_id: id,
  content: `of ${id}`,
});

/** The user rewound behind the first reply, and asked otherwise. */
const REWOUND = [
  user("u1", null, "Draw the lighthouse."),
  reply("a1", "u1", "m1", text("Drawn.")),
  user("u2", "a1", "Paint it green."),
  reply("a2", "u2", "m2", text("It is green.")),
  user("u3", "a1", "Paint it white."),
  reply("a3", "u3", "m3", call("x")),
  reply("a4", "a3", "m3", call("y")),
  user("r1", "a3", [result("x")]),
  user("r2", "a4", [result("y")]),
  reply("a5", "r2", "m4", text("It is white.")),
];

interface Played {
  conversations: { messages: number; notes: string[] }[];
}
const replayed = async (...args: string[]): Promise<Played["conversations"]> =>
  (JSON.parse((await run(["replay", ...args, "--json"])).out) as Played).conversations;

let workspaces = 0;
/** Imports files into a workspace of their own; answers how each conversation reads. */
async function imported(...args: string[]) {
  const workspace = join(home, `workspace-${(workspaces += 1)}`);
  await run(["init", "--workspace", workspace]);
  const did = await run(["import", ...args, "--workspace", workspace]);
  const all = JSON.parse(
    (await run(["conversations", "--json", "--workspace", workspace])).out || "[]",
  ) as { id: string; label: string; at: number }[];
  const read = await Promise.all(
    all.map(async ({ id, label, at: began }) => {
      const { out } = await run(["read", id, "--json", "--workspace", workspace]);
      const messages = JSON.parse(out) as { role: string; text: string; at?: number }[];
      return { label, began, said: messages.map((one) => `${one.role}: ${one.text}`) };
    }),
  );
  return { workspace, did, read: read.sort((one, other) => (one.label < other.label ? -1 : 1)) };
}

describe("a Claude Code log with a rewind", () => {
  it("is played and imported as the conversation that goes on to the end, and what was dropped is told", async () => {
    const path = lines("rewound.jsonl", REWOUND);
    const [played, ...others] = await replayed(path);
    expect(others).toEqual([]);
    expect(played?.messages).toBe(6);
    expect(played?.notes.join()).toMatch(/1 dropped branch \(rewinds\) is left out/);
    const { did, read } = await imported(path);
    expect(did).toMatchObject({ code: 0, err: "" });
    expect(did.out).toContain("Left out: 1 dropped branch.");
    expect(read).toMatchObject([
      {
        label: "claude-1",
        said: [
          "user: Draw the lighthouse.",
          "assistant: Drawn.",
          "user: Paint it white.",
          "assistant: It is white.",
        ],
      },
    ]);
  });

  it("is followed over a compaction, a first message that was asked anew, and calls beside each other", async () => {
    const path = lines("compacted.jsonl", [
      user("u0", null, "Forget this one."),
      user("u1", null, "Begin."),
      reply("a1", "u1", "m1", text("Begun.")),
      {
        type: "system",
        subtype: "compact_boundary",
        uuid: "c",
        parentUuid: null,
        logicalParentUuid: "a1",
      },
      { ...user("s", "c", "This session is being continued"), isCompactSummary: true },
      user("u2", "s", "<command-name>/compact</command-name><command-args></command-args>"),
      user("u3", "u2", "Go on."),
      reply("a2", "u3", "m2", text("Gone on.")),
    ]);
    const { read } = await imported(path);
    expect(read[0]?.said).toEqual([
      "user: Begin.",
      "assistant: Begun.",
      "user: Go on.",
      "assistant: Gone on.",
    ]);
    expect((await replayed(path))[0]?.notes.join()).toMatch(/compacted this conversation once/);
  });
});

describe("logs of other programs", () => {
  it("Codex rollouts, with what was rolled back left out", async () => {
    const item = (payload: object): object => ({
      timestamp: at(1),
      type: "response_item",
      payload,
    });
    const said = (role: string, words: string): object =>
      item({
        ...{ type: "message", role },
        content: [{ type: role === "user" ? "input_text" : "output_text", text: words }],
      });
    const path = lines("rollout.jsonl", [
      { timestamp: at(0), type: "session_meta", payload: { id: "codex-1", cwd: "/x" } },
      said("developer", "Rules"),
      said("user", "<environment_context>cwd</environment_context>"),
      said("user", "List the piers."),
      {
        timestamp: at(1),
        type: "event_msg",
        payload: { type: "user_message", message: "List the piers." },
      },
      item({
        type: "function_call",
        name: "shell",
        arguments: '{"command":["ls"]}',
        call_id: "c1",
      }),
      item({ type: "function_call_output", call_id: "c1", output: "pier-1" }),
      said("assistant", "There is one."),
      said("user", "Remove it."),
      said("assistant", "Removed."),
      {
        timestamp: at(2),
        type: "event_msg",
        payload: { type: "thread_rolled_back", num_turns: 1 },
      },
      said("user", "Keep it."),
      said("assistant", "Kept."),
    ]);
    const { read } = await imported(path);
    expect(read).toMatchObject([
      {
        label: "codex-1",
        said: [
          "user: List the piers.",
          "assistant: There is one.",
          "user: Keep it.",
          "assistant: Kept.",
        ],
      },
    ]);
    expect((await replayed(path))[0]?.messages).toBe(6);
  });

  it("OpenAI's messages: a list, lines of messages and of conversations, items", async () => {
    const pair = [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Which port?" }] },
      { role: "assistant", content: "5433" },
    ];
    const two = ["user: Which port?", "assistant: 5433"];
    const { read, did } = await imported(
      file("a.json", pair),
      lines("c.jsonl", pair),
      lines("d.jsonl", [{ messages: pair }, { messages: [...pair].reverse() }]),
      file("e.json", {
        model: "gpt-5",
        input: [{ role: "user", content: [{ type: "input_text", text: "Which port?" }] }],
        output: [
          { type: "message", role: "assistant", content: [{ type: "output_text", text: "5433" }] },
        ],
      }),
    );
    expect(did).toMatchObject({ code: 0, err: "" });
    expect(read.map(({ label }) => label)).toEqual([
      "a.json",
      "c.jsonl",
      "d.jsonl",
      "d.jsonl 2",
      "e.json",
    ]);
    for (const { label, said } of read) if (label !== "d.jsonl 2") expect(said, label).toEqual(two);
  });
});

describe("imported conversations teach", () => {
  const path = (): string =>
    file("taught.json", [
      { role: "user", content: "My name is Ines. I prefer metric units in all reports." },
      { role: "assistant", content: "Noted." },
    ]);
  const known = async (workspace: string): Promise<string> =>
    (await run(["list", "--workspace", workspace])).out;

  it("as short sessions do, and not with --no-learn", async () => {
    const { workspace } = await imported(path());
    expect(await known(workspace)).toContain("metric units");
    const silent = await imported(path(), "--no-learn");
    expect(silent.read).toHaveLength(1);
    expect(await known(silent.workspace)).not.toContain("metric units");
  });
});
