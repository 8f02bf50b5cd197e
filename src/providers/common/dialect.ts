import { asDict, asText, type Dict, dicts, isDict } from "../../core/base.ts";
import type { Placement } from "../../core/turns.ts";
import type { Capabilities, Format, Message, ProviderRequest, Usage } from "../../core/request.ts";

/** Providers define content four deep; in what they do not define, recursion ends here. */
export const DEPTH = 200;

const NOTHING: readonly Dict[] = [];

const asBlock = (item: unknown): Dict => {
  if (isDict(item)) return item;
  return typeof item === "string" ? { type: "text", text: item } : { type: "", value: item };
};

/** Any JSON value as a message, so that no reading can throw. */
export const asMessage = (value: unknown): Dict => (isDict(value) ? value : { content: value });

/** Content as a list: a string is one text block, nothing and "" are none. */
export function itemsOf(content: unknown): readonly unknown[] {
  if (typeof content === "string")
    return content === "" ? NOTHING : [{ type: "text", text: content }];
  if (content === null || content === undefined) return NOTHING;
  return Array.isArray(content) ? content : [content];
}

/** Content as blocks: what is no block is wrapped as one. */
export function blocksOf(content: unknown): readonly Dict[] {
  const items = itemsOf(content);
  return items.every(isDict) ? items : items.map(asBlock);
}

/** How many messages before the first of another voice are the system's. */
export function leadingSystem(messages: readonly Message[]): number {
  const end = messages.findIndex((message) => asMessage(message).role !== "system");
  return end < 0 ? messages.length : end;
}

/** The texts that say something, each on a line of its own. */
export const lines = (texts: readonly string[]): string =>
  texts.filter((text) => text !== "").join("\n");

/** True when a provider would refuse it as the text of a block. */
export const isBlank = (text: string): boolean => text.trim() === "";

/** `items` through `change`, or the same array when nothing changed. */
export function mapKeeping<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  const next = items.map(change);
  return next.every((item, at) => item === items[at]) ? items : next;
}

/** `dict` with one member set, or itself when the member is that already. */
export const withMember = <T extends Dict>(dict: T, name: string, value: unknown): T =>
  dict[name] === value ? dict : { ...dict, [name]: value };

/** A text, shorter. */
export type Cut = (text: string) => string;

/**
 * A member that is a text or a list of blocks, changed; `holder` itself when nothing is, or when it
 * has no members.
 */
export function mapWithin<T>(holder: T, name: string, text: Cut, block: (block: Dict) => Dict): T {
  if (!isDict(holder)) return holder;
  const member = holder[name];
  if (typeof member === "string") return withMember(holder, name, text(member));
  const blocks = (item: unknown): unknown => (isDict(item) ? block(item) : item);
  return Array.isArray(member) ? withMember(holder, name, mapKeeping(member, blocks)) : holder;
}

export const same = <T>(value: T): T => value;

/** A cut that leaves nothing would make an empty block of a text; then the text stays. */
export const cutting =
  (cut: Cut): Cut =>
  (text) => {
    const shorter = text === "" ? text : cut(text);
    return isBlank(shorter) ? text : shorter;
  };

/** Whether the model may call a tool of this name. */
export const offersTool = ({ tools }: ProviderRequest, name: string): boolean =>
  dicts(tools)
    .flatMap((tool) => [tool.function, ...dicts(tool.functionDeclarations), tool])
    .some((tool) => isDict(tool) && tool.name === name);

/**
 * Members whose inside is the model's or the caller's, where `cache_control` would be a word like
 * any other.
 */
export const OPAQUE = new Set(["input", "arguments", "input_schema", "parameters"]);

/**
 * "tool": a message that answers calls and holds no word of the user's. "system": developer and
 * mid-conversation system too.
 */
export type Speaker = "user" | "assistant" | "tool" | "system";

/**
 * A tool call the message opens. `server`: the provider runs it and answers within the same or the
 * next assistant message.
 */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly server: boolean;
}

/** An answer to a call. `text` is what a person would read of it. */
export interface Result {
  readonly id: string;
  readonly text: string;
  readonly failed: boolean;
  readonly server: boolean;
}

/**
 * What the counter weighs: text by a scan, media by its measure, never by its base64 length. A
 * document of type text/plain with `data` is text only the provider can read (encrypted pages,
 * hidden thinking).
 */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image" | "document"; readonly data?: string; readonly mediaType?: string };

/** Prompt caching by marks in the request. */
export interface CacheMarks {
  /** It is sure that the provider takes marks of ours. */
  readonly ours: boolean;
  /** The request with breakpoints of ours. */
  mark(request: ProviderRequest, tokens: number, hints?: CacheHints): ProviderRequest;
  /**
   * A request that ends otherwise than its caller's, without an automatic mark that would be
   * refused there.
   */
  fit(request: ProviderRequest): ProviderRequest;
  /** ms the provider keeps the conversation after its last use; undefined without any mark. */
  lifetime(request: ProviderRequest): number | undefined;
}

export interface CacheHints {
  /** A mark on a prompt smaller than the model caches does nothing. */
  readonly least?: number;
  /**
   * Tokens of the system text and the tools: fewer than `least` are no prefix that can be cached by
   * itself, so the system text keeps the form it came in, in every call alike. Thinking can be
   * bound to its bytes.
   */
  readonly head?: number;
  /**
   * The last block of the system text, where it is ours: other conversations, and the next epoch,
   * have another one there.
   */
  readonly ours?: string;
}

