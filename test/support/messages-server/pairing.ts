import { invalid, type Json, list, type Refusal, type Turn } from "./wire.ts";

/** Calls the client answers, and calls the provider answers itself: each once, in its place. */
export function pairingOf(
  body: Json,
  turns: readonly Turn[],
  reusedIds: boolean,
): Refusal | undefined {
  const calls = new Set<string>();
  let open: readonly string[] = [];
  let openAt = 0;
  const pending = new Map<string, Turn["blocks"][number]>();
  for (const turn of turns) {
    // A system message between a result and the next answer belongs to neither.
    if (turn.role === "system" && open.length === 0) continue;
    if (turn.role !== "user" && open.length > 0) return unanswered(openAt, open);
    if (turn.role === "user") {
      const refusal = results(turn, open, openAt);
      if (refusal !== undefined) return refusal;
      // A server's call may wait for the client's results, and for nothing else.
      if (
        pending.size > 0 &&
        !(open.length > 0 && turn.blocks.every(({ block }) => block.type === "tool_result"))
      )
        return resultless(pending);
      open = [];
      continue;
    }
    const refusal = uses(turn, reusedIds ? new Set() : calls) ?? serverResults(turn, pending);
    if (refusal !== undefined) return refusal;
    open = turn.blocks
      .filter(({ block }) => block.type === "tool_use")
      .map(({ block }) => String(block.id));
    openAt = turn.blocks.findLast(({ block }) => block.type === "tool_use")?.message ?? openAt;
  }
  if (open.length > 0) return unanswered(openAt, open);
  const used = turns.some((turn) =>
    turn.blocks.some(({ block }) => block.type === "tool_use" || block.type === "tool_result"),
  );
  if (used && list(body.tools).length === 0)
    return invalid("Requests which include `tool_use` or `tool_result` blocks must define tools");
  return undefined;
}

const unanswered = (message: number, ids: readonly string[]): Refusal =>
  invalid(
    `messages.${message}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );

/** Results come first in the user's turn: what stands behind anything else answers nothing. */
function results(turn: Turn, open: readonly string[], openAt: number): Refusal | undefined {
  const answered = new Set<string>();
  let leading = true;
  for (const { block, message, at } of turn.blocks) {
    if (block.type !== "tool_result") {
      leading = false;
      continue;
    }
    const id = String(block.tool_use_id);
    if (!open.includes(id))
      return invalid(
        `messages.${message}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    if (answered.has(id))
      return invalid(
        `messages.${message}.content.${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    if (leading) answered.add(id);
  }
  const missing = open.filter((id) => !answered.has(id));
  return missing.length === 0 ? undefined : unanswered(openAt, missing);
}

const isCall = (type: string): boolean =>
  type === "tool_use" || type === "server_tool_use" || type === "mcp_tool_use";

function uses(turn: Turn, calls: Set<string>): Refusal | undefined {
  for (const { block, message, at } of turn.blocks) {
    if (!isCall(block.type)) continue;
    const id = String(block.id);
    if (calls.has(id))
      return invalid(`messages.${message}.content.${at}: \`${block.type}\` ids must be unique`);
    calls.add(id);
  }
  return undefined;
}

/** Takes each server result off its call; what stays in `pending` is not answered yet. */
function serverResults(
  turn: Turn,
  pending: Map<string, Turn["blocks"][number]>,
): Refusal | undefined {
  for (const placed of turn.blocks) {
    const { block, message, at } = placed;
    if (block.type === "server_tool_use" || block.type === "mcp_tool_use")
      pending.set(String(block.id), placed);
    else if (block.type !== "tool_result" && block.type.endsWith("_tool_result")) {
      const id = String(block.tool_use_id);
      const call = block.type === "mcp_tool_result" ? "mcp_tool_use" : "server_tool_use";
      if (pending.get(id)?.block.type !== call)
        return invalid(
          `messages.${message}.content.${at}: unexpected \`tool_use_id\` found in \`${block.type}\` blocks: ${id}. Each \`${block.type}\` block must have a corresponding \`${call}\` block before it.`,
        );
      pending.delete(id);
    }
  }
  return undefined;
}

function resultless(pending: ReadonlyMap<string, Turn["blocks"][number]>): Refusal | undefined {
  for (const [id, { block, message }] of pending) {
    const result =
      block.type === "mcp_tool_use" ? "mcp_tool_result" : `${String(block.name)}_tool_result`;
    return invalid(
      `messages.${message}: \`${String(block.name)}\` tool use with id \`${id}\` was found without a corresponding \`${result}\` block`,
    );
  }
  return undefined;
}
