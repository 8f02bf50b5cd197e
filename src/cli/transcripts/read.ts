import { readFileSync } from "node:fs";
import { reasonOf } from "../../model/errors.ts";
import { isDict, type Dict } from "../../base/guards.ts";
import { Failure } from "../input/failure.ts";
import { fromClaudeCode, isClaudeCodeLine } from "./claude-code.ts";
import { NoConversation, type Conversation, fromMessages } from "./messages.ts";

const EXPECTED =
  'expected are messages in Anthropic or OpenAI form (an array, or an object with "messages") or a Claude Code log (.jsonl)';

/** The conversation in a file; throws a Failure of one sentence: file, what was found, what is expected. */
export function readConversation(path: string): Conversation {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
    if (code === "ENOENT") throw new Failure(`${path}: there is no such file.`);
    if (code === "EISDIR") throw new Failure(`${path}: this is a folder; name the files in it.`);
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
  const whole = json(text);
  if (whole === undefined) return fromLines(text);
  if (isDict(whole) && isClaudeCodeLine(whole)) return fromClaudeCode([whole]);
  if (Array.isArray(whole)) return fromMessages(whole, {});
  if (!isDict(whole)) throw new NoConversation(`a JSON ${typeof whole}`);
  if (!Array.isArray(whole.messages))
    throw new NoConversation(`a JSON object without "messages" (it has ${keysOf(whole)})`);
  return fromMessages(whole.messages, whole);
}

function fromLines(text: string): Conversation {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const values = lines.map(json);
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
  if (rows.length > 0 && rows.every((row) => typeof row.role === "string"))
    return fromMessages(rows, {});
  throw new NoConversation("JSON lines that are neither messages nor a Claude Code log");
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function keysOf(value: Dict): string {
  const keys = Object.keys(value);
  return keys.length === 0
    ? "nothing"
    : keys
        .slice(0, 4)
        .map((key) => `"${key.slice(0, 30)}"`)
        .join(", ") + (keys.length > 4 ? ", …" : "");
}
