import { readFileSync } from "node:fs";
import { reasonOf } from "../../model/errors.ts";
import { asDict, asText, type Dict, dicts, isDict, parsed, present } from "../../base/guards.ts";
import { Failure } from "../input/failure.ts";
import type { Message, ProviderRequest, Format } from "../../model/request.ts";
import { dialectFor } from "../../dialect/detect.ts";
import { count } from "../render/numbers.ts";

const EXPECTED =
  "expected are messages in Anthropic or OpenAI form (an array, or an object with " +
  '"messages") or a Claude Code log (.jsonl)';

/** A conversation to play: what stands around the messages in every request, and the messages. */
export interface Conversation {
  readonly format: Format;
  readonly around: Omit<ProviderRequest, "messages">;
  readonly messages: readonly Message[];
  readonly notes: readonly string[];
}

/** The file is no conversation; the message says why, without its name. */
export class NoConversation extends Error {}

/**
 * The conversation in a file; throws a Failure of one sentence: file, what was found, what is
 * expected.
 */
export function readConversation(path: string): Conversation {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    const { code } = asDict(thrown);
    if (code === "ENOENT") throw new Failure(`${path}: there is no such file.`);
    throw new Failure(`${path}: cannot be read (${reasonOf(thrown)}).`);
  }
  try {
    return parse(text);
  } catch (thrown) {
    if (!(thrown instanceof NoConversation)) throw thrown;
    throw new Failure(`${path}: found ${thrown.message}; ${EXPECTED}.`);
  }
}

function parse(text: string): Conversation {
  if (text.trim() === "") throw new NoConversation("an empty file");
  if (text.includes("\u0000")) throw new NoConversation("a file that is not text");
  const whole = parsed(text);
  if (whole === undefined) return fromLines(text);
  if (Array.isArray(whole)) return fromMessages(whole, {});
  if (!isDict(whole)) throw new NoConversation(`a JSON ${typeof whole}`);
  if (!Array.isArray(whole.messages)) throw new NoConversation('a JSON object without "messages"');
  return fromMessages(whole.messages, whole);
}

function fromLines(text: string): Conversation {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const values = lines.map(parsed);
  // The last line of a log that is still being written may be torn.
  const broken = values.findIndex(
    (value, index) => value === undefined && index < lines.length - 1,
  );
  if (broken >= 0 || values.length < 2)
    throw new NoConversation(
      broken > 0
        ? `JSON lines up to line ${broken} and something else behind them`
        : "text that is not JSON",
    );
  const rows = values.filter(isDict);
  if (rows.some(isClaudeCodeLine)) return fromClaudeCode(rows);
  throw new NoConversation("JSON lines that are no Claude Code log");
}

const ROLES = new Set(["user", "assistant", "system", "developer", "tool", "function"]);
/**
 * What a stored request may hold beside its messages, and what shapes the request that is played.
 */
const AROUND = [
  "model",
  "system",
  "tools",
  "max_tokens",
  "max_completion_tokens",
  "thinking",
] as const;

/** Messages as a provider takes them, with what stood around them where the file says so. */
export function fromMessages(given: readonly unknown[], whole: Dict): Conversation {
  if (given.length === 0) throw new NoConversation("no messages");
  given.forEach((message, index) => {
    if (!isDict(message)) throw new NoConversation(`a list whose item ${index} is no message`);
    if (!ROLES.has(String(message.role)))
      throw new NoConversation(
        `a list whose item ${index} has ` +
          `${message.role === undefined ? "no role" : `the role ${JSON.stringify(message.role)}`}`,
      );
  });
  const messages = given as readonly Message[];
  if (!messages.some(({ role }) => role === "assistant"))
    throw new NoConversation(`${messages.length} messages and no reply of a model among them`);

  const around: Dict = Object.fromEntries(
    AROUND.filter((name) => (whole[name] ?? "") !== "").map((name) => [name, whole[name]]),
  );
  const { format } = dialectFor({ ...around, messages } as ProviderRequest);
  if (format === "anthropic" || around.system === undefined)
    return { format, around, messages, notes: [] };
  const { system, ...rest } = around;
  return {
    format,
    around: rest,
    messages: [{ role: "system", content: system }, ...messages],
    notes: [],
  };
}

