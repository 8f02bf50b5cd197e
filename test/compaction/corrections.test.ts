import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Options, Tidemark } from "../../src/index.ts";
import { isCorrection } from "../../src/memory/extracting/extractive.ts";
import { isRule } from "../../src/memory/extracting/statements.ts";
import { freshFolder, freshTidemark } from "../support/anthropic.ts";
import { asReply, play, requestOf, user } from "../support/talk.ts";

const open = async (workspace: string, options: Options = {}) =>
  (await freshTidemark({ workspace, distil: "extractive", embed: false, ...options })).tidemark;

const talk = (tidemark: Tidemark, said: readonly (readonly [string, string])[]) =>
  play(tidemark, { calls: said.map(([words]) => words), reply: (at) => said[at]?.[1] });

/** Each in a session of its own, one after the other; then what memory holds, and the folder. */
async function sessions(...talks: readonly (readonly (readonly [string, string])[])[]) {
  const workspace = freshFolder();
  for (const said of talks) {
    const tidemark = await open(workspace);
    await talk(tidemark, said);
    await tidemark.close();
  }
  return { workspace, tidemark: await open(workspace) };
}

const page = (workspace: string, name: string): string => {
  const path = join(workspace, name);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
};

const CORRECTED: readonly (readonly [
  before: string,
  correction: string,
  wrong: string,
  right: string,
])[] = [
  [
    "The staging database is on port 8080.",
    "No, the staging database is on port 9443, not 8080.",
    "port 8080.",
    "9443",
  ],
  [
    "My dentist appointment is on Tuesday.",
    "Actually my dentist appointment is on Thursday.",
    "Tuesday",
    "Thursday",
  ],
  ["Our launch date is 12 June.", "I was wrong: our launch date is 19 June.", "12 June", "19 June"],
  [
    "We use npm for the frontend.",
    "Correction: we use pnpm for the frontend, not npm.",
    "We use npm",
    "pnpm",
  ],
  [
    "The budget for the kitchen is 12,000 euros.",
    "Sorry, the budget for the kitchen is 15,000 euros.",
    "12,000",
    "15,000",
  ],
  ["I drive a Golf.", "Sold the Golf last week, I drive a Tesla now.", "drive a Golf", "Tesla"],
  [
    "I live in Berlin.",
    "I've moved: I live in Hamburg now, no longer in Berlin.",
    "I live in Berlin.",
    "Hamburg",
  ],
];

it.each(CORRECTED.slice(0, 2))(
  "of one conversation too: %s %s",
  async (before, correction, _, right) => {
    const { tidemark } = await sessions([
      [before, "Noted."],
      [correction, "Understood."],
    ]);
    const told = (await tidemark.memory.list()).map(({ content }) => content).join(" ");
    expect(told).toContain(right);
    expect(told).not.toContain(before);
  },
);

it("what may be otherwise since is told beside what was said before, a guess is not", async () => {
  const { tidemark } = await sessions(
    [["My rent is 900 euros.", "Noted."]],
    [
      ["They raised my rent to 980 yesterday.", "Understood."],
      ["If they raised the rent to 2000, I would move.", "Understood."],
    ],
  );
  const told = (await tidemark.memory.list()).map(({ content }) => content).join(" ");
  expect(told).toContain("rent to 980");
  expect(told).not.toContain("2000");
});

describe("a correction in a later session, without a model", () => {
  it.each(CORRECTED)("%s %s", async (before, correction, wrong, right) => {
    const { workspace, tidemark } = await sessions(
      [
        [before, "Noted."],
        ["What else?", "Nothing."],
      ],
      [
        ["Let us look again.", before],
        [correction, "Understood."],
        ["Good.", "Fine."],
      ],
    );
    const contents = (await tidemark.memory.list({ limit: 100 })).map(({ content }) => content);
    expect(contents.some((content) => content.includes(right))).toBe(true);
    expect(
      contents.filter((content) => content.includes(wrong) && !content.includes(right)),
    ).toEqual([]);
    const { request } = await tidemark.begin(requestOf([user("Hello.")]));
    expect(JSON.stringify(request)).toContain(right);
    for (const text of [JSON.stringify(request), page(workspace, "MEMORY.md")])
      expect(text).not.toContain(`User: ${before}`);
  });

  it("leaves what is about something else", async () => {
    const { tidemark } = await sessions(
      [
        ["My parents live in Berlin.", "Noted."],
        ["I use Vim for everything, with tabs.", "Noted."],
      ],
      [
        ["Actually my sister lives in Rome.", "Noted."],
        ["I live in Hamburg now, no longer in Berlin.", "Noted."],
        ["No, use two spaces, not tabs.", "Done."],
      ],
    );
    const contents = (await tidemark.memory.list({ limit: 100 })).map(({ content }) => content);
    expect(contents).toContain("User: My parents live in Berlin.");
  });
});

