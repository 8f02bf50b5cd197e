import type { Bounds, Fold } from "../core/history.ts";
import type { Message, ProviderRequest } from "../core/request.ts";
import { digest, head, tail } from "../core/text/cut.ts";
import { createSeen } from "../core/tokens/message-cache.ts";
import { blocksOf, type Dialect } from "../providers/common/dialect.ts";
import { loose } from "../providers/common/pieces.ts";
import { fitThinking } from "../providers/common/seams-and-thinking.ts";
import { type SessionRequest, withRecalls } from "./recalled-text.ts";

/**
 * What thinking is bound to that no model bound to anything: a model that binds refuses it wherever
 * it stands.
 */
export const TO_NOTHING = digest("bound to nothing");

const seen = createSeen<string>();

/**
 * Digest of a request's system text and tools as sent, and of each message behind it. Thinking is
 * bound by the provider to the system text, the tools and every message before it: equal digests
 * mean that a block may be sent again. What the provider holds equal has equal digests, because
 * callers move their cache marks, and a marked text is a block where it was a string. A digest of
 * another version equals none of these.
 */
const headOf = ({ system, tools }: ProviderRequest): string =>
  digest("head", loose({ system: blocksOf(system), tools }));
const behind = (prefix: string, message: Message): string =>
  digest(
    prefix,
    seen.of(message, () => digest(loose(message))),
  );

/** Digests of the prefix before a message, for one message after another. */
export function prefixesOf(request: ProviderRequest): (index: number) => string {
  const made: string[] = [];
  return (index) => {
    if (made.length === 0) made.push(headOf(request));
    for (const message of request.messages.slice(made.length - 1, index))
      made.push(behind(made.at(-1) ?? "", message));
    return made[index] ?? "";
  };
}

/** A reply to the request is bound to this. */
export const prefixOf = (request: ProviderRequest): string =>
  request.messages.reduce(behind, headOf(request));

/** A request, where it stands in its session, and what the session wants done to it. */
interface ViewInput extends SessionRequest {
  /** How many leading messages are instructions. */
  readonly preamble: number;
  /** Digest of the thinking in a message behind the preamble; left out where it is as archived. */
  readonly thought?: (index: number) => string | undefined;
  readonly fold?: Fold;
  /** The model refuses thinking that does not hold where it stands now. */
  readonly binds: boolean;
  /** Thinking before this entry was refused once, and goes out no more. */
  readonly refusedUpTo: number;
  /** The sections after the caller's system text; "" for none. */
  readonly frozen: string;
  /** They stand in the user's first message instead. */
  readonly injectAs?: "system" | "user" | undefined;
  readonly bounds: Readonly<Record<string, Bounds>>;
  /**
   * Names the session in the reference a shortened text leaves behind; "" where there is no whole
   * to refer to.
   */
  readonly session: string;
}

/** The request as it will be sent, cache marks aside. */
export interface View {
  readonly request: ProviderRequest;
  /** How many conversation messages the fold's summary stands for. */
  readonly replaced: number;
  /** Index in `request.messages` at which the kept conversation begins. */
  readonly offset: number;
  /** Messages whose thinking was left out because it is bound to another prefix. */
  readonly unbound: number;
  /** Conversation messages that something recalled goes with, in order. */
  readonly recalls: readonly number[];
  /** Those of them behind which it stands as a message of its own. */
  readonly inserted: readonly number[];
}

/** The index in `request.messages` of a kept message of the conversation. */
export const placeIn = (
  { offset, replaced, inserted }: Pick<View, "offset" | "replaced" | "inserted">,
  index: number,
): number =>
  offset +
  index -
  replaced +
  (inserted.length === 0 ? 0 : inserted.filter((before) => before < index).length);

/** Puts a request together. Unchanged parts keep their identity; nothing given is changed. */
export function assemble(input: ViewInput): View {
  const { dialect, request, preamble, positions, fold } = input;
  const replaced = fold
    ? positions.findLastIndex((position) => position >= 0 && position < fold.upTo) + 1
    : 0;
  const left =
    preamble + replaced === 0 ? request.messages : request.messages.slice(preamble + replaced);
  const kept =
    Object.keys(input.bounds).length === 0
      ? left
      : left.map((message, index) => shortenAt(input, message, replaced + index));
  const summary = fold ? [dialect.userMessage(fold.text)] : [];
  const { messages: talk, indexAt, recalls, inserted } = withRecalls(input, kept, replaced);
  const sent = [...summary, ...talk];
  const asUser = input.injectAs === "user" && input.frozen !== "";
  const first = asUser ? sent.findIndex((message) => dialect.speaker(message) === "user") : -1;
  const same =
    !fold &&
    recalls.length === 0 &&
    first < 0 &&
    (kept === left || kept.every((message, index) => message === left[index]));
  const told = sent.map((message, at) =>
    at === first ? dialect.withText(message, input.frozen) : message,
  );
  const messages = same ? request.messages : [...request.messages.slice(0, preamble), ...told];
  const whole = dialect.appendSystem(
    same ? request : { ...request, messages },
    first < 0 ? input.frozen : "",
  );
  // A preamble that holds the instructions holds ours, too.
  const offset = preamble + summary.length + (whole.messages.length - messages.length);
  // A block behind the caller's last one takes the caller's automatic mark from it.
  const made = same ? whole : (dialect.marks?.fit(whole) ?? whole);
  return {
    ...settle(input, made, { offset, indexAt }),
    ...{ replaced, offset, recalls, inserted },
  };
}

