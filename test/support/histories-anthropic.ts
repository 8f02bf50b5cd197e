import type { Message } from "../../src/core/request.ts";
import { type Chance, chance } from "./histories-random.ts";

export interface HistorySize {
  /** Most turns of a history; a turn is 2 to 9 messages. */
  turns?: number;
  /** Characters of an ordinary text, at most. */
  text?: number;
  /** Characters of a long result, at most. */
  long?: number;
}
export const SIZE = { turns: 8, text: 120, long: 4_000 } as const;

export const ANTHROPIC_TURNS = [
  "chat",
  "chat",
  "tools",
  "tools",
  "tools",
  "errors",
  "server",
  "paused",
  "mcp",
  "mixed",
  "images",
  "unknown",
] as const;
export interface TurnPlan<Kind extends string> {
  readonly kind: Kind;
  readonly seed: number;
}
export type AnthropicTurn = TurnPlan<(typeof ANTHROPIC_TURNS)[number]>;

type Block = Record<string, unknown>;
const text = (words: string): Block => ({ type: "text", text: words });
const user = (content: unknown): Message => ({ role: "user", content });
const assistant = (content: unknown): Message => ({ role: "assistant", content });

function media(random: Chance): Block {
  return random.pick([
    () => ({
      type: "image",
      source: { type: "base64", media_type: "image/png", data: random.bytes(40, 200) },
    }),
    () => ({
      type: "image",
      source: {
        type: "url",
        url: `https://img.example.org/${random.id("")}.png?sig=${random.id("")}`,
      },
    }),
    () => ({
      type: "document",
      title: random.text(20),
      source: { type: "base64", media_type: "application/pdf", data: random.bytes(40, 200) },
    }),
    () => ({
      type: "document",
      source: { type: "text", media_type: "text/plain", data: random.text(200) },
      citations: { enabled: true },
    }),
    () => ({
      type: "document",
      context: random.text(20),
      source: {
        type: "content",
        content: [
          text(random.text(40)),
          {
            type: "image",
            source: { type: "base64", media_type: "image/gif", data: random.bytes(40, 90) },
          },
        ],
      },
    }),
    () => ({
      type: "search_result",
      source: "https://example.org/s",
      title: random.text(20),
      content: [text(random.text(60))],
    }),
    () => ({ type: "container_upload", file_id: random.id("file_") }),
  ])();
}

const unknownBlock = (random: Chance): Block =>
  random.pick([
    () => ({
      type: "hologram",
      source: { type: "base64", media_type: "model/gltf", data: random.bytes(200, 400) },
      angle: 30,
    }),
    () => ({ type: "mood", words: [random.text(20)], certainty: 0.5, note: null }),
    () => ({ type: "clip", url: `data:audio/wav;base64,${random.bytes(200, 300)}` }),
    () => ({ type: "sealed_note", encrypted_content: random.bytes(200, 300) }),
  ])();

