import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { piecesIn } from "../../src/cli/transcripts/json-values.ts";
import { fileFolder } from "../support/afterwards.ts";
import { run } from "../support/cli.ts";
import { node, zipOf } from "../support/made-exports.ts";
import { runs } from "../support/runs.ts";

const home = fileFolder();
let names = 0;
const named = (end: string): string => join(home, `${(names += 1)}${end}`);

function file(name: string, text: string | Buffer | object): string {
  const path = named(`-${name}`);
  const isText = typeof text === "string" || Buffer.isBuffer(text);
  writeFileSync(path, isText ? text : JSON.stringify(text));
  return path;
}
function folder(files: Readonly<Record<string, string>>): string {
  const root = named("");
  mkdirSync(root);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}
const lines = (rows: readonly object[]): string =>
  rows.map((row) => JSON.stringify(row)).join("\n");

interface Came {
  readonly conversations: number;
  readonly messages: number;
  readonly memories: number;
  readonly pages: number;
  readonly left: string[];
  readonly standing: string[];
  readonly unread: string[];
  readonly wrong: string[];
}

/** A workspace, and what the verbs of the command line say of it. */
function world() {
  const workspace = named("-workspace");
  const asked = (...args: string[]) => run([...args, "--workspace", workspace]);
  const told = async <T>(...args: string[]): Promise<T> =>
    JSON.parse((await asked(...args, "--json")).out) as T;
  return {
    workspace,
    asked,
    came: (...args: string[]): Promise<Came> => told("import", ...args),
    async read(): Promise<Record<string, string[]>> {
      const all = await told<{ id: string; label: string }[]>("conversations");
      const found: Record<string, string[]> = {};
      for (const { id, label } of all) {
        const messages = await told<{ role: string; name?: string; text: string }[]>("read", id);
        found[label] = messages.map(({ role, name, text }) => `${name ?? role}: ${text}`);
      }
      return found;
    },
    memories: () =>
      told<{ content: string; tags: string[]; importance: number; source: string }[]>("list"),
  };
}

const conversation = (id: string, nodes: [string, object][], more: object = {}): object => ({
  ...{ title: id, conversation_id: id, current_node: nodes.at(-1)?.[0], ...more },
  mapping: Object.fromEntries(nodes),
});
const hidden = { metadata: { is_visually_hidden_from_conversation: true } };
const kind = (content_type: string) => ({ content: { content_type, parts: ["Not said."] } });
const CHATGPT = [
  conversation("boats", [
    ["root", { id: "root", message: null, parent: null }],
    node("s", "root", "system", "You are helpful."),
    node("c", "s", "user", "Profile", kind("user_editable_context")),
    node("p", "c", "user", "About me", { metadata: { is_user_system_message: true } }),
    node("h", "p", "user", "Hidden.", hidden),
    node("u", "h", "user", "Which boat is mine?"),
    node("x", "u", "assistant", "The red one."),
    node("t", "u", "assistant", "Thinking", kind("thoughts")),
    node("q", "t", "assistant", 'search("boat")', { recipient: "web" }),
    node("r", "q", "tool", "42 results"),
    node("w", "r", "assistant", "Draft", { weight: 0 }),
    node("a", "w", "assistant", "The blue one\ue200cite\ue202turn0\ue201."),
  ]),
  conversation(
    "secret",
    [
      node("u1", null, "user", "My name is Ines. I prefer metric units in all reports."),
      node("a1", "u1", "assistant", "Noted."),
    ],
    { is_do_not_remember: true },
  ),
  conversation("alone", [node("u2", null, "user", "Anybody there?")]),
];

