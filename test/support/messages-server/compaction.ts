import type { ModelInfo } from "./models.ts";
import type { Signer } from "./signatures.ts";
import { messageTokens, textTokens } from "./tokens.ts";
import {
  type Block,
  blocksOf,
  given,
  invalid,
  isJson,
  type Json,
  list,
  type Refusal,
} from "./wire.ts";

export const COMPACT_BETA = "compact-2026-09-04";

/** The API's named errors of compaction (SDK 1.11.0): the code stands in the error's details. */
const named = (code: string, message: string): Refusal => ({
  ...invalid(message),
  code: `compaction_${code}`,
});

/** A block of content; one with null content is a compaction that failed, and the server takes it for nothing. */
const isWritten = (block: Block): boolean => block.type === "compaction" && given(block.content);

export const asksToCompact = (body: Json): boolean => given(body.compaction);

/** What is refused of a compaction request, and of a compaction block wherever one is sent. */
export function compactionRules(
  body: Json,
  info: ModelInfo,
  betas: ReadonlySet<string>,
): Refusal | undefined {
  return (
    (asksToCompact(body) ? requestRules(body, info, betas) : undefined) ?? blockRules(body, betas)
  );
}

function requestRules(
  body: Json,
  info: ModelInfo,
  betas: ReadonlySet<string>,
): Refusal | undefined {
  const { compaction, messages } = body;
  if (!betas.has(COMPACT_BETA)) return invalid("compaction: Extra inputs are not permitted");
  if (!isJson(compaction) || compaction.type !== "summarize")
    return invalid("compaction: Input tag does not match any of the expected tags: 'summarize'");
  if (given(compaction.instructions) && typeof compaction.instructions !== "string")
    return invalid("compaction.summarize.instructions: Input should be a valid string");
  const extra = Object.keys(compaction).find((key) => key !== "type" && key !== "instructions");
  if (extra !== undefined)
    return invalid(`compaction.summarize.${extra}: Extra inputs are not permitted`);
  if (!info.compaction) return invalid(`compaction: not supported on ${info.id}`);
  const beside = besideCompaction(body);
  if (beside !== undefined) return invalid(`compaction: cannot be combined with ${beside}`);
  const held = list(messages).filter(isJson);
  const said = held
    .filter(({ role }) => role !== "system")
    .flatMap(({ content }) => blocksOf(content));
  if (said.every(isWritten))
    return named(
      "nothing_to_summarize",
      "`messages` holds no `user` or `assistant` content to summarize.",
    );
  const last = held.findLast(({ role }) => role !== "system");
  const calls =
    last?.role === "assistant" && blocksOf(last.content).some(({ type }) => type === "tool_use");
  return calls
    ? named(
        "incomplete_turn",
        "The compaction request ends on an `assistant` turn that is not finished.",
      )
    : undefined;
}

function besideCompaction(body: Json): string | undefined {
  const config = isJson(body.output_config) ? body.output_config : {};
  const choice = isJson(body.tool_choice) ? body.tool_choice.type : undefined;
  const budget = isJson(config.task_budget) ? config.task_budget : {};
  if (given(body.context_management)) return "context_management";
  if (list(body.stop_sequences).length > 0) return "stop_sequences";
  if (given(body.output_format) || given(config.format)) return "structured output";
  if (choice === "any" || choice === "tool") return "a forced tool_choice";
  return given(budget.remaining) ? "task_budget.remaining" : undefined;
}

function blockRules(body: Json, betas: ReadonlySet<string>): Refusal | undefined {
  const placed = list(body.messages).flatMap((message, index) =>
    isJson(message) ? blocksOf(message.content).map((block, at) => ({ block, index, at })) : [],
  );
  const found = placed.filter(({ block }) => block.type === "compaction");
  if (found.length === 0) return undefined;
  if (![...betas].some((beta) => beta.startsWith("compact-")))
    return invalid(
      `messages.${found[0]?.index ?? 0}.content.${found[0]?.at ?? 0}: \`compaction\` blocks require a beta`,
    );
  const written = found.filter(({ block }) => isWritten(block));
  if (written.some(({ block }) => block.content === ""))
    return invalid("messages: compaction content must be non-empty");
  if (written.length > 1)
    return named(
      "block_ambiguous",
      "`messages` holds more than one `compaction` block with content. Send only the one returned last.",
    );
  const [only] = written;
  return only !== undefined && (only.index > 0 || only.at > 0)
    ? named("block_misplaced", "The `compaction` block is not the first block of the conversation.")
    : undefined;
}

