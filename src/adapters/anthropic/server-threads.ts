import { asDict, defined, type Dict, isDict } from "../../base/guards.ts";
import type { Internals } from "../../engine/options/internals.ts";
import type { Turn } from "../../engine/options/types.ts";
import type { Message, ProviderRequest } from "../../model/request.ts";
import { lru } from "../../base/cache.ts";
import { type ApiCall, withBody, watched } from "./call-body.ts";
import type { Capable } from "./ask-provider.ts";

const UNFOLDED =
  "the server holds its messages, so nothing of it is folded: use toolRunner({ thread: " +
  "false }) or messages.create";

/**
 * Requests of a thread whose beginning was not seen, or that ask the server for a fold of its own:
 * why they pass as they are.
 */
export function passReason({ thread, compaction }: Dict): string | undefined {
  if ((thread ?? undefined) !== undefined)
    return `this thread began where Tidemark was not; ${UNFOLDED}`;
  return (compaction ?? undefined) === undefined
    ? undefined
    : "the request asks the server for a compaction";
}

/** Threads whose requests came through here, each by the reply it goes on from. */
const THREADS = 256;

/**
 * What a thread was created with and cannot change, what its caller was told of it, and its
 * messages so far.
 */
interface KnownThread {
  readonly head: Dict;
  readonly told: { window: boolean };
  readonly messages: readonly Message[];
}

/** A request of a thread that the server holds, as the whole conversation it stands for. */
interface Threaded extends Pick<KnownThread, "told"> {
  readonly whole: ProviderRequest;
  /** With its first request the system text may be another; later ones cannot change it. */
  readonly creates: boolean;
  /** With the reply's id the thread goes on. */
  answered(reply: unknown): void;
}

/** Follows threads held by the server; undefined for one whose beginning came by another way. */
export function createThreads(): (body: ProviderRequest) => Threaded | undefined {
  const known = lru<string, KnownThread>(THREADS);
  return (body) => {
    const { thread, ...bare } = body;
    if (!isDict(thread)) return undefined;
    const creates = thread.type === "create";
    const { system, tools } = body;
    const before: KnownThread | undefined = creates
      ? { head: defined({ system, tools }), told: { window: false }, messages: [] }
      : known.get(String(thread.previous_message_id));
    if (before === undefined) return undefined;
    const { head, told } = before;
    const messages = [...before.messages, ...body.messages];
    return {
      whole: { ...bare, ...head, messages },
      creates,
      told,
      answered(reply) {
        const { id, content } = asDict(reply);
        if (typeof id === "string" && Array.isArray(content))
          known.set(id, { head, told, messages: [...messages, { role: "assistant", content }] });
      },
    };
  };
}

/**
 * The end of what was made that stands for these messages, with what was put between and behind
 * them.
 */
function newest(made: readonly Message[], own: readonly Message[]): Message[] {
  // Notes of ours are system messages; where the caller has some of its own, nothing tells which
  // are whose.
  if (own.length === 0 || own.some(({ role }) => role === "system")) return [...own];
  let left = own.length;
  let at = made.length;
  while (left > 0 && at > 0) if (made[(at -= 1)]?.role !== "system") left -= 1;
  return made.slice(at);
}

/**
 * The server keeps what was said: memory goes along where a thread can take it, replies are kept,
 * its window is watched.
 */
export async function overThread(
  thread: Threaded,
  { request, body, send, context }: ApiCall,
  { home, capable, turn: opened }: { home: Internals; capable: Capable; turn: Promise<Turn> },
): Promise<Response> {
  const turn = await opened;
  if (thread.creates)
    home.emit({
      type: "passed",
      reason: `this thread is remembered and its window watched, but ${UNFOLDED}`,
    });
  if (turn.window.mark !== "below" && !thread.told.window) {
    thread.told.window = true;
    const { used, limit } = turn.window;
    home.emit({
      type: "notice",
      about: "thread-window",
      text:
        `A thread that the server holds takes about ${used} of ${limit} tokens and cannot ` +
        "be folded: soon the provider refuses it. Use toolRunner({ thread: false }).",
    });
  }
  const { system, messages } = turn.request;
  // A thread takes the system text with its first request, and then only the messages that are new.
  const made = {
    ...body,
    ...(thread.creates && defined({ system })),
    messages: newest(messages, body.messages),
  };
  const sent = turn.request === thread.whole ? request : withBody(request, made, capable);
  const end = async (reply: unknown): Promise<void> => {
    thread.answered(reply);
    await turn.end(reply);
  };
  return watched(await send(sent), { end }, context);
}
