import { createHash } from "node:crypto";
import type { ModelInfo } from "./models.ts";
import type { Signer } from "./signatures.ts";
import { blockTokens } from "./tokens.ts";
import { type Block, blocksOf, given, isJson, type Json, list } from "./wire.ts";

/** What a script answers: a text, blocks, or blocks with the reason the model stopped. */
export type Reply =
  | string
  | readonly Block[]
  | { readonly content: string | readonly Block[]; readonly stop_reason?: string };
/** `index`: how often the script was asked before. */
export type Script = (request: Json, about: { readonly index: number }) => Reply | Promise<Reply>;

/** A reply as it goes over the wire. */
export interface Finished {
  readonly content: readonly Block[];
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
  readonly outputTokens: number;
  readonly thinkingTokens: number;
}

const ECHO = 200;

/** The words of the last message; for a turn of results, what they say. */
export function lastText(request: Json): string {
  const last = list(request.messages).findLast(
    (message) => isJson(message) && message.role === "user",
  );
  const blocks = isJson(last) ? blocksOf(last.content) : [];
  const texts = blocks.filter(({ type }) => type === "text").map(({ text }) => String(text));
  return (
    texts.at(-1) ??
    blocks
      .map(({ content }) =>
        blocksOf(content)
          .map(({ text }) => String(text ?? ""))
          .join(" "),
      )
      .join(" ")
  );
}

/** Says back what it read, after some thought where thinking is on. Same request, same reply. */
export function echo(request: Json): Reply {
  const said = lastText(request).replace(/\s+/g, " ").trim();
  const words = [...said].slice(0, ECHO).join("");
  const text: Block = { type: "text", text: `You said: ${words === "" ? "(nothing)" : words}` };
  const thinking = isJson(request.thinking) ? request.thinking.type : undefined;
  if (thinking !== "enabled" && thinking !== "adaptive") return [text];
  return [{ type: "thinking", thinking: `They say: ${words}` }, text];
}

/** A model bound to a tool or a form answers in it, whatever it would have said. */
export function bound(request: Json): Reply | undefined {
  const choice = isJson(request.tool_choice) ? request.tool_choice : undefined;
  const first = list(request.tools)[0];
  if (choice?.type === "tool") return [{ type: "tool_use", name: choice.name, input: {} }];
  if (choice?.type === "any" && isJson(first))
    return [{ type: "tool_use", name: first.name, input: {} }];
  const output = isJson(request.output_config) ? request.output_config : undefined;
  return given(output?.format) || given(request.output_format) ? "{}" : undefined;
}

interface Finish {
  readonly request: Json;
  readonly info: ModelInfo;
  readonly signer: Signer;
  readonly index: number;
}

/** Fills in what only the provider knows: ids, signatures, citations, why it stopped. */
export function finish(reply: Reply, { request, info, signer, index }: Finish): Finished {
  const whole =
    typeof reply === "string" || Array.isArray(reply)
      ? { content: reply as string | readonly Block[] }
      : (reply as { content: string | readonly Block[]; stop_reason?: string });
  const plain = blocksOf(whole.content).map((block, at) =>
    filled(block, () => idOf(request, index, at)),
  );
  const stopped = atStopSequence(plain, request);
  const cut = atMostTokens(stopped.content, Number(request.max_tokens));
  const signed = signer.sign(
    request,
    info,
    cut.content.map((block) => hidden(block, request)),
  );
  const thinkingTokens = signed
    .filter(({ type }) => type === "thinking")
    .reduce((sum, block) => sum + blockTokens(block), 0);
  const natural = signed.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
  return {
    content: signed,
    stop_reason: cut.cut
      ? "max_tokens"
      : stopped.sequence !== null
        ? "stop_sequence"
        : (whole.stop_reason ?? natural),
    stop_sequence: cut.cut ? null : stopped.sequence,
    outputTokens: Math.min(
      Number(request.max_tokens),
      Math.max(
        1,
        signed.reduce((sum, block) => sum + blockTokens(block), 0),
      ),
    ),
    thinkingTokens,
  };
}

/** Different in every request of a conversation, also after the server was started anew. */
const idOf = (request: Json, index: number, at: number): string =>
  createHash("sha256")
    .update(
      `${index} ${at} ${list(request.messages).length} ${JSON.stringify(list(request.messages).at(-1))}`,
    )
    .digest("hex")
    .slice(0, 24);

function filled(block: Block, id: () => string): Block {
  switch (block.type) {
    case "text":
      return { ...block, citations: block.citations ?? null };
    case "tool_use":
      return {
        ...block,
        id: block.id ?? `toolu_${id()}`,
        input: block.input ?? {},
        caller: block.caller ?? { type: "direct" },
      };
    case "server_tool_use":
      return { ...block, id: block.id ?? `srvtoolu_${id()}`, input: block.input ?? {} };
    default:
      return block;
  }
}

/** `display: "omitted"` leaves the signature and takes the words. */
const hidden = (block: Block, { thinking }: Json): Block =>
  block.type === "thinking" && isJson(thinking) && thinking.display === "omitted"
    ? { ...block, thinking: "" }
    : block;

function atStopSequence(
  content: readonly Block[],
  request: Json,
): { content: readonly Block[]; sequence: string | null } {
  for (const [place, block] of content.entries()) {
    if (block.type !== "text") continue;
    const text = String(block.text);
    const found = list(request.stop_sequences)
      .map((stop) => ({ stop: String(stop), at: text.indexOf(String(stop)) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at)[0];
    if (found === undefined) continue;
    const rest = text.slice(0, found.at);
    return {
      content: [...content.slice(0, place), ...(rest === "" ? [] : [{ ...block, text: rest }])],
      sequence: found.stop,
    };
  }
  return { content, sequence: null };
}

function atMostTokens(
  content: readonly Block[],
  most: number,
): { content: readonly Block[]; cut: boolean } {
  const kept: Block[] = [];
  let left = most;
  for (const block of content) {
    const tokens = blockTokens(block);
    if (tokens <= left) {
      kept.push(block);
      left -= tokens;
      continue;
    }
    const share = Math.floor((String(block.text ?? "").length * Math.max(left, 0)) / tokens);
    if (block.type === "text" && share > 0)
      kept.push({ ...block, text: String(block.text).slice(0, share) });
    return { content: kept, cut: true };
  }
  return { content: kept, cut: false };
}
