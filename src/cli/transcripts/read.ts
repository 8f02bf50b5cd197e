import { readFileSync } from "node:fs";
import type { ImportedMessage } from "../../conversations/import.ts";
import {
  asDict,
  asText,
  defined,
  type Dict,
  dicts,
  isDict,
  parsed,
  present,
} from "../../core/base.ts";
import { reasonOf } from "../../core/errors-and-events.ts";
import type { Format, Message, ProviderRequest } from "../../core/request.ts";
import { dialectFor } from "../../providers/detect.ts";
import { Failure } from "../input/flags.ts";
import { count } from "../render/numbers.ts";
import { branchesOf, gather, type LogNode } from "./branches.ts";
import { aider, chatGpt, type Log, logIn, responsesItem } from "./logs.ts";

const EXPECTED =
  "expected are messages in Anthropic or OpenAI form (an array, or an object with " +
  '"messages"), a log of Claude Code, Codex, pi, Gemini CLI or aider, or an export ' +
  "of ChatGPT";

/** A conversation to play: what stands around the messages in every request, and the messages. */
export interface Conversation {
  readonly format: Format;
  readonly around: Omit<ProviderRequest, "messages">;
  readonly messages: readonly Message[];
  readonly notes: readonly string[];
  /** The name its program gave it; "" for none. */
  readonly id: string;
  /** The words of people and models in it. */
  readonly said: readonly ImportedMessage[];
  /** It may be remembered. */
  readonly learn: boolean;
}

/** The file is no conversation; the message says why, without its name. */
export class NoConversation extends Error {}

/**
 * The conversations in a file, and with `branches` those that were dropped; throws a Failure of one
 * sentence: file, what was found, what is expected.
 */
export function readConversations(path: string, branches = false): Conversation[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    const { code } = asDict(thrown);
    if (code === "ENOENT") throw new Failure(`${path}: there is no such file.`);
    throw new Failure(`${path}: cannot be read (${reasonOf(thrown)}).`);
  }
  try {
    return parse(text.replace(/^\ufeff/, ""), branches);
  } catch (thrown) {
    if (!(thrown instanceof NoConversation)) throw thrown;
    throw new Failure(`${path}: found ${thrown.message}; ${EXPECTED}.`);
  }
}

function parse(text: string, branches: boolean): Conversation[] {
  if (text.trim() === "") throw new NoConversation("an empty file");
  if (text.includes("\u0000")) throw new NoConversation("a file that is not text");
  const whole = parsed(text);
  if (whole === undefined) {
    const chats = aider(text);
    return chats.length > 0 ? fromLogs(chats, branches) : fromLines(linesIn(text), branches);
  }
  if (!Array.isArray(whole) && !isDict(whole)) throw new NoConversation(`a JSON ${typeof whole}`);
  const all = dicts([whole].flat());
  const exported = all.filter(({ mapping }) => isDict(mapping)).map(chatGpt);
  if (exported.length > 0) return fromLogs(exported, branches);
  if (Array.isArray(whole)) return [fromItems(whole, {})];
  const log = logIn([whole]);
  if (log !== undefined) return fromLogs([log], branches);
  const given = [whole.messages, whole.input].find(Array.isArray) as unknown[] | undefined;
  if (given === undefined) throw new NoConversation('a JSON object without "messages"');
  return [fromItems([...given, ...dicts(whole.output)], whole)];
}

/** Messages of either format, or items of OpenAI's Responses. */
function fromItems(given: readonly unknown[], whole: Dict): Conversation {
  const isItem = ({ type, content }: Dict): boolean =>
    /^(?:message|reasoning|.+_call|.+_call_output)$/.test(asText(type)) ||
    dicts(content).some(({ type: part }) => /^(?:in|out)put_text$/.test(asText(part)));
  if (!dicts(given).some(isItem)) return fromMessages(given, whole);
  const nodes = dicts(given).map(responsesItem);
  const model = asText(whole.model) || undefined;
  return fromLog({ by: "Responses", id: "", nodes, model }, nodes);
}

function linesIn(text: string): Dict[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const values = lines.map(parsed);
  // The last line of a log that is still being written may be torn.
  const broken = values.findIndex(
    (value, index) => value === undefined && index < lines.length - 1,
  );
  if (broken >= 0 || values.length < 2)
    throw new NoConversation(
      broken > 0 ? `something else than JSON in line ${broken + 1}` : "text that is not JSON",
    );
  return values.filter(isDict);
}

