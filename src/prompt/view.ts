import { defined } from "../base/guards.ts";
import { type Dialect } from "../dialect/common/dialect.ts";
import { type Beside } from "../dialect/beside.ts";
import {
  type Bounds,
  type Entry,
  type Fold,
  type Recalled,
  type Signed,
} from "../model/history.ts";
import { type Message, type ProviderRequest } from "../model/request.ts";
import { type Binding } from "./binding.ts";
import { withRecalls } from "./recalled.ts";
import { settle, type ThinkingRule } from "./settle.ts";
import { shortened } from "./summary.ts";

/** A request, where it stands in its session, and what the session wants done to it. */
interface ViewInput {
  readonly dialect: Dialect;
  readonly request: ProviderRequest;
  /** How many leading messages are instructions. */
  readonly preamble: number;
  /** Position in the session of each message behind the preamble; -1 for a caller's own summary. */
  readonly positions: readonly number[];
  readonly entries: readonly Entry[];
  /** Digest of the thinking in a message behind the preamble; left out where it is as archived. */
  readonly thought?: (index: number) => string | undefined;
  readonly fold?: Fold;
  readonly thinking: ThinkingRule;
  /** May the fold stand as the summary the provider signed, where it has one. */
  readonly signs: boolean;
  /** The sections after the caller's system text; "" for none. */
  readonly frozen: string;
  readonly bounds: Readonly<Record<string, Bounds>>;
  /** Names the session in the reference a shortened text leaves behind; "" where there is no whole to refer to. */
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
  /** The provider's own summary, where the fold stands as that. */
  readonly signed?: Signed;
  /** Conversation messages that something recalled goes with, in order. */
  readonly recalls: readonly number[];
  /** Those of them behind which it stands as a message of its own. */
  readonly inserted: readonly number[];
}

/** Where a kept message of the conversation stands in `request.messages`. */
export const placeIn = (
  { offset, replaced, inserted }: Pick<View, "offset" | "replaced" | "inserted">,
  index: number,
): number =>
  offset +
  index -
  replaced +
  (inserted.length === 0 ? 0 : inserted.filter((before) => before < index).length);

/** How many leading messages of the request the fold covers. */
function coveredBy(fold: Fold | undefined, positions: readonly number[]): number {
  if (!fold) return 0;
  return positions.findLastIndex((position) => position >= 0 && position < fold.upTo) + 1;
}

/** Puts a request together (design §5.7). Unchanged parts keep their identity; nothing given is changed. */
export function assemble(input: ViewInput, binding: Binding): View {
  const { dialect, request, preamble, fold } = input;
  const replaced = coveredBy(fold, input.positions);
  const left =
    preamble + replaced === 0 ? request.messages : request.messages.slice(preamble + replaced);
  const kept =
    Object.keys(input.bounds).length === 0
      ? left
      : left.map((message, index) => shortenAt(input, message, replaced + index));
  const signed = input.signs ? fold?.signed : undefined;
  const summary = fold ? [signed?.message ?? dialect.userMessage(fold.text)] : [];
  const shown = withRecalls(input, kept, replaced);
  const same =
    !fold &&
    shown.recalls.length === 0 &&
    (kept === left || kept.every((message, index) => message === left[index]));
  const messages = same
    ? request.messages
    : [...request.messages.slice(0, preamble), ...summary, ...shown.messages];
  const whole = dialect.appendSystem(same ? request : { ...request, messages }, input.frozen);
  // Where the preamble holds the instructions, ours stands with them.
  const offset = preamble + summary.length + (whole.messages.length - messages.length);
  const { positions, entries, thought, thinking: rule } = input;
  const settling = {
    dialect,
    given: request,
    preamble,
    positions,
    entries,
    ...defined({ thought }),
    indexAt: shown.indexAt,
    offset,
    folded: fold !== undefined,
    ...defined({ signed }),
    rule,
  };
  // What stands behind the caller's last block takes the caller's automatic mark from it.
  const settled = settle(settling, same ? whole : (dialect.marks?.fit(whole) ?? whole), binding);
  return {
    ...settled,
    ...defined({ signed }),
    replaced,
    offset,
    recalls: shown.recalls,
    inserted: shown.inserted,
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
    : shortened(dialect, message, {
        bound,
        reference: session === "" ? "" : `${session} #${position}`,
      });
}
