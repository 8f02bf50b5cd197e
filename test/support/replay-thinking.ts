import { kindOf } from "./anthropic.ts";
import { openTidemark, type TidemarkEvent, type Turn } from "../../src/index.ts";
import type { Complete } from "../../src/model/ports.ts";
import type { Message, ProviderRequest } from "../../src/model/request.ts";
import { chance } from "./histories-random.ts";
import { scripted } from "./replay-distillers.ts";
import {
  createSigner,
  type Json,
  modelInfo,
  refusalOf,
  requestTokens,
} from "./messages-server/index.ts";

export interface ThinkingRun {
  readonly turns: number;
  readonly folds: number;
  /** Folds in an open tool loop, and how full the window was. */
  readonly inLoop: readonly number[];
  readonly dropped: number;
  readonly overflows: number;
  readonly undone: number;
  readonly broken: readonly string[];
}

export interface ThinkingOptions {
  readonly seed: number;
  /** "enabled": manual thinking, which a tool loop must begin with. */
  readonly thinking: "adaptive" | "enabled";
  readonly window: number;
  readonly turns?: number;
  readonly model?: string;
  /** What the caller does with thinking before it sends a reply back. */
  readonly caller?: "keeps" | "strips" | "sometimes";
  /** "well": a model on the same provider, which checks what it is asked as strictly. */
  readonly distil?: "extractive" | "well";
  /** Takes every other fold back before the next call. */
  readonly undo?: boolean;
}

const TOOLS = ["read", "write", "bash"].map((name) => ({
  name,
  description: `Runs ${name}.`,
  input_schema: { type: "object" },
}));

/** A conversation with a provider that signs its thinking over all that stands before it, and checks every signature. */
export async function thinkingRun({
  seed,
  thinking,
  window,
  turns = 60,
  model = "claude-sonnet-5-5",
  caller = "keeps",
  distil = "extractive",
  undo = false,
}: ThinkingOptions): Promise<ThinkingRun> {
  const random = chance(seed);
  const signer = createSigner("a provider's secret");
  const info = modelInfo(model, { max_input_tokens: window });
  const events: TidemarkEvent[] = [];
  const broken: string[] = [];
  const inLoop: number[] = [];
  let overflows = 0;
  let undone = 0;
  let clock = 1_770_000_000_000;
  const script = scripted("well");
  const complete: Complete = (call) => {
    const { system, messages, tools, maxTokens } = call;
    const asked = {
      model,
      max_tokens: maxTokens,
      messages,
      ...(system === undefined ? {} : { system }),
      ...(tools === undefined ? {} : { tools }),
    };
    const why = refusalOf(asked, info, { signer })?.message;
    if (why !== undefined) broken.push(`a distil request: ${why}`);
    return script.complete(call);
  };
  const tidemark = await openTidemark({
    workspace: false,
    distil: distil === "well" ? complete : "extractive",
    window: { tokens: window, patience: 20 },
    now: () => clock,
    listen: (event) => events.push(event),
  });
  const messages: Message[] = [{ role: "user", content: `Please begin. ${random.text(200)}` }];
  const refused = (turn: Turn): string | undefined =>
    refusalOf(turn.request, info, { signer })?.message;
  try {
    for (let at = 0; at < turns; at++) {
      clock += 20_000;
      const open =
        Array.isArray(messages.at(-1)?.content) &&
        (messages.at(-1)?.content as Json[]).some(({ type }) => type === "tool_result");
      const request: ProviderRequest = {
        model,
        max_tokens: 2_048,
        system: "You are patient.",
        tools: TOOLS,
        thinking:
          thinking === "enabled" ? { type: "enabled", budget_tokens: 1_024 } : { type: "adaptive" },
        messages,
      };
      const before = events.length;
      let turn = await tidemark.begin(request);
      const folded = events.slice(before).find((event) => event.type === "folded");
      if (folded?.type === "folded" && open) inLoop.push(folded.before / turn.window.limit);
      if (
        undo &&
        folded?.type === "folded" &&
        at % 2 === 0 &&
        (await tidemark.history.undo(folded.id))
      ) {
        undone++;
        turn = await tidemark.begin(request);
      }
      let why = refused(turn);
      if (why !== undefined && /too long|exceed context limit/.test(why)) {
        overflows++;
        const smaller = await turn.recover(Object.assign(new Error(why), { status: 400 }));
        if (smaller) turn = smaller;
        why = refused(turn);
      }
      if (why !== undefined) {
        broken.push(`turn ${at}${open ? " in a loop" : ""}: ${why}`);
        break;
      }
      const thought =
        random.maybe(0.85) || turn.request.thinking !== undefined
          ? [
              {
                type: random.maybe(0.1) ? "redacted_thinking" : "thinking",
                thinking: random.text(300),
              },
            ]
          : [];
      const blocks = [
        ...(turn.request.thinking === undefined ? [] : thought).map((block) =>
          block.type === "thinking" ? block : { type: block.type },
        ),
        ...(random.maybe(0.7) ? [{ type: "text", text: random.text(200) }] : []),
        ...(random.maybe(0.65)
          ? Array.from({ length: random.pick([1, 1, 2, 3]) }, () => ({
              type: "tool_use",
              id: random.id(`toolu_${at}_`),
              name: random.pick(["read", "write", "bash"]),
              input: random.input(),
            }))
          : []),
      ];
      const said = blocks.some(({ type }) => type === "text" || type === "tool_use")
        ? blocks
        : [...blocks, { type: "text", text: "Done." }];
      const content = signer.sign(turn.request as Json, info, said as never);
      await turn.end({
        id: `msg_${at}`,
        type: "message",
        role: "assistant",
        model,
        content,
        stop_reason: "end_turn",
        usage: { input_tokens: requestTokens(turn.request), output_tokens: 50 },
      });
      const strips = caller === "strips" || (caller === "sometimes" && random.maybe(0.4));
      const kept = content.filter(({ type }) => !strips || !type.includes("thinking"));
      const calls = content.filter(({ type }) => type === "tool_use");
      // In a manual loop a caller that strips would be refused with or without us.
      messages.push({
        role: "assistant",
        content: thinking === "enabled" && calls.length > 0 ? content : kept,
      });
      messages.push({
        role: "user",
        content:
          calls.length === 0
            ? random.text(300)
            : calls.map(({ id }) => ({
                type: "tool_result",
                tool_use_id: id,
                content: random.text(random.maybe(0.15) ? 6_000 : 400),
              })),
      });
    }
    for (const event of events)
      if (event.type === "degraded") broken.push(`degraded in ${event.where}: ${event.error}`);
  } finally {
    await tidemark.close();
  }
  return {
    turns,
    folds: events.filter(({ type }) => type === "folded").length,
    inLoop,
    dropped: events.filter((event) => kindOf(event) === "thinking-dropped").length,
    overflows,
    undone,
    broken,
  };
}