/** How what was recalled goes into a conversation as a message of its own. */
interface RecallAside {
  /** The best way a request's model takes. `sends`: can a header name this beta. */
  best(
    request: ProviderRequest,
    given: {
      can: Pick<Capabilities, "midConversationSystem" | "clearAt">;
      sends: (beta: string) => boolean;
    },
  ): Placement;
  /** The words as a message of the system's. */
  message(text: string, as: Exclude<Placement, "text">): Message;
  /** May such a message stand before this one; undefined for the conversation's end. */
  mayPrecede(next: Message | undefined): boolean;
}

/** A request whose messages lie elsewhere, or in another form, than in `messages`. */
interface Envelope {
  /** Its messages as `messages`, its system text as `system`, all else as it is. */
  open(given: Dict): ProviderRequest;
  /**
   * As the provider takes it; `opened`: what `given` was opened to, so that messages which are
   * still those need not be written anew.
   */
  close(given: Dict, request: ProviderRequest, opened?: ProviderRequest): Dict;
}

export interface Reply {
  /** As the caller will send it back. */
  readonly message: Message;
  /** Usage of its last sampling: the size of the request. */
  readonly usage?: Usage;
  /** All that was paid for, where that was more than one sampling. */
  readonly billed?: Usage;
  readonly stop?: string;
  /** Something of its stream could not be put together, and was left out. */
  readonly partial?: boolean;
}

/**
 * A lens on provider-native messages: it reads them where they stand and never converts them. All
 * members are pure, take any JSON (unknown blocks of tomorrow included) and never throw; what
 * builds a message returns a new one and leaves the given one alone.
 */
export interface Dialect {
  readonly format: Format;
  /** The provider, as traces name it. */
  readonly provider: string;
  /** Messages of one voice in a row are one turn, and one message may come in pieces. */
  readonly joinsTurns?: true;
  /** A system message behind the user's must be answered by the assistant. */
  readonly systemNeedsReply?: true;
  /** Left out where a request holds its messages as `messages`. */
  readonly envelope?: Envelope;
  /** Why a request does not hold its whole history, for people; left out where each does. */
  held?(request: Dict): string | undefined;
  /** Left out where the provider caches by itself. */
  readonly marks?: CacheMarks;
  /** The message with a text behind all it holds. */
  withText(message: Message, text: string): Message;
  /** Left out where no system message may stand among the others. */
  readonly aside?: RecallAside;

  speaker(message: Message): Speaker;
  /**
   * Words of the conversation: no thinking, no call inputs, no results. Blocks joined by a newline.
   */
  text(message: Message): string;
  /** Texts of documents and files in a user's message; "" for one only the provider can read. */
  handed(message: Message): readonly string[];
  calls(message: Message): readonly Call[];
  results(message: Message): readonly Result[];
  /** All that costs tokens, in order: texts, call inputs as JSON, results, thinking, media. */
  pieces(message: Message): readonly Piece[];
  /**
   * Holds thinking a provider may bind to what stood before it: Anthropic's, and OpenAI-style
   * `reasoning_details`.
   */
  thinks(message: Message): boolean;
  /**
   * Digest (hex) of all that makes the message at `index` this message, read against what stands
   * before it: equal for string and block form, rewritten ids, moved cache marks.
   */
  canon(messages: readonly Message[], index: number): string;
  /**
   * May a history start here, behind a summary: no result whose call stands before, not a
   * mid-conversation system message, no half of a server tool's pair.
   */
  opensTail(messages: readonly Message[], index: number): boolean;

  /** Tokens of the request's head, as pieces. */
  overhead(request: ProviderRequest): readonly Piece[];
  /**
   * How many leading messages the provider no longer reads, because a summary of its own stands
   * behind them; left out where none can.
   */
  unread?(messages: readonly Message[]): number;
  /**
   * How many leading messages are instructions, not conversation (OpenAI system and developer; 0
   * for Anthropic).
   */
  preamble(messages: readonly Message[]): number;
  /**
   * The request with `text` standing after the caller's own system text, byte-stable; same
   * reference when `text` is "".
   */
  appendSystem(request: ProviderRequest, text: string): ProviderRequest;
  userMessage(text: string): Message;
  withoutThinking(message: Message): Message;
  /**
   * The message with every text in its results replaced by `cut(text, id)`; a cut that leaves
   * nothing is not made. Ids, errors, order, media and what a server tool answered stay. Same
   * reference when nothing changed.
   */
  shortenResults(message: Message, cut: (text: string, id: string) => string): Message;
  /**
   * Likewise for every plain text outside results, documents of the client's own that are text
   * among them.
   */
  shortenTexts(message: Message, cut: Cut): Message;
  /**
   * Likewise for what the client's tools were called with: strings within the input, and where that
   * is not enough the input as a whole. The input stays of the form the provider wants.
   */
  shortenInputs(message: Message, cut: Cut): Message;
  /** The message with `note` in place of each picture, document and page given by the client. */
  withoutMedia(message: Message, note: string): Message;
  /** Reads a provider's answer; undefined for anything else. */
  reply(reply: unknown): Reply | undefined;
}

export function isEmptyText(block: unknown): boolean {
  const { type, text } = asDict(block);
  return type === "text" && isBlank(asText(text));
}

export const userMessage = (text: string): Message => ({ role: "user", content: text });

export const isThinking = (block: Dict): boolean =>
  block.type === "thinking" || block.type === "redacted_thinking";
