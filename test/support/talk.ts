import type { VectorStorage } from "../../src/storage/port.ts";
import type { ProviderRequest, Format, Message, Complete } from "../../src/core/request.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterwards } from "./afterwards.ts";
import { openTidemark } from "../../src/index.ts";
import type { TidemarkEvent } from "../../src/core/errors-and-events.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import type {
  BeginOptions,
  Options,
  Tidemark,
  Turn,
} from "../../src/session/options/tidemark-api.ts";

export const user = (content: unknown): Message => ({ role: "user", content });
export const assistant = (content: unknown): Message => ({ role: "assistant", content });
export const call = (id: string, name: string, input: unknown): Message =>
  assistant([{ type: "tool_use", id, name, input }]);
export const result = (id: string, content: unknown): Message =>
  user([{ type: "tool_result", tool_use_id: id, content }]);

/** A message as its provider answers with it. */
export function asReply(message: Message, format: Format = "anthropic"): unknown {
  return format === "anthropic"
    ? {
        id: "msg_1",
        type: "message",
        model: "m",
        stop_reason: "end_turn",
        ...message,
        usage: { input_tokens: 0, output_tokens: 1 },
      }
    : { choices: [{ message, finish_reason: "stop" }] };
}

export const requestOf = (
  messages: readonly Message[],
  extra: Record<string, unknown> = {},
): ProviderRequest => ({ model: "m", max_tokens: 100, messages, ...extra });

export interface Room {
  readonly tidemark: Tidemark;
  readonly events: TidemarkEvent[];
  /** A new process, as far as Tidemark can tell. */
  reopen(change?: Partial<Options>): Promise<Tidemark>;
  /** What tidemark.db holds, read once nothing writes to it. */
  inspect<T>(look: (history: VectorStorage) => Promise<T>): Promise<T>;
  readonly file: string;
}

const rooms: { close(): Promise<void>; directory: string }[] = [];

/** A workspace of its own, which goes away with the test. Its clock goes on by a second with every look. */
export async function openRoom(options: Partial<Options> = {}): Promise<Room> {
  const directory = mkdtempSync(join(tmpdir(), "tidemark-history-"));
  const events: TidemarkEvent[] = [];
  let time = Date.UTC(2026, 0, 1);
  const all = (change: Partial<Options>): Options => ({
    workspace: directory,
    distil: "extractive",
    cache: false,
    recall: false,
    window: { tokens: 1_000_000 },
    listen: (event) => events.push(event),
    now: () => (time += 1_000),
    ...options,
    ...change,
  });
  let tidemark = await openTidemark(all({}));
  const file = join(directory, ".tidemark", "tidemark.db");
  rooms.push({ directory, close: () => tidemark.close() });
  afterwards(leaveRooms);
  return {
    get tidemark() {
      return tidemark;
    },
    events,
    file,
    reopen: async (change = {}) => {
      await tidemark.close();
      tidemark = await openTidemark(all(change));
      return tidemark;
    },
    inspect: async (look) => {
      const history = openStorage(file);
      try {
        return await look(history);
      } finally {
        await history.close();
      }
    },
  };
}

/** Before the test has ended: for laws, which open many. */
export async function leaveRooms(): Promise<void> {
  for (const { close, directory } of rooms.splice(0)) {
    await close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** One call of a loop: the request, and the reply if there was one. */
export async function tell(
  tidemark: Tidemark,
  messages: readonly Message[],
  reply?: Message,
  options: BeginOptions & { request?: Record<string, unknown> } = {},
): Promise<Turn> {
  const { request, ...rest } = options;
  const turn = await tidemark.begin(requestOf(messages, request), rest);
  if (reply) await turn.end(asReply(reply, rest.format));
  return turn;
}

interface Play extends BeginOptions {
  /** It goes on with these, and adds to them. */
  readonly messages?: Message[];
  /** The user's contents, one a call; made from the call's number, as many as `until` or `turns` lets. */
  readonly calls: readonly unknown[] | ((call: number) => unknown);
  readonly turns?: number;
  /** The assistant's contents. */
  readonly reply?: (call: number) => unknown;
  readonly until?: (turn: Turn) => unknown;
  /** What is done behind a call is done before the next. */
  readonly idle?: boolean;
  /** What a request holds beside its messages. */
  readonly request?: Record<string, unknown>;
}

/** A chat loop: it says each of `calls`, hears `reply`, and keeps both; answers the last turn. */
export async function play(
  tidemark: Tidemark,
  { messages = [], calls, turns = 100, reply = () => "Noted.", until, idle, ...rest }: Play,
): Promise<Turn> {
  for (let call = 0; ; call += 1) {
    messages.push(user(typeof calls === "function" ? calls(call) : calls[call]));
    const answer = assistant(reply(call));
    const turn = await tell(tidemark, messages, answer, rest);
    messages.push(answer);
    if (idle) await tidemark.idle();
    if (until?.(turn) || call + 1 >= (typeof calls === "function" ? turns : calls.length))
      return turn;
  }
}

/** All conversations as they can be read, the latest first. */
export async function conversations(tidemark: Tidemark): Promise<Message[][]> {
  const listed = await tidemark.history.list();
  return Promise.all(
    listed.map(async ({ id }) => (await tidemark.history.read({ conversation: id })).messages),
  );
}

/** The messages as JSON would carry them to another process. */
export const copied = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** A distiller that answers well and remembers which tags ("«17»") stood in what it was asked to take facts from. */
export function countingDistiller(): { complete: Complete; seen: string[] } {
  const seen: string[] = [];
  const complete: Complete = ({ messages }) => {
    type Parts = { text: string }[];
    const asked = messages.at(-1) as { content?: string | Parts; parts: Parts };
    const said = asked.content ?? asked.parts;
    const content = typeof said === "string" ? said : said.at(-1)!.text;
    const [, first = 1, last = 0] =
      /^Range: messages (\d+) to (\d+)/m.exec(content)?.map(Number) ?? [];
    const from = Number(/^Facts: from messages (\d+) to/m.exec(content)?.[1] ?? last + 1);
    const parts = content.split(/^\[#(\d+) [^\]]*\]/m);
    const texts = new Map<number, string>();
    if (parts.length > 1)
      for (let at = 1; at < parts.length; at += 2)
        texts.set(Number(parts[at]), `${texts.get(Number(parts[at])) ?? ""}${parts[at + 1]}`);
    else
      messages.forEach((message, index) =>
        texts.set(index + 1, JSON.stringify(message).split("[tidemark] distil")[0]!),
      );
    for (let ordinal = Math.max(first, from); ordinal <= last; ordinal++)
      seen.push(...new Set((texts.get(ordinal) ?? "").match(/«\d+»/g) ?? []));
    return Promise.resolve({
      text: JSON.stringify({
        facts: [
          {
            content: `They reached message ${seen.at(-1) ?? "none"}.`,
            category: "daily",
            importance: 0.4,
            from: [last],
          },
        ],
        summary: "They counted boats.",
      }),
    });
  };
  return { complete, seen };
}