/** Builds one valid Messages history; every id in it is new. */
export function buildAnthropic(
  plans: readonly AnthropicTurn[],
  { text: most = SIZE.text, long = SIZE.long }: HistorySize = {},
): Message[] {
  const messages: Message[] = [];
  const thinking = (plans[0]?.seed ?? 0) % 3 === 0;
  for (const [turn, { kind, seed }] of plans.entries()) {
    const random = chance(seed, turn);
    const thought = (): Block[] => {
      if (!thinking || random.maybe(0.2)) return [];
      if (random.maybe(0.2)) return [{ type: "redacted_thinking", data: random.bytes(60, 120) }];
      return [
        {
          type: "thinking",
          thinking: random.maybe(0.2) ? "" : random.text(most),
          signature: random.bytes(60, 120),
        },
      ];
    };
    const says = (share = 1): Block[] => (random.maybe(share) ? [text(random.text(most))] : []);
    const guide = () => {
      if (random.maybe(0.06))
        messages.push({
          role: "system",
          content: random.maybe(0.5) ? random.text(most) : [text(random.text(most))],
        });
    };
    const ask = (extra: readonly Block[] = []) => {
      const words = random.text(most);
      messages.push(
        user(extra.length === 0 && random.maybe(0.6) ? words : [...extra, text(words)]),
      );
      guide();
    };
    const answer = () => {
      const blocks = [...thought(), ...says(), ...says(0.2)];
      messages.push(assistant(blocks.length === 1 && random.maybe(0.5) ? blocks[0]!.text : blocks));
    };
    const call = (): Block => ({
      type: "tool_use",
      id: random.id("toolu_"),
      name: random.pick(["read", "write", "bash", "search"]),
      input: random.input(),
      ...(random.maybe(0.3) ? { caller: { type: "direct" } } : {}),
    });
    const result = ({ id }: Block): Block => {
      const failed = kind === "errors" && random.maybe(0.7);
      const words = () => random.text(random.maybe(0.25) ? long : most);
      const content = random.pick<() => unknown>([
        words,
        words,
        () => [text(words())],
        () => [text(words()), text(words())],
        () =>
          failed
            ? words()
            : [
                text(words()),
                {
                  type: "image",
                  source: { type: "base64", media_type: "image/png", data: random.bytes(40, 400) },
                },
              ],
        () =>
          failed
            ? words()
            : [
                {
                  type: "search_result",
                  source: "kb",
                  title: random.text(20),
                  content: [text(words())],
                },
              ],
        () => (failed ? words() : random.pick<unknown>(["", []])),
      ])();
      return {
        type: "tool_result",
        tool_use_id: id,
        content,
        ...(failed ? { is_error: true } : random.maybe(0.1) ? { is_error: false } : {}),
      };
    };
    const serverPair = (): [Block, Block] => {
      const id = random.id("srvtoolu_");
      const use = (name: string, input: unknown): Block => ({
        type: "server_tool_use",
        id,
        name,
        input,
      });
      return random.pick<() => [Block, Block]>([
        () => [
          use("web_search", { query: random.text(20) }),
          {
            type: "web_search_tool_result",
            tool_use_id: id,
            content: [
              {
                type: "web_search_result",
                title: random.text(20),
                url: "https://example.org/p",
                encrypted_content: random.bytes(200, 300),
                page_age: null,
              },
            ],
          },
        ],
        () => [
          use("web_search", { query: "" }),
          {
            type: "web_search_tool_result",
            tool_use_id: id,
            content: { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" },
          },
        ],
        () => [
          use("code_execution", { code: random.text(60) }),
          {
            type: "code_execution_tool_result",
            tool_use_id: id,
            content: {
              type: "code_execution_result",
              stdout: random.text(most),
              stderr: "",
              return_code: 0,
              content: [],
            },
          },
        ],
        () => [
          use("web_fetch", { url: "https://example.org/p" }),
          {
            type: "web_fetch_tool_result",
            tool_use_id: id,
            content: {
              type: "web_fetch_result",
              url: "https://example.org/p",
              content: {
                type: "document",
                source: { type: "text", media_type: "text/plain", data: random.text(most) },
              },
              retrieved_at: null,
            },
          },
        ],
      ])();
    };
    const mcpPair = (): Block[] => {
      const id = random.id("mcptoolu_");
      return [
        { type: "mcp_tool_use", id, name: "lookup", server_name: "crm", input: random.input() },
        {
          type: "mcp_tool_result",
          tool_use_id: id,
          is_error: random.maybe(0.2),
          content: random.maybe(0.5) ? random.text(most) : [text(random.text(most))],
        },
      ];
    };
    const loop = (before: () => readonly Block[] = () => []) => {
      for (let round = 1 + random.nat(3); round > 0; round -= 1) {
        const calls = Array.from({ length: random.pick([1, 1, 2, 4]) }, call);
        messages.push(assistant([...thought(), ...before(), ...says(0.5), ...calls]));
        const after = random.maybe(0.15)
          ? [text(random.text(most)), ...(random.maybe(0.3) ? [media(random)] : [])]
          : [];
        messages.push(user([...random.shuffled(calls).map(result), ...after]));
        guide();
      }
    };
    switch (kind) {
      case "chat":
        ask();
        if (random.maybe(0.1)) ask();
        break;
      case "tools":
      case "errors":
        ask();
        loop();
        break;
      case "mixed":
        ask();
        loop(() => [...serverPair(), ...mcpPair()]);
        break;
      case "images":
        ask([media(random), ...(random.maybe(0.5) ? [media(random)] : [])]);
        break;
      case "unknown":
        ask([unknownBlock(random)]);
        messages.push(assistant([...thought(), ...says(), unknownBlock(random), ...says()]));
        ask();
        break;
      case "server":
      case "mcp": {
        ask();
        const pairs = () => (kind === "mcp" ? mcpPair() : serverPair());
        const cited = {
          ...text(random.text(most)),
          citations: [
            {
              type: "web_search_result_location",
              url: "https://example.org/p",
              title: null,
              encrypted_index: random.bytes(30, 60),
              cited_text: random.text(20),
            },
          ],
        };
        messages.push(
          assistant([
            ...thought(),
            ...says(0.5),
            ...pairs(),
            ...(random.maybe(0.4) ? pairs() : []),
            random.maybe(0.5) ? cited : text(random.text(most)),
          ]),
        );
        ask();
        break;
      }
      case "paused": {
        ask();
        const [use, outcome] = serverPair();
        messages.push(
          assistant([...thought(), ...says(0.5), use]),
          assistant([outcome, ...says()]),
        );
        ask();
        break;
      }
    }
    answer();
  }
  return messages;
}
