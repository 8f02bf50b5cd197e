import { type Dialect } from "../dialect/common/dialect.ts";
import { dropsBlocks, fitThinking } from "../dialect/thinking.ts";
import { type Entry, type Signed } from "../model/history.ts";
import { type Message, type ProviderRequest } from "../model/request.ts";
import { type Binding } from "./binding.ts";

/** What is done with thinking that may not hold where it stands now. */
export interface ThinkingRule {
  /** The model refuses it there. */
  readonly binds: boolean;
  /** The provider is asked to drop it rather than refuse the request; else it is left out. */
  readonly drops: boolean;
  /** Thinking before this entry was refused once, and goes out no more. */
  readonly refusedUpTo: number;
}

interface Input {
  readonly dialect: Dialect;
  /** The caller's request, before anything of ours. */
  readonly given: ProviderRequest;
  readonly preamble: number;
  readonly positions: readonly number[];
  readonly entries: readonly Entry[];
  readonly thought?: (index: number) => string | undefined;
  /** Of each message behind the offset, its place in the conversation; -1 for one that holds what was recalled. */
  readonly indexAt: (place: number) => number;
  readonly offset: number;
  readonly folded: boolean;
  /** The summary before the offset is this one. */
  readonly signed?: Signed;
  readonly rule: ThinkingRule;
}

/** Sends thinking on only where it is bound to what now stands before it (design §6). */
export function settle(
  input: Input,
  request: ProviderRequest,
  binding: Binding,
): { request: ProviderRequest; unbound: number } {
  const { dialect, offset, indexAt, rule, folded, signed } = input;
  const last =
    rule.binds || rule.refusedUpTo > 0
      ? request.messages.findLastIndex((message) => dialect.thinks(message))
      : -1;
  if (last < offset)
    return { request: folded ? fitThinking(dialect, request) : request, unbound: 0 };

  let untouched = request.system === input.given.system && offset === input.preamble && !folded;
  const chain = binding.chain(dialect, request);
  let left = 0;
  let dropped = 0;
  const messages: Message[] = [];
  for (const [place, message] of request.messages.entries()) {
    if (place > last) {
      messages.push(message);
      continue;
    }
    let sent = message;
    const at = place < offset ? -1 : indexAt(place - offset);
    if (dialect.thinks(message)) {
      const position = input.positions[at] ?? -1;
      const entry = input.entries[position];
      // A reply we archived is held to the prefix we sent; any other was made behind what the caller now sends. The same
      // words with other thoughts are a reply of another call: what it was bound to is not known here.
      const alike = input.thought === undefined || input.thought(at) === entry?.thought;
      const refused = position < rule.refusedUpTo;
      const bound =
        !refused &&
        (!rule.binds ||
          (entry?.prefix === undefined ? untouched : alike && chain.all().includes(entry.prefix)));
      if (!bound && rule.drops && !refused) dropped++;
      else if (!bound) {
        sent = dialect.withoutThinking(message);
        left++;
      }
    }
    const given = input.given.messages[place < offset ? place : input.preamble + at];
    if ((place >= offset && at < 0) || sent !== given) untouched = false;
    messages.push(sent);
    chain.add(sent, message === signed?.message ? signed : undefined);
  }
  const settled = left === 0 ? request : { ...request, messages };
  const asked = dropped === 0 ? settled : dropsBlocks(settled);
  return {
    request: left === 0 && !folded ? asked : fitThinking(dialect, asked),
    unbound: left + dropped,
  };
}
