import { branchesOf, gather, saidOn } from "../../adapters/logs/branches.ts";
import { type Log, logIn } from "../../adapters/logs/logs.ts";
import type { ImportedMessage } from "../../conversations/import.ts";
import { asText, defined, type Dict, dicts, isDict, present } from "../../core/base.ts";
import type { Format, Message, ProviderRequest } from "../../core/request.ts";
import { dialectFor } from "../../providers/detect.ts";
import { count } from "../render/numbers.ts";

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
  /** Branches that a rewind dropped. */
  readonly dropped: number;
  /** A program asked, and no person. */
  readonly subAgent: boolean;
}

/** The file is no conversation; the message says why, without its name. */
export class NoConversation extends Error {}

/**
 * Of logs that programs wrote, of lists of messages, or of messages; `whole`: what they stand in.
 */
export function conversationsIn(rows: readonly unknown[], whole: Dict = {}): Conversation[] {
  const all = dicts(rows);
  const log = logIn(all);
  if (log !== undefined)
    return [fromLog({ ...log, model: log.model ?? (asText(whole.model) || undefined) })];
  const held = all.flatMap((row) => {
    const given = [row.messages, row.input].find(Array.isArray) as unknown[] | undefined;
    return given ? conversationsIn([...given, ...dicts(row.output)], row) : [];
  });
  if (held.length > 0) return held;
  if (rows.length === 1 && all[0]?.role === undefined && all[0] !== undefined)
    throw new NoConversation('a JSON object without "messages"');
  return [fromMessages(rows, whole)];
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
function fromMessages(given: readonly unknown[], whole: Dict): Conversation {
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
    const role = dialect.speaker(message);
    const text = dialect.text(message);
    return (role === "user" || role === "assistant") && text.trim() !== "" ? [{ role, text }] : [];
  });
  const { system, ...rest } = around;
  const isFirst = dialect.format !== "anthropic" && system !== undefined;
  return {
    ...{ format: dialect.format, id: "", said, learn: true, notes: [] },
    ...{ dropped: 0, subAgent: false },
    around: isFirst ? rest : around,
    messages: isFirst ? [{ role: "system", content: system }, ...messages] : messages,
  };
}

/** A log as messages, as far as no rewind has dropped them. */
export function fromLog(log: Log): Conversation {
  const { by, id, model, compacted = 0, beside = 0, forgotten = false, subAgent = false } = log;
  const [nodes = [], ...others] = branchesOf(log.nodes, log.leaf);
  const dropped = others.length;
  const messages = gather(nodes).map(({ role, content }) => ({ role, content }));
  if (!messages.some(({ role }) => role === "assistant"))
    throw new NoConversation(`a log of ${by} without a reply of a model`);
  const times = compacted === 1 ? "once" : `${compacted} times`;
  return {
    ...{ format: "anthropic", id, learn: !forgotten, dropped, subAgent },
    around: defined({ model }),
    messages,
    said: saidOn(nodes),
    notes: present([
      "the log holds neither the system text nor the tools, so the real requests were larger",
      compacted > 0 && `${by} compacted this conversation ${times}; it is played as one history`,
      beside > 0 && `${count(beside, "line of sub-agents is", "lines of sub-agents are")} left out`,
      dropped > 0 &&
        `${count(dropped, "dropped branch", "dropped branches")} (rewinds) ` +
          `${dropped === 1 ? "is" : "are"} left out`,
    ]),
  };
}
