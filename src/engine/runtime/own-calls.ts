import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { Dialect } from "../../dialect/common/dialect.ts";
import { marksIn } from "../../distil/task/instruction.ts";
import type { Message } from "../../model/request.ts";

/** A call of Tidemark's own. `seen`: the request with its mark has come by. */
interface OwnCall {
  seen: boolean;
}

const context = new AsyncLocalStorage<OwnCall>();
/** By mark, until they are answered. */
const open = new Map<string, OwnCall>();

export const newMark = (): string => randomUUID();

/** Makes a call of our own: what it sends, by a wrapped client or `begin`, starts nothing. */
export async function asOwnCall<T>(work: () => Promise<T>, mark = newMark()): Promise<T> {
  const call: OwnCall = { seen: false };
  open.set(mark, call);
  try {
    return await context.run(call, work);
  } finally {
    open.delete(mark);
    call.seen = true;
  }
}

/**
 * Does a call of ours send this? It is known by its context and, where a queue has lost that, by
 * the mark in its instruction: the words around it can be typed by any user. A queue may also run
 * another's request in our context: by then ours has come by.
 */
export function isOwnCall(last: Message | undefined, dialect: Dialect): boolean {
  if (open.size === 0 || last === undefined) return false;
  const marked = marksIn(dialect.text(last)).flatMap((mark) => open.get(mark) ?? [])[0];
  if (marked) marked.seen = true;
  return marked !== undefined || context.getStore()?.seen === false;
}