function shortenAt(
  { dialect, positions, bounds, session }: ViewInput,
  message: Message,
  index: number,
): Message {
  const position = positions[index] ?? -1;
  const bound = bounds[String(position)];
  return bound === undefined
    ? message
    : shortened(dialect, message, bound, session && `${session} #${position}`);
}

interface TalkPlace extends Pick<View, "offset"> {
  /**
   * Of each message behind the offset, its place in the conversation; -1 for one that holds what
   * was recalled.
   */
  readonly indexAt: (place: number) => number;
}

/** Sends thinking on only where it is bound to what now stands before it. */
function settle(
  input: ViewInput,
  request: ProviderRequest,
  { offset, indexAt }: TalkPlace,
): Pick<View, "request" | "unbound"> {
  const { dialect, request: given, preamble, binds, refusedUpTo } = input;
  const folded = input.fold !== undefined;
  const last =
    binds || refusedUpTo > 0
      ? request.messages.findLastIndex((message) => dialect.thinks(message))
      : -1;
  if (last < offset)
    return { request: folded ? fitThinking(dialect, request) : request, unbound: 0 };

  let untouched = request.system === given.system && offset === preamble && !folded;
  let before = headOf(request);
  let left = 0;
  // Pieces of one reply are bound to what stood before the first of them.
  let reply = { position: -1, prefix: "" };
  const messages: Message[] = [];
  for (const [place, message] of request.messages.entries()) {
    if (place > last) {
      messages.push(message);
      continue;
    }
    let sent = message;
    const at = place < offset ? -1 : indexAt(place - offset);
    const position = input.positions[at] ?? -1;
    if (position < 0 || position !== reply.position) reply = { position, prefix: before };
    if (dialect.thinks(message)) {
      const entry = input.entries[position];
      // A reply we archived is held to the prefix we sent; any other was made behind what the
      // caller now sends. The same words with other thoughts are a reply of another call: what it
      // was bound to is not known here.
      const alike = input.thought === undefined || input.thought(at) === entry?.thought;
      const bound =
        position >= refusedUpTo &&
        (!binds ||
          (entry?.prefix === undefined ? untouched : alike && entry.prefix === reply.prefix));
      if (!bound) {
        sent = dialect.withoutThinking(message);
        left++;
      }
    }
    const own = given.messages[place < offset ? place : preamble + at];
    if ((place >= offset && at < 0) || sent !== own) untouched = false;
    messages.push(sent);
    before = behind(before, sent);
  }
  const settled = left === 0 ? request : { ...request, messages };
  return {
    request: left === 0 && !folded ? settled : fitThinking(dialect, settled),
    unbound: left,
  };
}

/** The beginning says what it is, the end how it came out: errors stand last. */
const HEAD_SHARE = 0.6;

/** In a text shorter than this the note would be longer than what it speaks of. */
const WORTH_A_NOTE = 100;

const GAP = " […] ";

/** A reference to the whole; "" for a text that is not kept. */
const whereabouts = (reference: string): string =>
  reference === "" ? "" : `; whole in the history: ${reference}`;

/** The middle of a long text left out, with where to find the whole: "" for nowhere. */
export function middleOut(text: string, max: number, reference: string): string {
  if (text.length <= max) return text;
  const note =
    max < WORTH_A_NOTE
      ? GAP
      : `\n[… ${text.length - max} characters left out${whereabouts(reference)} …]\n`;
  if (text.length <= max + note.length) return text;
  const first = head(text, Math.ceil(max * HEAD_SHARE));
  return `${first}${note}${tail(text, max - first.length)}`;
}

export function shortened(
  dialect: Dialect,
  message: Message,
  { results, texts, inputs, media }: Bounds,
  reference: string,
): Message {
  let made = message;
  if (results !== undefined) made = shortResults(dialect, made, results, reference);
  if (texts !== undefined)
    made = dialect.shortenTexts(made, (text) => middleOut(text, texts, reference));
  if (inputs !== undefined)
    made = dialect.shortenInputs(made, (text) => middleOut(text, inputs, reference));
  if (media !== undefined)
    made = dialect.withoutMedia(made, `(left out here${whereabouts(reference)})`);
  return made;
}

/** A result may be of many texts: together they keep to the bound, each in proportion. */
function shortResults(
  dialect: Dialect,
  message: Message,
  most: number,
  reference: string,
): Message {
  const whole = new Map<string, number>();
  dialect.shortenResults(message, (text, id) => {
    whole.set(id, (whole.get(id) ?? 0) + text.length);
    return text;
  });
  return dialect.shortenResults(message, (text, id) => {
    const share = Math.ceil((most * text.length) / Math.max(1, whole.get(id) ?? 0));
    if (share >= text.length) return text;
    return share < GAP.length ? GAP.trim() : middleOut(text, share, reference);
  });
}
