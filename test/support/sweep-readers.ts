import { anthropic } from "../../src/providers/anthropic/messages.ts";
import { extractive, withAsked } from "../../src/memory/extracting/extractive.ts";
import { formOf } from "../../src/conversations/read-messages.ts";
import { excerpt, gist } from "../../src/memory/recalling/excerpt.ts";
import type { Message } from "../../src/core/request.ts";
import { exportedOf } from "./exported.ts";
import type { Reader } from "./sweep.ts";

const ROOMS = [
  "core/text/",
  "core/secrets/",
  "core/tokens/",
  "memory/",
  "workspace/",
  "conversations/",
  "providers/",
  "session/assemble",
  "session/recalled-text",
  "session/frozen-sections",
  "compaction/plan-question",
  "agents/tool-parts",
  "cli/",
];

const signal = new AbortController().signal;
const talk = (text: string): Message[] => [
  { role: "user", content: text },
  {
    role: "assistant",
    content: [
      { type: "text", text },
      { type: "tool_use", id: "t1", name: "write", input: { path: "a.ts", text } },
    ],
  },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: text }] },
  { role: "assistant", content: text },
];

/** What a text goes through that no function alone is: methods, and what is put together of many. */
const wholes = (): Reader[] => {
  return [
    {
      name: "two forms of a text",
      run: (text) => formOf(`${text} one two three`, `${text} four five six`),
    },
    { name: "an excerpt of a turn", run: (text) => excerpt(text, new Set(["word"]), 480) },
    {
      name: "the gist of a talk",
      run: (text) =>
        gist([{ weight: 1, texts: [text] }], new Set(["word"]), {
          tokens: 600,
          standing: () => false,
        }),
    },
    {
      name: "what a model's facts lack",
      run: (text) =>
        withAsked(
          { dialect: anthropic, messages: talk(text), factsFrom: 0, summaryTokens: 500, signal },
          [],
        ),
    },
    {
      name: "the distiller without a model",
      run: (text) =>
        extractive({
          dialect: anthropic,
          messages: talk(text),
          factsFrom: 0,
          summaryTokens: 500,
          signal,
        }),
    },
  ];
};

/** Every reader of a text in the rooms below the wiring, and the names of those nothing plain can be handed to. */
export async function readers(): Promise<{ found: Reader[]; left: string[] }> {
  const { found, left } = await exportedOf(ROOMS);
  return { found: [...found, ...wholes()], left };
}
