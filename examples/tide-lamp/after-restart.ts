// The second process of the demo: nothing is left of the first but the workspace folder and the program's own messages.
import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import { anthropicMiddleware } from "../../src/adapters/anthropic.ts";
import { openTidemark, type Tidemark } from "../../src/index.ts";
import { createLoop } from "./loop.ts";
import type { Answers } from "./script.ts";
import { QUESTIONS, WINDOW } from "./story.ts";
import { createWorkshop } from "./tools.ts";

const [url = "", workspace = "", saved = ""] = process.argv.slice(2);
const told: Anthropic.MessageParam[] = JSON.parse(readFileSync(saved, "utf8"));

async function answers(tidemark: Tidemark, messages: Anthropic.MessageParam[]): Promise<string[]> {
  const client = new Anthropic({
    baseURL: url,
    apiKey: "no key",
    middleware: [anthropicMiddleware(tidemark)],
  });
  const turn = createLoop({ client, workshop: createWorkshop(), messages, window: WINDOW });
  const given: string[] = [];
  for (const { question } of QUESTIONS) given.push((await turn(question)).answer);
  return given;
}

const tidemark = await openTidemark({ workspace, identity: { agent: "workshop", user: "ines" } });
const same = await answers(tidemark, [...told]);
const fresh = await answers(tidemark, []);
const stranger = await answers(tidemark.as({ user: "bo" }), []);
const longest = (await tidemark.history.list()).sort(
  (one, other) => other.messages - one.messages,
)[0];
const [firstMessage] = longest
  ? (await tidemark.history.read({ conversation: longest.id })).messages
  : [];
await tidemark.close();
process.send?.({ same, fresh, stranger, firstMessage } satisfies Answers);