/** The lines of a program's log, of messages, or of conversations. */
export function fromLines(rows: readonly Dict[], branches = false): Conversation[] {
  const log = logIn(rows);
  if (log !== undefined) return fromLogs([log], branches);
  if (rows.every(({ role }) => role !== undefined)) return [fromItems(rows, {})];
  const whole = rows.filter(({ messages }) => Array.isArray(messages));
  if (whole.length === 0) throw new NoConversation("JSON lines of no log that is known");
  return whole.map((one) => fromItems(one.messages as unknown[], one));
}

const ROLES = new Set("user assistant system developer tool function".split(" "));
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
  const odd = given.findIndex((message) => !isDict(message) || !ROLES.has(asText(message.role)));
  if (odd >= 0) throw new NoConversation(`a list whose item ${odd} is no message`);
  const messages = given as readonly Message[];
  if (!messages.some(({ role }) => role === "assistant"))
    throw new NoConversation(`${messages.length} messages and no reply of a model among them`);

  const around: Dict = Object.fromEntries(
    AROUND.filter((name) => (whole[name] ?? "") !== "").map((name) => [name, whole[name]]),
  );
  const dialect = dialectFor({ ...around, messages } as ProviderRequest);
  const said = messages.flatMap((message) => {
    const speaker = dialect.speaker(message);
    const text = dialect.text(message);
    const isSaid = (speaker === "user" || speaker === "assistant") && text.trim() !== "";
    return isSaid ? [{ role: speaker, text }] : [];
  });
  const read = { format: dialect.format, id: "", said, learn: true, notes: [] };
  if (dialect.format === "anthropic" || around.system === undefined)
    return { ...read, around, messages };
  const { system, ...rest } = around;
  return { ...read, around: rest, messages: [{ role: "system", content: system }, ...messages] };
}

function fromLogs(logs: readonly Log[], branches: boolean): Conversation[] {
  const all = logs.flatMap((log) => {
    const [main = [], ...dropped] = branchesOf(log.nodes, log.leaf);
    const note =
      dropped.length > 0 &&
      !branches &&
      `${count(dropped.length, "dropped branch", "dropped branches")} (rewinds) ` +
        `${dropped.length === 1 ? "is" : "are"} left out; --branches takes them`;
    const told = branches ? [main, ...dropped] : [main];
    return told.flatMap((nodes, at) => {
      const one = gather(nodes).some(({ role }) => role === "assistant");
      return one ? [fromLog(log, nodes, { at, shared: at > 0 ? main : [], note })] : [];
    });
  });
  if (all.length === 0)
    throw new NoConversation(`a log of ${logs[0]?.by ?? "a program"} without a reply of a model`);
  return all;
}

/** A log, or a branch of it, as messages; what it shares with the main one is told there. */
function fromLog(
  { by, id, model, compacted = 0, beside = 0, forgotten = false }: Log,
  nodes: readonly LogNode[],
  {
    at = 0,
    shared = [],
    note = false,
  }: { at?: number; shared?: readonly LogNode[]; note?: string | false } = {},
): Conversation {
  const times = compacted === 1 ? "once" : `${compacted} times`;
  const own = shared.length > 0 ? nodes.filter((node) => !shared.includes(node)) : nodes;
  return {
    format: "anthropic",
    id: at === 0 ? id : `${id} branch ${at}`,
    around: model === undefined ? {} : { model },
    messages: gather(nodes).map(({ role, content }) => ({ role, content })),
    said: gather(own).flatMap(({ role, content, ref, at: when }) => {
      const text = content.flatMap((block) => (block.type === "text" ? [asText(block.text)] : []));
      return text.length === 0
        ? []
        : [{ role, text: text.join("\n\n"), ...defined({ ref, at: when }) }];
    }),
    learn: !forgotten,
    notes: present([
      "the log holds neither the system text nor the tools, so the real requests were larger",
      compacted > 0 && `${by} compacted this conversation ${times}; it is played as one history`,
      beside > 0 && `${count(beside, "line of sub-agents is", "lines of sub-agents are")} left out`,
      note,
    ]),
  };
}
