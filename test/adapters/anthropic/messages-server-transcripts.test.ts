import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Json, modelInfo, refusalOf } from "../../support/messages-server/index.ts";

const FOLDER = new URL("../../../../shared/data/agents/", import.meta.url);
const present = existsSync(FOLDER);
const files = present ? readdirSync(FOLDER).filter((file) => file.endsWith(".anthropic.json")) : [];
const info = modelInfo("claude-sonnet-5-5", { max_input_tokens: 1_000_000 });
const tools = [{ name: "any_tool", input_schema: { type: "object" } }];

/** As these conversations were had: one repeats ids that its provider reused, one was interrupted in eighteen calls. */
const REUSED = new Set(
  [
    "swe-agent--1867-function_calling_replace-install-1",
    ...["task0-trial3", "task2-trial1", "task3-trial0", "task33-trial0", "task4-trial2"].map(
      (task) => `tau-airline-${task}`,
    ),
  ].map((name) => `${name}.anthropic.json`),
);
const INTERRUPTED = new Set(["pi-large-session.anthropic.json"]);

interface Message {
  readonly role: string;
  readonly content: string | readonly Json[];
}

function read(file: string): Json {
  const { system, messages } = JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")) as {
    system: string | null;
    messages: Message[];
  };
  const ended = messages.at(-1)?.role === "assistant" ? messages.slice(0, -1) : messages;
  return {
    model: info.id,
    max_tokens: 1_000,
    tools,
    messages: ended,
    ...(system === null ? {} : { system }),
  };
}

/** Every call answered, where the log breaks off with a note. */
function repaired(messages: readonly Message[]): Message[] {
  return messages.flatMap((message, index) => {
    const next = messages[index + 1];
    const blocks = typeof message.content === "string" ? [] : message.content;
    const answered = new Set(
      (typeof next?.content === "string" ? [] : (next?.content ?? [])).map(
        (block) => block.tool_use_id,
      ),
    );
    const missing =
      message.role === "assistant"
        ? blocks.filter(({ type, id }) => type === "tool_use" && !answered.has(id))
        : [];
    return missing.length === 0
      ? [message]
      : [
          message,
          {
            role: "user",
            content: missing.map(({ id }) => ({
              type: "tool_result",
              tool_use_id: id,
              content: "interrupted",
            })),
          },
        ];
  });
}

describe.skipIf(!present)("real conversations (skipped without ../shared/data)", () => {
  it.each(files.filter((file) => !REUSED.has(file) && !INTERRUPTED.has(file)))(
    "accepts %s",
    (file) => {
      expect(refusalOf(read(file), info)).toBeUndefined();
    },
  );

  it.each(files.filter((file) => REUSED.has(file)))(
    "refuses %s for its reused ids, and for nothing else",
    (file) => {
      const body = read(file);
      expect(refusalOf(body, info)?.message).toMatch(
        /^messages\.\d+\.content\.\d+: `tool_use` ids must be unique$/,
      );
      expect(refusalOf(body, info, { reusedIds: true })).toBeUndefined();
    },
  );

  it.each(files.filter((file) => INTERRUPTED.has(file)))(
    "refuses %s for its unanswered calls, and for nothing else",
    (file) => {
      const body = read(file);
      expect(refusalOf(body, info)?.message).toMatch(
        /^messages\.\d+: `tool_use` ids were found without `tool_result` blocks immediately after: /,
      );
      expect(
        refusalOf({ ...body, messages: repaired(body.messages as Message[]) }, info),
      ).toBeUndefined();
    },
  );
});
