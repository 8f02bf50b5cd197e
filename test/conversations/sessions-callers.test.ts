import { kindOf } from "../support/anthropic.ts";
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/core/request.ts";
import type { BeginOptions, Tidemark } from "../../src/session/options/tidemark-api.ts";
import {
  asReply,
  assistant,
  conversations,
  copied,
  countingDistiller,
  openRoom,
  requestOf,
  result,
  user,
} from "../support/talk.ts";

const page = (number: number): string =>
  `«${number}» ${`boats wait for tide number ${number} while somebody counts crates; `.repeat(8)}`;

/** Message `number` of a conversation of questions, tool calls, results and answers. */
function messageAt(number: number): Message {
  switch (number % 4) {
    case 0:
      return user(page(number));
    case 1:
      return assistant([
        { type: "text", text: page(number) },
        { type: "tool_use", id: `toolu_${number}`, name: "look", input: { at: number } },
      ]);
    case 2:
      return result(`toolu_${number - 1}`, page(number));
    default:
      return assistant(page(number));
  }
}

const asOpenai = (number: number): Message => {
  const tools = [
    {
      id: `call_${number}`,
      type: "function",
      function: { name: "look", arguments: `{"at":${number}}` },
    },
  ];
  return number % 4 === 1
    ? { role: "assistant", content: page(number), tool_calls: tools }
    : number % 4 === 2
      ? { role: "tool", tool_call_id: `call_${number - 1}`, content: page(number) }
      : { role: number % 4 === 0 ? "user" : "assistant", content: page(number) };
};

interface Habit {
  /** What the caller sends of the conversation so far. */
  readonly sends: (line: Message[], calls: number) => Message[];
  readonly at?: (number: number) => Message;
  readonly options?: BeginOptions;
  readonly calls?: number;
}

/** A loop of so many calls in which the caller shows only what its habit lets through. */
async function loop(
  tidemark: Tidemark,
  { sends, at = messageAt, options = {}, calls = 45 }: Habit,
): Promise<Message[]> {
  const line: Message[] = [];
  for (let turn = 0; turn < calls; turn++) {
    line.push(at(2 * turn));
    const begun = await tidemark.begin(requestOf(sends(line, turn)), options);
    line.push(at(2 * turn + 1));
    await begun.end(asReply(line.at(-1)!, options.format));
    // People take longer to answer than a busy machine takes to store.
    if (turn % 3 === 2) await tidemark.idle();
  }
  await tidemark.idle();
  return line;
}

const tagsOf = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `«${from + index}»`);

describe.each([
  ["Anthropic", messageAt, {}],
  ["OpenAI", asOpenai, { format: "openai-chat" as const }],
])("callers who send less than all (%s)", (_name, at, options) => {
  const sends = (line: Message[]): Message[] => {
    if (line.length <= 20) return line;
    const rest = line.slice(-18);
    return copied([line[0]!, ...rest.slice(rest.findIndex(({ role }) => role === "assistant"))]);
  };
  it("who keep the first message, slide the rest and parse it anew each time have one conversation, each message distilled once", async () => {
    const { complete, seen } = countingDistiller();
    const { tidemark, events } = await openRoom({
      workspace: false,
      distil: complete,
      window: { tokens: 3_000, reserve: 300, patience: 600_000 },
    });
    const line = await loop(tidemark, { sends, at, options });
    expect(await conversations(tidemark)).toEqual([line]);
    const kinds = events.map(kindOf);
    expect(kinds).toContain("folded");
    expect(kinds.filter((kind) => /distil-failed|degraded|queued/.test(kind))).toEqual([]);
    expect(seen.length).toBeGreaterThan(45);
    expect(seen).toEqual(tagsOf(0, seen.length));
  });
});

describe("callers who change what they send", () => {
  it("who put in a summary of their own keep watermark, folds and pins, and the summary stands aside", async () => {
    const { complete, seen } = countingDistiller();
    const { tidemark, events } = await openRoom({
      workspace: false,
      distil: complete,
      window: { tokens: 5_000, reserve: 300, patience: 600_000 },
    });
    let from = 0;
    const summaries: Message[] = [];
    const line = await loop(tidemark, {
      calls: 50,
      sends: (all, turn) => {
        if (turn % 10 === 9) {
          from = all.length - 5;
          summaries.push(user(`My own summary, number ${summaries.length}.`));
        }
        const summary = summaries.at(-1);
        return summary ? [summary, ...all.slice(from)] : all;
      },
    });
    const [read, ...others] = await conversations(tidemark);
    expect(others).toEqual([]);
    expect(
      read!.filter(
        (message) =>
          !summaries.includes(message) && !JSON.stringify(message).includes("My own summary"),
      ),
    ).toEqual(line);
    for (const summary of summaries) expect(read).toContainEqual(summary);
    expect(seen).toEqual(tagsOf(0, seen.length));
    expect(events.filter(({ type }) => type === "degraded")).toEqual([]);
  });
});

describe("a host whose provider sums up at a threshold", () => {
  const words = (content: unknown): string =>
    typeof content === "string" ? content : JSON.stringify(content);
  /** From the last summary on: what stands before it the provider leaves out. */
  const read = (messages: readonly Message[]): readonly Message[] =>
    messages.slice(
      Math.max(
        0,
        messages.findLastIndex(
          ({ content }) =>
            Array.isArray(content) && (content as { type: string }[])[0]?.type === "compaction",
        ),
      ),
    );
  const sizeOf = (messages: readonly Message[]): number =>
    Math.ceil(messages.reduce((sum, { content }) => sum + words(content).length, 0) / 4);

  it.each(["whole", "without words"])(
    "is counted as the provider reads it, with summaries that are %s",
    async (kind) => {
      const { tidemark, events } = await openRoom({
        window: { tokens: 12_000, patience: 0 },
        distil: "extractive",
      });
      const messages: Message[] = [];
      let most = 0;
      for (let turn = 0; turn < 80; turn++) {
        messages.push(user(page(turn)));
        const { request, window, end } = await tidemark.begin(requestOf(messages));
        most = Math.max(most, window.level);
        if (kind === "whole") expect(request.messages).toBe(messages);
        const used = sizeOf(read(request.messages));
        const summary =
          used > 5_000
            ? [
                {
                  type: "compaction",
                  content: kind === "whole" ? `They counted crates until ${turn}.` : null,
                },
              ]
            : [];
        const reply = assistant([...summary, { type: "text", text: page(turn + 1_000) }]);
        await end({
          reply,
          usage: {
            input_tokens: summary.length > 0 && kind === "whole" ? 300 : used,
            output_tokens: 100,
          },
        });
        messages.push(reply);
      }
      const folds = events.filter(({ type }) => type === "folded").length;
      // Where nothing was summed up the whole is read, and folds are what keeps it within the window.
      if (kind === "whole") expect({ folds, most: most < 0.7 }).toEqual({ folds: 0, most: true });
      else expect(folds).toBeGreaterThan(0);
    },
  );
});
