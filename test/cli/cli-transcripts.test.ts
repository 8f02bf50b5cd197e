import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { heldAt } from "../../src/cli/transcripts/held.ts";
import type { Conversation } from "../../src/cli/transcripts/read.ts";
import { dialectFor } from "../../src/providers/detect.ts";
import { fileFolder } from "../support/afterwards.ts";

const home = fileFolder();
const readConversation = async (path: string): Promise<Conversation> => {
  for await (const one of heldAt(path, {})) if ("conversation" in one) return one.conversation;
  throw new Error("none");
};
const file = (name: string, text: string | object): string => {
  const path = join(home, name);
  writeFileSync(path, typeof text === "string" ? text : JSON.stringify(text));
  return path;
};
const log = (name: string, lines: readonly object[]): string =>
  file(name, lines.map((line) => JSON.stringify(line)).join("\n"));
const user = (content: unknown, more: object = {}): object => ({
  type: "user",
  sessionId: "s",
  message: { role: "user", content },
  ...more,
});
const said = (id: string, block: object, more: object = {}): object => ({
  type: "assistant",
  sessionId: "s",
  message: { id, role: "assistant", model: "claude-opus-4-6", content: [block] },
  ...more,
});
const call = (id: string): object => ({
  type: "tool_use",
  id,
  name: "Bash",
  input: { command: id },
});
const result = (id: string): object => ({
  type: "tool_result",
  tool_use_id: id,
  content: `result of ${id}`,
});
const text = (words: string): object => ({ type: "text", text: words });

describe("a Claude Code log", () => {
  it("has each reply in one piece, and all its results in the message after it", async () => {
    const { messages, around } = await readConversation(
      log("parallel.jsonl", [
        user("Look around."),
        said("m1", text("I look.")),
        said("m1", call("a")),
        user([result("a")]),
        said("m1", call("b")),
        user([result("b")]),
        said("m2", text("Done.")),
      ]),
    );
    expect(messages).toEqual([
      { role: "user", content: [text("Look around.")] },
      { role: "assistant", content: [text("I look."), call("a"), call("b")] },
      { role: "user", content: [result("a"), result("b")] },
      { role: "assistant", content: [text("Done.")] },
    ]);
    expect(around.model).toBe("claude-opus-4-6");
  });

  it("puts results before words, and leaves out white space, notes, summaries, sub-agents and errors of the program", async () => {
    const { messages, notes } = await readConversation(
      log("noise.jsonl", [
        { type: "summary", summary: "An old title", leafUuid: "x" },
        { type: "file-history-snapshot", messageId: "x" },
        user("Begin.", { uuid: "1" }),
        user("Begin.", { uuid: "1" }),
        user("a note of the program", { isMeta: true }),
        said("m1", text("\n\n")),
        said("m1", call("a")),
        said("side", text("I am a sub-agent."), { isSidechain: true }),
        user([text("[interrupted]"), result("a")]),
        { type: "system", subtype: "compact_boundary", sessionId: "s" },
        user("This session is being continued…", { isCompactSummary: true }),
        said("err", text("API Error"), { isApiErrorMessage: true }),
        said("m2", text("Going on.")),
      ]),
    );
    expect(messages).toEqual([
      { role: "user", content: [text("Begin.")] },
      { role: "assistant", content: [call("a")] },
      { role: "user", content: [result("a"), text("[interrupted]")] },
      { role: "assistant", content: [text("Going on.")] },
    ]);
    expect(notes.join("; ")).toMatch(/compacted this conversation once.+1 lines? of sub-agents/);
  });

  it("of a sub-agent is its own conversation, and a torn last line is left out", async () => {
    const path = log("agent.jsonl", [
      user("Search.", { isSidechain: true }),
      said("m", text("Found."), { isSidechain: true }),
    ]);
    writeFileSync(path, `${readFileSync(path, "utf8")}\n{"type":"user","mess`);
    expect((await readConversation(path)).messages).toHaveLength(2);
  });

  const data = "../shared/data/claude-code";
  it.skipIf(!existsSync(data))(
    "of real sessions has every call answered in the next message, and roles in turn",
    async () => {
      for (const name of readdirSync(data).filter((one) => one.endsWith(".jsonl"))) {
        const { messages, format } = await readConversation(join(data, name));
        const dialect = dialectFor({ messages }, format);
        messages.forEach((message, index) => {
          expect(message.role, `${name} ${index}`).toBe(index % 2 === 0 ? "user" : "assistant");
          const answered = new Set(
            dialect
              .results(messages[index + 1] ?? { role: "user", content: "" })
              .map(({ id }) => id),
          );
          for (const { id } of dialect.calls(message))
            expect(answered.has(id), `${name} ${index} ${id}`).toBe(true);
        });
      }
    },
  );
});