/** A line of a Claude Code session log, as against a bare message. */
const isClaudeCodeLine = ({ message, role }: Dict): boolean =>
  role === undefined && isDict(message);

/** A message while its lines are being gathered. */
interface Draft {
  readonly role: "user" | "assistant";
  readonly content: Dict[];
}

/**
 * A session log as the messages the model saw. One reply is spread over several lines with one
 * `message.id`, with results between them; lines of the program's own (summaries, notes, sub-agents
 * beside the conversation) are left out.
 */
export function fromClaudeCode(lines: readonly Dict[]): Conversation {
  const spoken = lines.filter(
    ({ type, message }) => (type === "user" || type === "assistant") && isDict(message),
  );
  // The log of a sub-agent is nothing but a side chain.
  const main = spoken.filter(({ isSidechain }) => isSidechain !== true);
  const counted = (main.length > 0 ? main : spoken).filter((line) => !isOwn(line));
  const messages = gather(counted);
  if (!messages.some(({ role }) => role === "assistant"))
    throw new NoConversation("a Claude Code log without a reply of a model");

  const boundaries = lines.filter(({ subtype }) => subtype === "compact_boundary").length;
  const beside = spoken.length - main.length;
  const model = counted
    .map(({ message }) => asText(asDict(message).model))
    .findLast((name) => name !== "");
  return {
    format: "anthropic",
    around: model === undefined ? {} : { model },
    messages,
    notes: present([
      "the log holds neither the system text nor the tools, so the real requests were larger",
      boundaries > 0 &&
        "Claude Code compacted this conversation " +
          `${boundaries === 1 ? "once" : `${boundaries} times`}; it is played as one ` +
          "history",
      main.length > 0 &&
        beside > 0 &&
        `${count(beside, "line of sub-agents is", "lines of sub-agents are")} left out`,
    ]),
  };
}

/**
 * Written by the program, not said: notes, the summary after a compaction, its own error messages.
 */
const isOwn = (line: Dict): boolean =>
  line.isMeta === true ||
  line.isCompactSummary === true ||
  line.isVisibleInTranscriptOnly === true ||
  line.isApiErrorMessage === true ||
  asDict(line.message).model === "<synthetic>";

function gather(lines: readonly Dict[]): Message[] {
  const drafts: Draft[] = [];
  const replies = new Map<string, Draft>();
  const seen = new Set<string>();
  for (const line of lines) {
    const uuid = asText(line.uuid);
    if (uuid !== "" && seen.has(uuid)) continue;
    seen.add(uuid);
    const message = line.message as Dict;
    const blocks = blocksOf(message.content);
    if (blocks.length === 0) continue;
    if (message.role === "assistant") {
      const id = asText(message.id);
      const known = replies.get(id);
      const draft = known ?? { role: "assistant" as const, content: [] };
      const had = new Set(draft.content.map((block) => JSON.stringify(block)));
      draft.content.push(...blocks.filter((block) => !had.has(JSON.stringify(block))));
      if (known === undefined) drafts.push(draft);
      if (id !== "") replies.set(id, draft);
    } else {
      const last = drafts.at(-1);
      if (last?.role === "user") last.content.push(...blocks);
      else drafts.push({ role: "user", content: [...blocks] });
    }
  }
  // The provider wants results before words.
  const isWords = ({ type }: Dict): number => Number(type !== "tool_result");
  return drafts.map(({ role, content }) => ({
    role,
    content:
      role === "user" ? content.toSorted((one, other) => isWords(one) - isWords(other)) : content,
  }));
}

/** Texts of nothing but white space are refused when they are sent again. */
function blocksOf(content: unknown): Dict[] {
  const blocks: Dict[] =
    typeof content === "string" ? [{ type: "text", text: content }] : dicts(content);
  return blocks.filter(({ type, text }) => type !== "text" || asText(text).trim() !== "");
}