describe("an export of ChatGPT", () => {
  const files = {
    "conversations-000.json": JSON.stringify(CHATGPT.slice(0, 1)),
    "conversations-001.json": JSON.stringify(CHATGPT.slice(1)),
    "chat.html": "<html>",
    "user.json": "{}",
  };
  it.each([
    ["as a ZIP", () => file("export.zip", zipOf(files))],
    ["unpacked", () => folder(files)],
  ])("%s: the words that were said on the way to its end, once", async (_, made) => {
    const [path, { came, read, memories, asked }] = [made(), world()];
    const held = {
      ...{ conversations: 2, messages: 4 },
      left: ["1 dropped branch", "1 conversation without a reply"],
    };
    expect(await came(path)).toMatchObject({ ...held, unread: ["chat.html", "user.json"] });
    expect(await read()).toEqual({
      boats: ["user: Which boat is mine?", "assistant: The blue one."],
      secret: ["user: My name is Ines. I prefer metric units in all reports.", "assistant: Noted."],
    });
    // Its user wants nothing of it remembered.
    expect(await memories()).toEqual([]);
    expect(await came(path)).toMatchObject({ conversations: 2, messages: 0, memories: 0 });
    expect((await asked("import", path)).out).toContain(
      "; 1 conversation without a reply.\nNot read: 2 other files (chat.html, user.json).",
    );
  });

  it("is taken as far as it goes where it is cut off, or one of it cannot be meant", async () => {
    const text = JSON.stringify(CHATGPT);
    const { came, read, asked } = world();
    const cut = file("conversations.json", text.slice(0, text.indexOf('"secret"') + 40));
    const { code, err } = await asked("import", cut);
    expect(code).toBe(1);
    expect(err).toMatch(/^tidemark: [^\n]*conversations.json: it is cut off in item 2\n$/);
    expect(Object.keys(await read())).toEqual(["boats"]);
    const odd = conversation("odd", [
      node("u3", null, "user", "When?", { create_time: 12 }),
      node("a3", "u3", "assistant", "Then."),
    ]);
    const { wrong, conversations } = await came(file("odd.json", [odd, ...CHATGPT]));
    expect({ wrong: wrong.length, conversations }).toEqual({ wrong: 1, conversations: 2 });
    expect(wrong[0]).toMatch(/^odd: .*before 2000.*--undated/);
    expect(Object.keys(await read()).sort()).toEqual(["boats", "secret"]);
    expect(await came(file("odd.json", [odd]), "--undated")).toMatchObject({ messages: 2 });
  });
});

describe("a list of JSON that comes in pieces", () => {
  it("is cut into its items, wherever the pieces end", async () => {
    const asked = fc.record({
      list: fc.array(fc.jsonValue(), { minLength: 1 }),
      indent: fc.constantFrom(undefined, 1),
      size: fc.integer({ min: 1, max: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ list, indent, size }) => {
        const bytes = Buffer.from(`\ufeff ${JSON.stringify(list, undefined, indent)}\n`);
        const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        const found: unknown[] = [];
        const read = async (): Promise<AsyncIterable<Buffer>> => Readable.from(parts);
        for await (const piece of piecesIn({ read })) found.push(piece);
        const values = JSON.parse(JSON.stringify(list)) as unknown[];
        expect(found).toEqual(values.map((value) => ({ value })));
      }),
      { numRuns: runs(100) },
    );
  });
});

const said = (uuid: string, parent: string, sender: string, minute: number, more: object = {}) => ({
  ...{ uuid, parent_message_uuid: parent, sender, text: "", attachments: [], files: [] },
  ...{ created_at: `2026-03-03T09:0${minute}:00.000000Z`, content: [], ...more },
});
const text = (words: string) => ({ content: [{ type: "text", text: words }] });
const CLAUDE = [
  {
    ...{ uuid: "claude-1", name: "Piers", created_at: "2026-03-03T09:00:00Z" },
    chat_messages: [
      said("1", "00000000-0000-4000-8000-000000000000", "human", 0, {
        attachments: [{ file_name: "piers.txt", extracted_content: "Pier 1 is closed." }],
      }),
      said("2", "1", "assistant", 1, {
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "tool_use", name: "web", input: {} },
          { type: "text", text: "Pier 1 is." },
        ],
      }),
      said("4", "3", "assistant", 4, text("Pier 2 is open.")),
      said("3", "2", "human", 3, { text: "And pier 2?" }),
      said("5", "2", "human", 2, text("An older question.")),
    ],
  },
  { uuid: "claude-2", name: "", chat_messages: [] },
];
const KNOWN = {
  conversations_memory: "**Work context**\n\nInes is a harbour pilot.\nShe lives in Kiel.",
  project_memories: { p: "- Reports are in metric units." },
};

