import type { Message } from "../../src/core/request.ts";
import { type HistorySize, SIZE, type TurnPlan } from "./histories-anthropic.ts";
import { type Chance, chance } from "./histories-random.ts";

export const OPENAI_TURNS = [
  "chat",
  "chat",
  "tools",
  "tools",
  "custom",
  "legacy",
  "refusal",
  "media",
  "unknown",
] as const;
export type OpenAITurn = TurnPlan<(typeof OPENAI_TURNS)[number]>;

type Part = Record<string, unknown>;
const text = (words: string): Part => ({ type: "text", text: words });

function media(random: Chance): Part {
  return random.pick([
    () => ({
      type: "image_url",
      image_url: { url: `data:image/png;base64,${random.bytes(40, 200)}`, detail: "low" },
    }),
    () => ({
      type: "image_url",
      image_url: { url: `https://img.example.org/${random.id("")}.png?sig=${random.id("")}` },
    }),
    () => ({ type: "input_audio", input_audio: { data: random.bytes(40, 200), format: "wav" } }),
    () => ({
      type: "file",
      file: {
        filename: "tides.pdf",
        file_data: `data:application/pdf;base64,${random.bytes(40, 200)}`,
      },
    }),
    () => ({ type: "file", file: { file_id: random.id("file-") } }),
  ])();
}

/** Builds one valid Chat Completions history, its instructions included. */
export function buildOpenAI(
  plans: readonly OpenAITurn[],
  { text: most = SIZE.text, long = SIZE.long }: HistorySize = {},
): Message[] {
  const head = chance((plans[0]?.seed ?? 0) ^ 0x5eed);
  const guide = (random: Chance): Message => ({
    role: random.pick(["system", "developer"]),
    content: random.maybe(0.8) ? random.text(most) : [text(random.text(most))],
  });
  const messages: Message[] = Array.from({ length: head.nat(3) }, () => guide(head));
  for (const [turn, { kind, seed }] of plans.entries()) {
    const random = chance(seed, turn);
    const ask = (extra: readonly Part[] = []) => {
      const words = random.text(most);
      const content = extra.length === 0 && random.maybe(0.7) ? words : [text(words), ...extra];
      messages.push({ role: "user", content, ...(random.maybe(0.1) ? { name: "ada" } : {}) });
      if (random.maybe(0.05)) messages.push(guide(random));
    };
    const answer = () =>
      messages.push({
        role: "assistant",
        content: random.maybe(0.8) ? random.text(most) : [text(random.text(most))],
        ...(random.maybe(0.3) ? { refusal: null, annotations: [] } : {}),
      });
    const loop = (custom: boolean) => {
      for (let round = 1 + random.nat(3); round > 0; round -= 1) {
        const calls = Array.from({ length: random.pick([1, 1, 2, 4]) }, (): Part => {
          const id = random.id("call_");
          return custom && random.maybe(0.6)
            ? { id, type: "custom", custom: { name: "apply_patch", input: random.text(most) } }
            : {
                id,
                type: "function",
                function: {
                  name: random.pick(["read", "write", "bash"]),
                  arguments: JSON.stringify(random.input(), null, random.pick([0, 1])),
                },
              };
        });
        messages.push({
          role: "assistant",
          ...random.pick([{ content: null }, { content: random.text(most) }, {}]),
          tool_calls: calls,
        });
        for (const { id } of random.shuffled(calls)) {
          const words = random.text(random.maybe(0.25) ? long : most);
          messages.push({
            role: "tool",
            tool_call_id: id,
            content: random.pick<unknown>([words, words, [text(words)], ""]),
          });
        }
      }
    };
    ask(
      kind === "media"
        ? [media(random), ...(random.maybe(0.4) ? [media(random)] : [])]
        : kind === "unknown"
          ? [{ type: "hologram", source: { type: "base64", data: random.bytes(200, 300) } }]
          : [],
    );
    if (kind === "tools" || kind === "custom") loop(kind === "custom");
    if (kind === "legacy") {
      const name = random.pick(["lookup", "book"]);
      messages.push(
        {
          role: "assistant",
          content: null,
          function_call: { name, arguments: JSON.stringify(random.input()) },
        },
        { role: "function", name, content: random.text(most) },
      );
    }
    if (kind === "refusal")
      messages.push(
        random.maybe(0.5)
          ? { role: "assistant", content: null, refusal: random.text(most) }
          : { role: "assistant", content: [{ type: "refusal", refusal: random.text(most) }] },
      );
    else answer();
  }
  return messages;
}