describe("what a correction is", () => {
  it.each([
    "That's not what I asked for; only rename the file.",
    "No, use tabs, not spaces.",
    "You should have run the tests first.",
    "I said German, not English.",
    "Stop adding comments to the code.",
    "Not the blue one, the red one.",
    "It's spelled Meyer, not Maier.",
    "The deadline isn't Friday, it's Monday.",
    "Please don't rewrite the whole file, only change line 12.",
  ])("%s", (text) => expect(isCorrection(text) || isRule(text)).toBe(true));

  it.each([
    "No, go ahead.",
    "No way, that's amazing!",
    "Never mind, it is true.",
    "Don't mention it.",
    "No problem, thanks!",
    "Stop worrying, it's perfect!",
    "Instead of thanking me, have a nice day!",
    "I was not sure, but it looks good.",
    "Actually, can you also add tests?",
  ])("%s is none", (text) => expect(isCorrection(text) || isRule(text)).toBe(false));
});

describe("learnings", () => {
  const call = (id: string, command: string) =>
    ({
      role: "assistant",
      content: [{ type: "tool_use", id, name: "bash", input: { command } }],
    }) as never;
  const answer = (id: string, content: string, is_error: boolean) =>
    ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content, is_error }],
    }) as never;
  const tools = [{ name: "bash", input_schema: { type: "object" } }];

  it("name the tool, what was asked of it, the cause and the cure", async () => {
    const workspace = freshFolder();
    const tidemark = await open(workspace);
    const messages = [
      user("Run the tests."),
      call("t1", "npm test"),
      answer("t1", "Exit code 1\nError: Cannot find module 'vitest'\n    at main.js:1", true),
    ];
    const turn = await tidemark.begin(requestOf(messages, { tools }));
    await turn.end(asReply(call("t2", "npm ci && npm test")));
    messages.push(call("t2", "npm ci && npm test"), answer("t2", "12 passed", false));
    await tidemark.begin(requestOf(messages, { tools }));
    await tidemark.idle();
    await tidemark.close();
    expect(page(workspace, "learnings/errors.md")).toMatch(
      /^- bash failed on “npm test”: Error: Cannot find module 'vitest'; went well with “npm ci && npm test” <!--/m,
    );
  });

  it("say nothing of a failure without a cause, or of a call that its user stopped", async () => {
    const workspace = freshFolder();
    const tidemark = await open(workspace);
    const messages = [
      user("Run the tests."),
      call("t1", "npm test"),
      answer("t1", "Exit code 1", true),
      call("t2", "npm test"),
      answer("t2", "The user doesn't want to proceed with this tool use.", true),
    ];
    await tidemark.begin(requestOf(messages, { tools }));
    await tidemark.idle();
    await tidemark.close();
    expect(page(workspace, "learnings/errors.md")).not.toContain("bash failed");
  });

  it("hold corrections, and no thanks", async () => {
    const { workspace, tidemark } = await sessions([
      ["Please rename it.", "Done: tide.txt."],
      ["No problem, thanks!", "Welcome."],
      ["No, call it ebb.txt, not tide.txt.", "Done."],
    ]);
    await tidemark.close();
    const scopes = join(workspace, "scopes");
    const files = [
      workspace,
      ...(existsSync(scopes)
        ? readdirSync(scopes, { recursive: true }).map((name) => join(scopes, String(name)))
        : []),
    ];
    const text = files.map((folder) => page(folder, "learnings/corrections.md")).join("\n");
    expect(text).toContain("No, call it ebb.txt, not tide.txt.");
    expect(text).not.toContain("No problem");
  });
});