/** What is said of a block that does not hold what its signature says. */
export const blockErrors = {
  signature: (): Refusal =>
    named("signature_invalid", "The `compaction` block's `signature` does not verify."),
  content: (): Refusal =>
    named(
      "content_mismatch",
      "The `compaction` block's `content` differs from the text its `signature` recorded.",
    ),
  tools: (): Refusal =>
    named(
      "tool_changes_mismatch",
      "The `compaction` block's `tool_changes` differs from what was returned with the block.",
    ),
};

/** How a compaction request is answered: well, or in each of the ways in which no summary comes. */
export type CompactMode =
  | "well"
  | "null"
  | "max_tokens"
  | "refusal"
  | "tool_use"
  | "end_turn"
  | "unavailable"
  | "too_many_tool_references"
  | "hang"
  | ((request: Json) => string);

export const compactRefusal = (mode: CompactMode): Refusal | undefined =>
  mode === "unavailable"
    ? {
        ...named("unavailable", "The compaction could not be completed. Retry the request."),
        status: 503,
        type: "api_error",
      }
    : mode === "too_many_tool_references"
      ? named(
          "too_many_tool_references",
          "The conversation references more distinct tools than a `compaction` block can record.",
        )
      : undefined;

/** Tokens of a summary, at most. */
const LONGEST = 400;

/** The first words of every message, within bounds. */
function summaryOf(body: Json): string {
  const lines = list(body.messages).flatMap((message) => {
    if (!isJson(message)) return [];
    const words = blocksOf(message.content)
      .map(({ text, content }) =>
        typeof text === "string" ? text : typeof content === "string" ? content : "",
      )
      .join(" ");
    return words.trim() === ""
      ? []
      : [`${String(message.role)}: ${words.replace(/\s+/g, " ").slice(0, 60)}`];
  });
  let text = "A summary written by the server.";
  for (const line of lines.reverse()) {
    if (textTokens(text) + textTokens(line) > LONGEST) break;
    text += `\n${line}`;
  }
  return text;
}

/** The answer to a compaction request: one signed block and nothing else, or what came instead of it. */
export function compacted(
  body: Json,
  info: ModelInfo,
  { signer, mode }: { signer: Signer; mode: CompactMode },
) {
  const done = (content: readonly Block[], stop_reason: string) => ({
    content,
    stop_reason,
    stop_sequence: null,
    outputTokens: Math.max(1, messageTokens({ content })),
    thinkingTokens: 0,
  });
  switch (mode) {
    case "null":
      return done(
        [
          {
            type: "compaction",
            content: null,
            encrypted_content: null,
            signature: null,
            tool_changes: null,
          },
        ],
        "compaction",
      );
    case "max_tokens":
      return done(
        [{ type: "text", text: "The conversation so far was", citations: null }],
        "max_tokens",
      );
    case "refusal":
      return done([{ type: "text", text: "I can't summarize that.", citations: null }], "refusal");
    case "end_turn":
      return done([{ type: "text", text: "It was about tides.", citations: null }], "end_turn");
    case "tool_use":
      return done(
        [
          {
            type: "tool_use",
            id: "toolu_compaction",
            name: String((list(body.tools)[0] as Json | undefined)?.name ?? "look"),
            input: {},
          },
        ],
        "tool_use",
      );
    default:
      return done(
        [
          signer.signCompaction(
            body,
            info,
            typeof mode === "function" ? mode(body) : summaryOf(body),
          ),
        ],
        "compaction",
      );
  }
}
