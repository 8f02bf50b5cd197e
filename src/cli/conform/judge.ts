import { type Message } from "../../model/request.ts";

/** What became of the canaries, in their order. */
export interface Survived {
  readonly folds: number;
  /** Tokens of a request before and after a fold, on average. */
  readonly before: number;
  readonly after: number;
  /** Requests a provider would have refused. */
  readonly invalid: number;
  /** A fold came before all canaries were planted. */
  readonly early: boolean;
  readonly inPrompt: readonly boolean[];
  readonly inRecall?: readonly boolean[];
}

/** Every text of a request or a list of messages, wherever it stands. */
export function allText(value: unknown): string {
  const found: string[] = [];
  const walk = (one: unknown): void => {
    if (typeof one === "string") found.push(one);
    else if (Array.isArray(one)) one.forEach(walk);
    else if (typeof one === "object" && one !== null) Object.values(one).forEach(walk);
  };
  walk(value);
  return found.join("\n");
}

type Block = { readonly type?: unknown; readonly id?: unknown; readonly tool_use_id?: unknown };
const blocks = (message: Message | undefined): Block[] =>
  Array.isArray(message?.content) ? message.content.filter((block): block is Record<string, unknown> => typeof block === "object" && block !== null) : [];
const isEmpty = ({ content }: Message): boolean => content === undefined || content === null || content === "" || (Array.isArray(content) && content.length === 0);

/** Would a provider take them: the user first, nothing empty, every call answered in the next message and every answer called for? */
export function isSound(messages: readonly Message[]): boolean {
  if (messages.length === 0 || messages[0]?.role !== "user" || messages.some(isEmpty)) return false;
  return messages.every((message, at) => {
    const called = blocks(message).filter(({ type }) => type === "tool_use").map(({ id }) => id);
    const before = blocks(messages[at - 1]).filter(({ type }) => type === "tool_use").map(({ id }) => id);
    const answered = blocks(message).filter(({ type }) => type === "tool_result").map(({ tool_use_id }) => tool_use_id);
    const next = messages[at + 1];
    const later = next === undefined ? undefined : blocks(next).filter(({ type }) => type === "tool_result").map(({ tool_use_id }) => tool_use_id);
    return answered.every((id) => before.includes(id)) && (later === undefined ? called.length === 0 : called.every((id) => later.includes(id)));
  });
}
