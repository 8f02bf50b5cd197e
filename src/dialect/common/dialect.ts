import type { Capabilities, Format, Message, ProviderRequest } from "../../model/request.ts";
import type { Placement } from "../../model/history.ts";
import type { Usage } from "../../model/ports.ts";
import type { Cut } from "./reading.ts";

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

/** A provider's ways with a request beyond reading its form. */
interface Traits {
  /** As traces name it. */
  readonly provider: string;
  /** Messages of one voice in a row are one turn, and one message may come in pieces. */
  readonly joinsTurns: boolean;
  /** A system message behind the user's must be answered by the assistant. */
  readonly systemNeedsReply: boolean;
  /** A person sets this where a local server's window is too small. */
  readonly windowSetting: string;
}

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
  /** Nothing tells whose the request is: nothing is added that only one maker knows. */
  readonly plain?: true;
  readonly traits: Traits;
  /** Left out where the provider caches by itself. */
  readonly marks?: CacheMarks;
  readonly recall: {
    /** The message with a text behind all it holds. */
    withText(message: Message, text: string): Message;
    /** Left out where no system message may stand among the others. */
    readonly aside?: RecallAside;
  };

  speaker(message: Message): Speaker;
  /**
   * Words of the conversation: no thinking, no call inputs, no results. Blocks joined by a newline.
   */
  text(message: Message): string;
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

  /** The members of a request, beside `messages`, that a model reads: system text and tools. */
  readonly head: readonly string[];
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
  /** The message without `cache_control` anywhere; same reference when there was none. */
  withoutCacheMarks(message: Message): Message;
  /**
   * A message, or `{ system, tools }`, as the model is shown it: equal text for all forms that the
   * provider holds equal.
   */
  shown(part: unknown): string;
  /** Reads a provider's answer; undefined for anything else. */
  reply(reply: unknown): Reply | undefined;
}
