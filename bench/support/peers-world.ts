// One strict local server, one clock, one script of replies: the same for every contestant.
import { scriptedModel } from "./trial/scripted.ts";
import { capabilitiesOf, costOf } from "../../src/providers/common/models.ts";
import type { Complete, Usage } from "../../src/core/request.ts";
import { summaryTokens } from "../../src/compaction/distilling/choose-distiller.ts";
import {
  type Json,
  type MessagesServer,
  type Received,
  startMessagesServer,
  textTokens,
} from "../../test/support/messages-server/index.ts";
import { type Clock, clockFrom } from "./peers-clock.ts";
import type { Block, Exchange } from "./peers-talk.ts";

/** How long a reply of the conversation takes, a tool, and a call that makes a summary. */
export const REPLY_MS = 2_000;
export const TOOL_MS = 300;
export const SUMMARY_MS = 3_000;

export const MODEL = "claude-sonnet-5-5";
/** The rate at which input and memory's output are paid. */
export const PRICES = capabilitiesOf(MODEL).prices;
if (PRICES === undefined) throw new Error(`the price of ${MODEL} is not known`);
export const prices = PRICES;
const MARK = "You help a small workshop by the harbour.";
export const SYSTEM =
  `${MARK} ${"Answer in plain words. Say what you did and what you found. Look at a file before you change it. Ask before anything is deleted. ".repeat(24)}`.trim();

/** One answered request, as the provider booked it. */
export interface Booked {
  readonly kind: "turn" | "memory";
  readonly usage: Usage;
  readonly total: number;
  readonly dollars: number;
}

export interface Refused {
  readonly message: string;
  readonly exchange: number;
}

export interface World {
  readonly server: MessagesServer;
  readonly clock: Clock;
  readonly window: number;
  readonly maxTokens: number;
  readonly tools: readonly Json[];
  readonly thinking: boolean;
  readonly booked: readonly Booked[];
  /** ms of the clock that somebody waited for calls of memory, since it was last set to 0. */
  waited: number;
  /** Results by the id of their call, for contestants that run tools themselves. */
  readonly results: ReadonlyMap<string, Block>;
  /** How the contestant's own work comes to rest; until then no time passes. */
  settle: () => Promise<void>;
  /** Lets the server answer this exchange's calls next. */
  expect(exchange: Exchange): void;
  /** Its last request of the conversation, as the server read it. */
  lastTurn(): Received | undefined;
  /** How many requests have come in. */
  asked(): number;
  /** Replies of this exchange nobody has asked for yet. */
  unsaid(): number;
  collect(): void;
  /** Writes the summary the server's own compaction answers next, and takes its time: the server's script itself may not wait. */
  prepareCompaction(body: Json): Promise<void>;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly window: number;
  readonly tools: readonly Json[];
  readonly thinking?: boolean;
  /** Whose summaries are waited for inside a turn, so that their time is added to it. */
  readonly inline: boolean;
  /** The scripted model behind every summary: what it does not see of each call, and from which seed. */
  readonly blind: number;
  readonly seed: number;
  /** Another one in its place. */
  readonly script?: Complete;
}

/** Of what was written to the cache, how much is to live for an hour. */
const longLived = (reply: Json | undefined): number =>
  (reply?.usage as { cache_creation?: { ephemeral_1h_input_tokens?: number } | null } | undefined)
    ?.cache_creation?.ephemeral_1h_input_tokens ?? 0;

const systemOf = ({ system }: Json): string =>
  typeof system === "string" ? system : JSON.stringify(system ?? "");
const isTurn = (body: Json): boolean =>
  body.compaction === undefined && systemOf(body).includes(MARK);

/** Lines a scripted model would write about a text that is no conversation of ours: a peer's own prompt. */
async function summaryOf(
  script: ReturnType<typeof scriptedModel>,
  text: string,
  tokens: number,
): Promise<string> {
  const { text: answer } = await script({
    system: "",
    messages: [
      { role: "user", content: text },
      {
        role: "user",
        content: `[tidemark] distil\nRange: messages 1 to 1\nFacts: none\nSummary: at most ${tokens} tokens.`,
      },
    ],
    maxTokens: 4_000,
    signal: new AbortController().signal,
  });
  return (JSON.parse(answer) as { summary: string }).summary;
}

/** The script takes up a summary there is already as Tidemark's: line by line, before what is new. */
const asSummary = (lines: string): string =>
  `\n<tidemark-summary>\n${lines.trim()}\n</tidemark-summary>\n`;
const textsOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content
          .map((block: Json) =>
            typeof block.text === "string"
              ? block.text
              : block.type === "compaction"
                ? asSummary(String(block.content))
                : textsOf(block.content),
          )
          .join("\n")
      : "";
