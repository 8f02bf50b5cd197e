import type { Message } from "../../src/core/request.ts";
import { messagesOf } from "../../src/providers/gemini/contents.ts";
import { type AnthropicTurn, buildAnthropic, type HistorySize } from "./histories-anthropic.ts";
import { chance } from "./histories-random.ts";

type Dict = Record<string, unknown>;

/** One valid list of contents, as Google's client has it, from messages of the same plans. */
export function buildContents(plans: readonly AnthropicTurn[], size: HistorySize = {}): Message[] {
  const random = chance((plans[0]?.seed ?? 0) ^ 0x6e31);
  const hasIds = random.maybe(0.5);
  /** As a streamed chat keeps them. */
  const inPieces = random.maybe(0.3);
  const names = new Map<unknown, unknown>();
  const identified = (id: unknown) => (hasIds ? { id } : {});

  function said(block: Dict): Dict[] {
    if (block.type === "text") return [{ text: block.text }];
    const { type, data, url, media_type: mimeType = "image/png" } = (block.source ?? {}) as Dict;
    if (block.type !== "image" && !(block.type === "document" && type === "base64")) return [];
    return [
      type === "base64"
        ? { inlineData: { mimeType, data } }
        : { fileData: { mimeType, fileUri: url ?? "https://example.org/a" } },
    ];
  }

  function replied(block: Dict): Dict[] {
    const { type, id, name, input } = block;
    if (type === "text") return [{ text: block.text }];
    if (type === "thinking" && block.thinking !== "")
      return [{ text: block.thinking, thought: true }];
    if (type === "server_tool_use")
      return [
        { executableCode: { language: "PYTHON", code: random.text(40) } },
        { codeExecutionResult: { outcome: "OUTCOME_OK", output: random.text(40) } },
      ];
    if (type !== "tool_use") return [];
    names.set(id, name);
    return [{ functionCall: { ...identified(id), name, args: input } }];
  }

  function answered({ tool_use_id: id, content, is_error: failed }: Dict): Dict {
    const blocks = (Array.isArray(content) ? content : []) as Dict[];
    const parts = blocks.flatMap(said).filter((part) => !("text" in part));
    const text = Array.isArray(content)
      ? blocks.flatMap(said).flatMap((part) => part.text ?? [])
      : (content ?? "");
    const output = Array.isArray(text) ? text.join("\n") : text;
    const response = random.maybe(0.7) ? { output } : { output, lines: 2, note: random.text(9) };
    return {
      functionResponse: {
        ...{ ...identified(id), name: names.get(id) },
        response: failed === true ? { error: output } : response,
        ...(parts.length > 0 && { parts }),
      },
    };
  }

  const contents: Message[] = [];
  for (const { role, content } of buildAnthropic(plans, size)) {
    const blocks = (
      typeof content === "string" ? [{ type: "text", text: content }] : content
    ) as Dict[];
    if (role === "assistant") {
      const parts = blocks.flatMap(replied);
      const first = parts.findIndex((part) => "functionCall" in part);
      if (first >= 0) parts[first] = { ...parts[first], thoughtSignature: random.bytes(60, 200) };
      else if (random.maybe(0.3)) parts.push({ text: "", thoughtSignature: random.bytes(60, 200) });
      if (parts.some((part) => part.thought !== true && part.text !== ""))
        contents.push(
          ...(inPieces
            ? parts.map((part) => ({ role: "model", parts: [part] }))
            : [{ role: "model", parts }]),
        );
    } else if (role === "user") {
      const parts = blocks.flatMap((block) =>
        block.type === "tool_result" ? [answered(block)] : said(block),
      );
      if (parts.length > 0) contents.push({ role, parts });
    }
  }
  return messagesOf(contents);
}

const KINDS = [
  ...["text", "functionCall", "functionResponse", "inlineData", "fileData"],
  ...["executableCode", "codeExecutionResult"],
];

/** Why generateContent of Gemini 3 would refuse these contents, or undefined. */
export function validGemini(messages: readonly Message[]): string | undefined {
  const contents: Message[] = [];
  // The model's contents in a row are one turn.
  for (const content of messages.flatMap((one) => (one.contents ?? [one]) as Message[])) {
    const before = contents.at(-1);
    if (content.role !== "model" || before?.role !== "model") contents.push(content);
    else {
      if ((content.parts as Dict[]).length === 0) return "a content without parts";
      contents[contents.length - 1] = {
        role: "model",
        parts: [...(before.parts as Dict[]), ...(content.parts as Dict[])],
      };
    }
  }
  if (contents[0]?.role !== "user") return "the first content is not the user's";
  const partsOf = (content: Message | undefined) => (content?.parts ?? []) as Dict[];
  const named = (content: Message | undefined, kind: string): Dict[] =>
    partsOf(content).flatMap((part) => (kind in part ? [part[kind] as Dict] : []));
  const turn = contents.findLastIndex(
    (content) =>
      content.role === "user" && partsOf(content).some((part) => !("functionResponse" in part)),
  );
  for (const [at, content] of contents.entries()) {
    const where = `contents[${at}]`;
    const { role } = content;
    if (role !== "user" && role !== "model") return `${where}: role ${String(role)}`;
    const parts = partsOf(content);
    if (parts.length === 0) return `${where}: must include at least one parts field`;
    for (const part of parts) {
      const kinds = KINDS.filter((kind) => kind in part);
      if (kinds.length !== 1) return `${where}: a part of ${kinds.join(" and ") || "nothing"}`;
      if (part.text === "" && part.thoughtSignature === undefined) return `${where}: empty text`;
    }
    const calls = named(content, "functionCall");
    const answers = named(content, "functionResponse");
    if (role === "user" ? calls.length > 0 : answers.length > 0)
      return `${where}: a part of another role`;
    if (role === "model") {
      if (calls.length === 0) continue;
      const first = parts.find((part) => "functionCall" in part);
      if (at > turn && typeof first?.thoughtSignature !== "string")
        return `${where}: Function call is missing a thought_signature in functionCall parts.`;
      if (named(contents[at + 1], "functionResponse").length !== calls.length)
        return `${where}: the number of function response parts is not equal to the number of function call parts of the function call turn`;
      continue;
    }
    const asked = named(contents[at - 1], "functionCall");
    if (answers.length !== asked.length) return `${where}: function responses without their calls`;
    const key = ({ id, name }: Dict) => JSON.stringify([id, name]);
    if (answers.map(key).sort().join() !== asked.map(key).sort().join())
      return `${where}: function responses of other calls`;
    for (const { response } of answers)
      if (typeof response !== "object" || response === null || Array.isArray(response))
        return `${where}: a function response that is no object`;
  }
  return undefined;
}
