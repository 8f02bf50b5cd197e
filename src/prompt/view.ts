import { type Dialect } from "../dialect/dialect.ts";
import { type Beside } from "../dialect/beside.ts";
import { bindsThinking } from "../dialect/thinking-mode.ts";
import { type Bounds, type Entry, type Fold, type Recalled } from "../model/history.ts";
import { type Message, type ProviderRequest } from "../model/request.ts";
import { type Binding } from "./binding.ts";
import { fitThinking } from "./loop-thinking.ts";
import { withRecalls } from "./recalled.ts";
import { shortened } from "./shorten.ts";

/** A request, where it stands in its session, and what the session wants done to it. */
export interface ViewInput {
  readonly dialect: Dialect;
  readonly request: ProviderRequest;
  /** How many leading messages are instructions. */
  readonly preamble: number;
  /** Position in the session of each message behind the preamble; -1 for a caller's own summary. */
  readonly positions: readonly number[];
  readonly entries: readonly Entry[];
  /** Digest of the thinking in each message behind the preamble; left out where it is as archived. */
  readonly thoughts?: readonly (string | undefined)[];
  readonly fold?: Fold;
  /** The sections after the caller's system text; "" for none. */
  readonly frozen: string;
  readonly bounds: Readonly<Record<string, Bounds>>;
  /** Names the session in the reference a shortened text leaves behind. */
  readonly session: string;
  /** What was recalled, by position, and the best way the model takes it. */
  readonly recalled?: Readonly<Record<string, Recalled>>;
  readonly beside?: Beside;
}

/** The request as it will be sent, cache marks aside. */
export interface View {
  readonly request: ProviderRequest;
  /** How many conversation messages the fold's summary stands for. */
  readonly replaced: number;
  /** Where the kept conversation begins in `request.messages`. */
  readonly offset: number;
  /** Messages whose thinking was left out because it is bound to another prefix. */
  readonly unbound: number;
  /** Conversation messages that something recalled goes with, in order. */
  readonly recalls: readonly number[];
  /** Those of them behind which it stands as a message of its own. */
  readonly inserted: readonly number[];
}

/** Where a kept message of the conversation stands in `request.messages`. */
export const placeIn = ({ offset, replaced, inserted }: Pick<View, "offset" | "replaced" | "inserted">, index: number): number =>
  offset + index - replaced + (inserted.length === 0 ? 0 : inserted.filter((before) => before < index).length);

/** How many leading messages of the request the fold covers. */
export function coveredBy(fold: Fold | undefined, positions: readonly number[]): number {
  if (!fold) return 0;
  return positions.findLastIndex((position) => position >= 0 && position < fold.upTo) + 1;
}

/** Puts a request together (design §5.7). Unchanged parts keep their identity; nothing given is changed. */
export function assemble(input: ViewInput, binding: Binding): View {
  const { dialect, request, preamble, fold } = input;
  const replaced = coveredBy(fold, input.positions);
  const instructions = request.messages.slice(0, preamble);
  const kept = request.messages.slice(preamble + replaced).map((message, index) => shortenAt(input, message, replaced + index));
  const summary = fold ? [dialect.userMessage(fold.text)] : [];
  const shown = withRecalls(input, kept, replaced);
  const same = !fold && shown.recalls.length === 0 && kept.every((message, index) => message === request.messages[preamble + index]);
  const messages = same ? request.messages : [...instructions, ...summary, ...shown.messages];
  const whole = dialect.appendSystem(same ? request : { ...request, messages }, input.frozen);
  // Where the preamble holds the instructions, ours stands with them.
  const offset = preamble + summary.length + (whole.messages.length - messages.length);
  return settle({ ...input, replaced, offset, shown }, whole, binding);
}

function shortenAt({ dialect, positions, bounds, session }: ViewInput, message: Message, index: number): Message {
  const position = positions[index] ?? -1;
  const bound = bounds[String(position)];
  return bound === undefined ? message : shortened(dialect, message, { bound, reference: `${session} #${position}` });
}

type Shown = ReturnType<typeof withRecalls>;

/** Leaves out thinking that is bound to another prefix than the one it would be sent behind (design §6). */
function settle(input: ViewInput & { replaced: number; offset: number; shown: Shown }, request: ProviderRequest, binding: Binding): View {
  const { dialect, offset, replaced, shown } = input;
  const plain: View = { request, replaced, offset, unbound: 0, recalls: shown.recalls, inserted: shown.inserted };
  const fitting = (made: ProviderRequest): ProviderRequest => fitThinking(dialect, made, made.messages.slice(offset));
  const last = request.messages.findLastIndex((message) => dialect.thinks(message));
  if (last < offset || !bindsThinking(request)) return input.fold ? { ...plain, request: fitting(request) } : plain;

  // Of each message behind the offset, its place in the conversation; -1 for one that holds what was recalled.
  const { indexes } = shown;
  let untouched = request.system === input.request.system && offset === input.preamble && !input.fold;
  let running: string | undefined;
  let unbound = 0;
  const messages: Message[] = [];
  for (const [place, message] of request.messages.entries()) {
    if (place > last) {
      messages.push(message);
      continue;
    }
    running ??= binding.head(dialect, request);
    let sent = message;
    const at = place < offset ? -1 : (indexes[place - offset] ?? -1);
    if (dialect.thinks(message)) {
      const entry = input.entries[input.positions[at] ?? -1];
      // A reply we archived is held to the prefix we sent; any other was made behind what the caller now sends. The same
      // words with other thoughts are a reply of another call: what it was bound to is not known here.
      const alike = input.thoughts === undefined || input.thoughts[at] === entry?.thought;
      const bound = entry?.prefix === undefined ? untouched : alike && entry.prefix === running;
      if (!bound) {
        sent = dialect.withoutThinking(message);
        unbound++;
      }
    }
    const given = input.request.messages[place < offset ? place : input.preamble + at];
    if ((place >= offset && at < 0) || sent !== given) untouched = false;
    messages.push(sent);
    running = binding.next(dialect, running, sent);
  }
  const settled = unbound === 0 ? request : { ...request, messages };
  return unbound === 0 && !input.fold ? plain : { ...plain, request: fitting(settled), unbound };
}
