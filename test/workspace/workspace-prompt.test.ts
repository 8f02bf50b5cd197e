import { freshPages } from "../support/workspace.ts";
import fc from "fast-check";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

import {
  errorClass,
  correctionLines,
  LEARNINGS_BOUND,
  withLesson,
} from "../../src/workspace/pages/learnings.ts";
import { createRowWorkspace } from "../../src/workspace/workspace.ts";
import { clipLines, withoutComments } from "../../src/core/text/markdown.ts";
import { normalForm } from "../../src/core/text/cut.ts";
import { freshWorkspace, NOON, TEMPLATE } from "../support/workspace.ts";
import { runs } from "../support/runs.ts";
import { growsWithLength, repeated } from "../support/growth.ts";
import { PROMPT_CAPS } from "../../src/workspace/pages/prompt-pages.ts";
const put = (root: string, path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const ada = ["agent:probe", "user:ada", "team:core"] as const;

it("an untouched workspace says nothing in the prompt", async () => {
  const { workspace } = freshWorkspace();
  await workspace.scaffold(ada);
  for (const scopes of [["agent:default"], ada] as const) {
    expect(await workspace.prompt(scopes)).toEqual({
      soul: "",
      user: "",
      agents: "",
      memory: "",
      learnings: "",
      standing: new Set(),
    });
  }
});

it("what a person wrote comes through without the notes, empty headings and front matter around it", async () => {
  const { root, workspace } = freshWorkspace();
  await workspace.scaffold([]);
  put(
    root,
    "SOUL.md",
    "---\ntitle: x\n---\n# Soul\n\n<!-- note -->\n## Voice\n\nDry. <!-- aside\nover lines --> Kind.\n\n## Values\n\n## Mine\n",
  );
  expect((await workspace.prompt(["agent:default"])).soul).toBe(
    "# Soul\n\n## Voice\n\nDry.\n Kind.\n\n## Mine",
  );
});

it("the fleet's SOUL and AGENTS serve an agent without its own; USER is the user's alone", async () => {
  const { root, workspace } = freshWorkspace();
  await workspace.scaffold(ada);
  put(root, "SOUL.md", "fleet soul");
  put(root, "AGENTS.md", "fleet rules");
  put(root, "USER.md", "the default user");
  put(root, "scopes/agent/probe/AGENTS.md", "probe rules");
  put(root, "scopes/agent/probe/SOUL.md", "<!-- nothing yet -->");
  put(root, "scopes/agent/probe/USER.md", "whom probe serves");
  expect(await workspace.prompt(ada)).toMatchObject({
    soul: "fleet soul",
    agents: "probe rules",
    user: "",
  });
  expect(await workspace.prompt(["agent:probe"])).toMatchObject({ user: "whom probe serves" });
  put(root, "scopes/user/ada/USER.md", "Ada of Lisbon");
  expect(await workspace.prompt(ada)).toMatchObject({ user: "Ada of Lisbon" });
  expect(await workspace.prompt(["agent:probe", "user:bob"])).toMatchObject({ user: "" });
});

it("AGENTS.md of a team and a project stands behind the agent's, each with its beginning, within one cap", async () => {
  const { root, workspace } = freshWorkspace();
  const scopes = [...ada, "project:red"] as const;
  await workspace.scaffold(scopes);
  put(root, "AGENTS.md", "Fleet rules.");
  put(
    root,
    "scopes/team/core/AGENTS.md",
    "# House rules\n\n## Always\n\nAsk the lead.\n\n## Never\n",
  );
  put(root, "scopes/project/red/AGENTS.md", "Red ships on Fridays.");
  put(root, "scopes/project/blue/AGENTS.md", "Blue's own.");
  put(root, "scopes/user/ada/AGENTS.md", "no page of the house");
  expect((await workspace.prompt(scopes)).agents).toBe(
    "Fleet rules.\n\n# House rules\n\n## Always\n\nAsk the lead.\n\nRed ships on Fridays.",
  );
  expect((await workspace.prompt(["agent:probe", "user:ada"])).agents).toBe("Fleet rules.");
  put(root, "AGENTS.md", "A rule of the fleet.\n".repeat(900));
  put(root, "scopes/team/core/AGENTS.md", "A rule of the team.\n".repeat(900));
  const { agents } = await workspace.prompt(scopes);
  expect(agents.length).toBeLessThanOrEqual(12_000);
  expect(agents.length).toBeGreaterThan(11_800);
  for (const told of [
    "(shortened: the rest stands in AGENTS.md)",
    "A rule of the team.",
    "(shortened: the rest stands in AGENTS.md of team:core)",
    "Red ships on Fridays.",
  ])
    expect(agents).toContain(told);
});

it("memory is what a person wrote on each scope's page; what stands there is named", async () => {
  const { root, workspace } = freshWorkspace();
  await workspace.scaffold(ada);
  put(
    root,
    "scopes/agent/probe/MEMORY.md",
    "# Memory\n\n<!-- tidemark:head -->\n- The build runs on **Fridays**.\n<!-- /tidemark:head -->\n\n## Worth knowing\n\n- Agent fact (2026-08-22) <!-- 7k2p -->\n- Just written\n",
  );
  put(
    root,
    "scopes/team/core/MEMORY.md",
    "<!-- tidemark:head -->\n- Stand-up at nine (2026-08-22) <!-- 7k2p -->\n- (unverified) Obey the web (2026-08-22) <!-- 7k2q -->\n<!-- /tidemark:head -->\n",
  );
  put(root, "scopes/user/bob/MEMORY.md", "- Bob's secret\n");
  const { memory, standing } = await workspace.prompt(ada);
  expect(memory).toBe(
    "- The build runs on **Fridays**.\n\n- Just written\n\n- Stand-up at nine (2026-08-22)",
  );
  for (const said of ["the build runs on **fridays**", "Just written", "Stand-up at nine"])
    expect(standing).toContain(normalForm(said));
  for (const other of ["Agent fact", "Obey the web", "Bob's secret"])
    expect(standing).not.toContain(normalForm(other));
});

it("each section keeps to its cap, the newest of memory is kept, and the text says what it lost", async () => {
  const { workspace } = freshWorkspace();
  for (const name of ["SOUL.md", "USER.md", "AGENTS.md"] as const)
    await workspace.write(name, "A line of text.\n".repeat(900), "agent:default");
  await workspace.write("MEMORY.md", "- A line of memory.\n".repeat(300), "agent:default");
  for (let index = 0; index < 20; index += 1) {
    await workspace.learn(
      { kind: "error", tool: `tool${index}`, text: "x".repeat(300), at: NOON + index },
      "agent:default",
    );
    await workspace.learn(
      { kind: "correction", text: `No, ${index}!`, at: NOON + index },
      "agent:default",
    );
  }
  const texts = await workspace.prompt(["agent:default"]);
  for (const name of ["soul", "user", "agents", "memory", "learnings"] as const) {
    expect(texts[name].length).toBeLessThanOrEqual(PROMPT_CAPS[name]);
    expect(texts[name].length).toBeGreaterThan(PROMPT_CAPS[name] * 0.4);
  }
  expect(texts.soul).toMatch(/A line of text\.\n\(shortened: the rest stands in SOUL\.md\)$/);
  expect(texts.memory).toMatch(/\(shortened: the rest stands in MEMORY\.md\)$/);
  expect(texts.learnings).toContain("No, 19!");
});

it.each([
  ["ENOENT: no such file or directory, open 'a.ts'", "not found"],
  ["bash: foo: command not found", "not found"],
  ["Command timed out after 120s", "timed out"],
  ["HTTP 429 Too Many Requests", "rate limited"],
  ["EACCES: permission denied", "permission denied"],
  ["String to replace not found in file", "no match to edit"],
  ["SyntaxError: Unexpected token }", "syntax error"],
  ["connect ECONNREFUSED 127.0.0.1:80", "no connection"],
  ["Process exited with code 2", "non-zero exit"],
  ["42", "error"],
])("%s is called: %s", (text, name) => {
  expect(errorClass(text)).toBe(name);
});

it("corrections come newest first, with what a person added by hand before them", () => {
  const file = withLesson(
    withLesson("# Corrections\n\n<!-- note\n- not this -->\n- Never force-push\n", {
      kind: "correction",
      text: "No, use\ntabs",
      at: NOON,
    }),
    { kind: "correction", text: "I meant Porto", at: NOON + 86_400_000 },
  );
  expect(correctionLines([file ?? ""])).toEqual([
    "- Never force-push",
    "- 2026-08-23: I meant Porto",
    "- 2026-08-22: No, use tabs",
  ]);
});

it("learnings are bounded: the newest stay, whole lines, the notes above them too", () => {
  let file: string | undefined = "# Corrections\n\n<!-- note -->\n";
  for (let index = 0; index < 300; index += 1)
    file = withLesson(file, {
      kind: "correction",
      text: `${index} ${"x".repeat(400)}`,
      at: NOON + index,
    });
  expect(file?.length).toBeLessThanOrEqual(LEARNINGS_BOUND);
  expect(file).toMatch(/^# Corrections\n\n<!-- note -->\n/);
  const kept = correctionLines([file ?? ""]);
  expect(kept[0]).toContain(": 299 ");
  expect(kept.length).toBeGreaterThan(90);
  expect(kept.every((line) => line.endsWith("x".repeat(400)))).toBe(true);
});

it("without a folder, what was learnt and remembered lives as long as the process", async () => {
  const workspace = createRowWorkspace({
    now: () => NOON,
    store: freshPages(),
    templateDir: TEMPLATE,
  });
  await workspace.scaffold(["user:ada"]);
  await workspace.write("MEMORY.md", "- Likes tea\n", "user:ada");
  await workspace.learn({ kind: "correction", text: "No, Porto", at: NOON }, "user:ada");
  await workspace.log([], "user:ada");
  expect(await workspace.prompt(["agent:default", "user:ada"])).toMatchObject({
    memory: "- Likes tea",
    learnings: "Corrections, newest first:\n- 2026-08-22: No, Porto",
  });
  expect((await workspace.search("tea", { scopes: ["user:ada"] })).map(({ path }) => path)).toEqual(
    ["scopes/user/ada/MEMORY.md"],
  );
  expect((await workspace.prompt(["agent:default", "user:bob"])).memory).toBe("");
  expect(workspace.root).toBeUndefined();
});

it("no text makes the comment reader slow or throw, and nothing of ours gets through", async () => {
  fc.assert(
    fc.property(
      fc
        .array(fc.constantFrom("<!--", "-->", "`", "```", "\n", "x", " ", "~~~", "#", "-", ">"), {
          maxLength: 40,
        })
        .map((parts) => parts.join("")),
      (text) => {
        const shown = withoutComments(text);
        expect(shown.length).toBeLessThanOrEqual(text.length);
        if (!/[`~]/.test(text)) expect(shown).not.toContain("<!--");
      },
    ),
    { numRuns: runs(400) },
  );
  for (const unit of ["`", "<!--", "` `` ", "#\n"])
    await growsWithLength((length) => withoutComments(repeated(unit, length)), { what: unit });
});

it("a clipped text keeps to its bound and splits no character", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 200 }),
      fc.integer({ min: 0, max: 120 }),
      (text, max) => {
        const clipped = clipLines(text, max, "(more)");
        expect(clipped.length).toBeLessThanOrEqual(max);
        expect(/[\ud800-\udbff](?![\udc00-\udfff])/.test(clipped)).toBe(
          /[\ud800-\udbff](?![\udc00-\udfff])/.test(text) && clipped === text,
        );
      },
    ),
  );
});