describe("an export of Claude.ai", () => {
  it.each([
    ["as one list", { "memories.json": JSON.stringify([KNOWN]) }],
    ["in files of each account", { "memories/a-1.json": JSON.stringify(KNOWN) }],
  ])("%s: the branch that ends last, files as files, and what it knows", async (_, known) => {
    const path = file(
      "data.zip",
      zipOf({ "conversations.json": JSON.stringify(CLAUDE), "projects.json": "[]", ...known }),
    );
    const { came, read, memories } = world();
    expect(await came(path)).toMatchObject({
      ...{ conversations: 1, messages: 4, memories: 2, unread: ["projects.json"], wrong: [] },
      left: ["1 dropped branch", "1 conversation without a reply"],
    });
    expect(await read()).toEqual({
      "claude-1": [
        "piers.txt: Pier 1 is closed.",
        "assistant: Pier 1 is.",
        "user: And pier 2?",
        "assistant: Pier 2 is open.",
      ],
    });
    const kept = (await memories()).map(({ content, source }) => `${source}: ${content}`);
    expect(kept.sort()).toEqual([
      "claude.ai: Reports are in metric units.",
      "claude.ai: Work context: Ines is a harbour pilot. She lives in Kiel.",
    ]);
    expect(await came(path)).toMatchObject({ messages: 0, memories: 0 });
  });
});

let uuids = 0;
const entry = (type: string, content: unknown, more: object = {}): object => ({
  ...{ type, uuid: `l${(uuids += 1)}`, sessionId: "session-1", timestamp: "2026-03-03T09:00:00Z" },
  message: { role: type, content, ...(type === "assistant" ? { id: `m${uuids}` } : {}) },
  ...more,
});

describe("logs of agents", () => {
  it("of Claude Code: a folder of them, without what no person and no model said", async () => {
    const session = [
      entry("user", "Caveat", { isMeta: true }),
      entry("user", "<command-name>/clear</command-name><command-args></command-args>"),
      entry("user", "<bash-input>ls</bash-input>"),
      entry("user", "Paint <system-reminder>Todo list</system-reminder>the pier."),
      { type: "attachment", uuid: "at", attachment: { type: "date" }, rendered: [] },
      entry("assistant", [{ type: "text", text: "Painted." }]),
      entry("user", [{ type: "text", text: "[Request interrupted by user]" }]),
      entry("user", "This session is being continued", { isCompactSummary: true }),
      entry("user", "This session is being continued", { repeatsCompactSummary: true }),
      entry("user", "<task-notification>done</task-notification>"),
      entry("assistant", [{ type: "text", text: "It is white." }]),
    ];
    const torn = lines(session).split("\n");
    torn.splice(5, 0, '{"type":"user","mess');
    const path = folder({
      "-home-ada/session-1.jsonl": torn.join("\n"),
      "-home-ada/session-1/subagents/agent-a.jsonl": lines([
        entry("user", "Search the pier.", { isSidechain: true }),
        entry("assistant", [{ type: "text", text: "Found." }], { isSidechain: true }),
      ]),
      "-home-ada/notes.txt": "no log",
      "history.jsonl": lines([{ display: "/clear" }, { display: "ls" }]),
      "unanswered.jsonl": lines([entry("user", "Anybody there?")]),
    });
    const { asked, came, read } = world();
    const { code, err, out } = await asked("import", path);
    expect(code).toBe(1);
    expect(err).toMatch(/^[^\n]*session-1.jsonl: line 6 is no JSON\n$/);
    expect(out).toContain("Not read: 3 other files (-home-ada/notes.txt, ");
    expect(out).toContain("Left out: 1 log of a sub-agent.");
    expect(await read()).toEqual({
      "session-1": ["user: Paint the pier.", "assistant: Painted.", "assistant: It is white."],
    });
    expect(await came(path)).toMatchObject({ messages: 0 });
  });

  it("of Codex: the user's words as it marks them", async () => {
    const item = (role: string, parts: string[], kinds?: string[]): object => ({
      ...{ timestamp: "2026-03-03T09:00:00Z", type: "response_item" },
      payload: {
        ...{ type: "message", role },
        content: parts.map((words) => ({ type: `${role}_text`, text: words })),
        ...(kinds && { internal_chat_message_metadata_passthrough: { content_item_kinds: kinds } }),
      },
    });
    const path = folder({
      "2026/03/03/rollout-a.jsonl": lines([
        { type: "session_meta", payload: { id: "codex-1" } },
        item("user", ["Rules", "cwd"], ["agents_md.instructions", "environments.context"]),
        item("user", ["A skill", "Count the gulls."], ["skills.selected", "user.text"]),
        item("assistant", ["Seven."]),
      ]),
    });
    const { came, read } = world();
    expect(await came(path)).toMatchObject({ conversations: 1, messages: 2 });
    expect(await read()).toEqual({ "codex-1": ["user: Count the gulls.", "assistant: Seven."] });
  });
});

