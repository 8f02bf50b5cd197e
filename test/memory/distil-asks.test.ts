import { describe, expect, it } from "vitest";
import { modelDistiller } from "../../src/memory/extracting/ask-model.ts";
import type { DistilTask } from "../../src/memory/extracting/task.ts";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import { assistant, call, result, user } from "../support/talk.ts";

/** The text that a model is asked about a task. */
async function asked(over: Partial<DistilTask>): Promise<string> {
  const seen: string[] = [];
  const distil = modelDistiller({
    complete: ({ messages }) => {
      seen.push(JSON.stringify(messages.at(-1)));
      return Promise.resolve({ text: '{"facts":[],"summary":"- a talk"}' });
    },
    chunkTokens: 50_000,
  });
  const signal = new AbortController().signal;
  const messages = [user("I went to Laboe yesterday."), assistant("How was it?")];
  await distil({ dialect: anthropic, messages, factsFrom: 0, summaryTokens: 0, signal, ...over });
  return seen.join("\n");
}

describe("a model that distils", () => {
  it("is told the day, in a request that goes on too: else no “yesterday” becomes a date", async () => {
    const talks = [{ messages: 2, day: "2026-05-04" }];
    expect(await asked({ talks })).toContain("The last message is of 2026-05-04.");
    const messages = [user("I went to Laboe yesterday."), assistant("How was it?")];
    const base = { system: "", messages, offset: 0 };
    expect(await asked({ talks, base, messages })).toContain("The last message is of 2026-05-04.");
  });

  it("hears of replacing only where something is known", async () => {
    expect(await asked({})).not.toContain("replaces");
    const known = [{ id: "x", content: "The user lives in Kiel." }];
    expect(await asked({ known })).toMatch(/replaces.*\[m1\] The user lives in Kiel/s);
  });

  it("is asked for few facts of many calls, and for more of much talk", async () => {
    const steps = Array.from({ length: 50 }, (_, at) => [
      call(`t${at}`, "bash", { command: "ls" }),
      result(`t${at}`, "a b c"),
    ]).flat();
    const work = await asked({ messages: [user("Tidy up."), ...steps, assistant("Done.")] });
    expect(work).toContain("About 3 at most");
    const talk = Array.from({ length: 51 }, (_, at) => [user(`I like ${at}.`), assistant("Nice!")]);
    expect(await asked({ messages: talk.flat() })).toContain("About 17 at most");
  });
});