const promptOf = (body: Json): string =>
  (body.messages as Json[]).map(({ content }) => textsOf(content)).join("\n");
/** Where a peer's prompt holds what is to be summed up: LangChain's between tags, Mastra's observer's behind a title, its reflector's all there is. */
const BETWEEN = /<messages>\s*(?:Messages to summarize:)?([\s\S]*?)(?:<\/messages>|$)/;
const BEFORE = /Here is a summary of the conversation to date:\s*((?:^- .*\n?)+)/m;
const BEHIND = /## New Message History to Observe\s*([\s\S]*)$/;
/** Observations are made of a part of the window at a time, and take a quarter of it. */
const OBSERVED = 4;

async function answerTo(
  script: ReturnType<typeof scriptedModel>,
  body: Json,
  most: number,
): Promise<string> {
  const prompt = promptOf(body);
  const between = BETWEEN.exec(prompt)?.[1];
  if (between !== undefined)
    return summaryOf(
      script,
      between.replace(BEFORE, (_, lines: string) => asSummary(lines)),
      most,
    );
  const fresh = BEHIND.exec(prompt)?.[1];
  const bare = (fresh ?? prompt).replace(/^[*\s-]*(?:🔴|🟡|🟢|✅)\s*/gmu, "");
  const made = await summaryOf(
    script,
    bare,
    fresh === undefined ? most : Math.min(most, Math.ceil(textTokens(bare) / OBSERVED)),
  );
  return `<observations>\n${made.replace(/^- /gm, "* 🔴 ")}\n</observations>`;
}

export async function openWorld({
  window,
  tools,
  thinking = false,
  inline,
  blind,
  seed,
  script: given,
}: WorldOptions): Promise<World> {
  const clock = clockFrom(Date.UTC(2026, 10, 2, 9));
  const script = given ?? scriptedModel({ seed, blind });
  const booked: Booked[] = [];
  const results = new Map<string, Block>();
  let coming: (readonly Block[])[] = [];
  let last: Received | undefined;
  const seen = new Set<number>();
  let asked = 0;
  let written = "";

  /** The time a call of memory takes: somebody's wait, or nobody's. */
  const summaryTime = async (): Promise<void> => {
    if (!inline) return clock.sleep(SUMMARY_MS);
    clock.jump(SUMMARY_MS);
    world.waited += SUMMARY_MS;
  };
  const server = await startMessagesServer({
    window,
    keep: 256,
    now: clock.now,
    reply: async (body, { index }) => {
      asked++;
      if (!isTurn(body)) {
        const answer = await answerTo(script, body, summaryTokens(window));
        await summaryTime();
        return answer;
      }
      await clock.pass(REPLY_MS, world.settle);
      const reply = coming.shift() ?? [{ type: "text", text: "Nothing to add." }];
      return (
        thinking ? [{ type: "thinking", thinking: `Thought ${index} of it.` }, ...reply] : reply
      ) as never;
    },
    distil: async (body) => {
      await summaryTime();
      const { text } = await script({
        system: body.system,
        messages: body.messages as never,
        maxTokens: Number(body.max_tokens),
        signal: new AbortController().signal,
      });
      return text;
    },
    compact: () => written,
  });
  const world: World = {
    server,
    clock,
    window,
    maxTokens: Math.min(4_000, Math.floor(window / 16)),
    tools,
    thinking,
    booked,
    waited: 0,
    results,
    settle: () => Promise.resolve(),
    expect: ({ steps }) => {
      coming = steps.map(({ reply }) => reply);
      results.clear();
      for (const step of steps)
        for (const result of step.results) results.set(String(result.tool_use_id), result);
    },
    lastTurn: () => last,
    asked: () => asked,
    unsaid: () => coming.length,
    collect: () => {
      for (const received of server.requests) {
        // One that was asked before another may be answered behind it.
        if (seen.has(received.index) || received.usage === undefined) continue;
        seen.add(received.index);
        const memory = received.distil || !isTurn(received.body);
        if (!memory) last = received;
        const { usage } = received;
        const total = usage.input + usage.cacheWrite + usage.cacheRead;
        // The conversation's own replies cost the same everywhere; what memory writes is part of its price.
        booked.push({
          kind: memory ? "memory" : "turn",
          usage,
          total,
          dollars: costOf(
            { ...usage, ...(memory ? {} : { output: 0 }), cacheWrite1h: longLived(received.reply) },
            prices,
          ),
        });
      }
    },
    prepareCompaction: async (body) => {
      written = await summaryOf(script, promptOf(body), summaryTokens(window));
      await summaryTime();
    },
    close: () => server.close(),
  };
  return world;
}