describe("a workspace of OpenClaw", () => {
  const KEY = `sk-ant-api03-${"Ab3dEf6hIj9k".repeat(8)}AA`;
  const files = {
    "SOUL.md": "Speak like a pilot.\n",
    "AGENTS.md": "Read the tide first.\n",
    "USER.md": "Ines, of Kiel.\n",
    "IDENTITY.md": "Name: Otto",
    "skills/tide/SKILL.md": "# Tide",
    "MEMORY.md": [
      "# Memory",
      "<!-- what stays",
      "for long -->",
      "- The pier is white. <!-- trigger: pier, paint --> <!-- importance: 9 -->",
      "## Server",
      "The port is 5433",
      "and not 5432.",
      "",
      "```",
      "code",
      "```",
    ].join("\n"),
    "memory/2026-03-03.md": `## Morning\nThe quisquilia came in. Key ${KEY}\n`,
    "memory/2026-03-04-evening.md": "All was calm.\n",
  };

  it.each([
    ["folder", () => folder(files)],
    [
      "ZIP with a folder in it",
      () =>
        file(
          "claw.zip",
          zipOf(
            Object.fromEntries(Object.entries(files).map(([name, one]) => [`ws/${name}`, one])),
          ),
        ),
    ],
  ])(
    "as a %s: pages as pages, lines as memories, and nothing of ours overwritten",
    async (_, made) => {
      const [path, { workspace, asked, came, memories }] = [made(), world()];
      await asked("init");
      writeFileSync(join(workspace, "SOUL.md"), "Mine.\n");
      const page = (name: string): string => readFileSync(join(workspace, name), "utf8");
      expect(await came(path)).toMatchObject({
        ...{ conversations: 0, memories: 2, pages: 4, standing: ["SOUL.md"], wrong: [] },
        unread: expect.arrayContaining([expect.stringMatching("IDENTITY.md")]) as string[],
      });
      expect(["SOUL.md", "AGENTS.md", "USER.md"].map(page)).toEqual([
        "Mine.\n",
        files["AGENTS.md"],
        files["USER.md"],
      ]);
      expect(page("memory/2026-03-03.md")).not.toContain(KEY);
      expect(await memories()).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            ...{ content: "The pier is white.", tags: ["pier", "paint"], importance: 0.9 },
            source: "openclaw",
          }),
          expect.objectContaining({ content: "Server: The port is 5433 and not 5432." }),
        ]),
      );
      expect((await asked("search", "quisquilia")).out).toContain("memory/2026-03-03.md");
      expect((await asked("recall", "which port has the server?")).out).toContain("5433");
      expect(await came(path)).toMatchObject({ memories: 0, pages: 0, standing: ["SOUL.md"] });
    },
  );

  it("of a user is the user's, its agent the agent's", async () => {
    const { workspace, came } = world();
    expect(await came(folder(files), "--user", "ada")).toMatchObject({ memories: 2, pages: 5 });
    const page = (name: string): string => readFileSync(join(workspace, name), "utf8");
    expect(page("SOUL.md")).toBe(files["SOUL.md"]);
    expect(page("scopes/user/ada/USER.md")).toBe(files["USER.md"]);
    expect(page("scopes/user/ada/memory/2026-03-04-evening.md")).toBe("All was calm.\n");
  });
});

describe("memories of mem0", () => {
  const row = (id: string, memory: string, more: object = {}): object => ({
    ...{ id, memory, hash: "h", createdAt: "2026-03-03T09:00:00.123456-07:00", ...more },
  });
  it.each([
    ["results", { results: [row("1", "Ines is a pilot."), row("2", "The pier is white.")] }],
    ["a list", [row("1", "Ines is a pilot."), row("2", "The pier is white.")]],
    ["lines", lines([row("1", "Ines is a pilot."), row("2", "The pier is white.")])],
  ])("as %s, once; what was changed here later stays", async (_, made) => {
    const [path, { came, memories, asked }] = [file("mem0.json", made), world()];
    expect(await came(path)).toMatchObject({ memories: 2, conversations: 0 });
    const { id } = (await memories()).find(({ content }) =>
      content.includes("pilot"),
    ) as unknown as {
      id: string;
    };
    expect((await asked("forget", id, "--yes")).code).toBe(0);
    expect(await came(path)).toMatchObject({ memories: 1 });
    expect(await came(path)).toMatchObject({ memories: 0 });
    expect(await memories()).toHaveLength(2);
  });

  it("of several users come for the one that is named; what has ended or lacks words is told", async () => {
    const path = file("all.json", {
      results: [
        row("1", "Ines is a pilot.", { user_id: "ines", categories: ["work"] }),
        row("2", "Otto is a cook.", { user_id: "otto" }),
        row("3", "The tide is high.", { user_id: "ines", expiration_date: "2026-01-01" }),
        { id: "4", fact: "Mine is another schema." },
      ],
    });
    const { came, asked } = world();
    const other = '1 row with no "memory" in it, but id, fact';
    const of = "of several users (ines, otto): --user takes those of one";
    expect(await came(path)).toMatchObject({ memories: 0, left: [other, `3 memories ${of}`] });
    expect(await came(path, "--user", "ines")).toMatchObject({
      ...{ memories: 1, left: [other, `1 memory ${of}`, "1 memory that has ended"] },
    });
    expect((await asked("list", "--user", "ines")).out).toContain("Ines is a pilot.");
    expect((await asked("list")).out).not.toContain("pilot");
  });
});

const LONE = JSON.stringify(CHATGPT);
const wrongSize = (size: number): Buffer => zipOf({ "conversations.json": LONE }, { size });
describe("what cannot be imported is refused in one sentence, and nothing comes of it", () => {
  it.each<[string, () => string, RegExp]>([
    ["no such file", () => join(home, "none.zip"), /there is no such file/],
    ["an empty folder", () => folder({}), /found nothing that is known; expected are/],
    ["an empty file", () => file("a.json", " \n"), /found an empty file; expected are/],
    [
      "a file that is none",
      () => file("a.png", Buffer.from([137, 80, 0, 1])),
      /not text; expected/,
    ],
    ["JSON of another kind", () => file("a.json", { a: 1 }), /without "messages"; expected are/],
    [
      "a list of other things",
      () => file("a.json", [{ a: 1 }, { a: 2 }]),
      /item 0 is no message; expected/,
    ],
    ["a torn list", () => file("a.json", '[{"mapping":{'), /cut off in item 1; expected are/],
    ["half a ZIP", () => file("a.zip", wrongSize(9).subarray(0, 200)), /as a ZIP \(.*again/],
    [
      "an encrypted ZIP",
      () => file("a.zip", zipOf({ "conversations.json": LONE }, { flags: 1 })),
      /is encrypted: unpack it, and import the folder/,
    ],
    ["a bomb", () => file("a.zip", wrongSize(2_000_000_000)), /would be 2 GB, packed in/],
    ["a ZIP that grows", () => file("a.zip", wrongSize(40)), /cannot be read to its end \(.*bytes/],
    [
      "a path out of a ZIP",
      () => file("a.zip", zipOf({ "../conversations.json": LONE })),
      /as a ZIP \(invalid relative path/,
    ],
  ])("%s", async (_, made, says) => {
    const { asked, workspace } = world();
    const { code, out, err } = await asked("import", made());
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(says);
    expect(err).toMatch(/^tidemark: [^\n]*\.\n$/);
    expect(existsSync(workspace)).toBe(false);
  });

  it("a workspace of Tidemark itself; what was named before it has come in", async () => {
    const { asked, workspace } = world();
    await asked("init");
    const { came, read } = world();
    const above = { "ours/.tidemark/tidemark.db": "", "ours/MEMORY.md": "- A line of ours." };
    expect((await asked("import", folder(above))).err).toMatch(/found nothing that is known/);
    const { conversations, wrong } = await came(file("a.json", LONE), workspace);
    expect({ conversations, wrong }).toEqual({
      conversations: 2,
      wrong: [expect.stringMatching(/is a workspace of Tidemark/)],
    });
    expect(Object.keys(await read())).toHaveLength(2);
  });
});
