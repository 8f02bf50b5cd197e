import { defined } from "../base/guards.ts";
import { slices } from "../base/async.ts";
import { type Entry, type NewEntry } from "../model/history.ts";
import { type HistoryStore } from "../model/history-store.ts";
import { type Message } from "../model/request.ts";
import { digest } from "../text/hash.ts";
import { type Found, type ReadRequest } from "./find.ts";
import { type Reading } from "./line.ts";
import { type History } from "./write.ts";

/** The messages [index, to) of a request, behind an entry of this chain. */
interface Run {
  readonly index: number;
  readonly to?: number;
  readonly chain: string;
  readonly pieces?: Found["pieces"];
}

export async function newEntries(
  { store, now }: Pick<History, "store" | "now">,
  { input, readings }: ReadRequest,
  { index, to, chain: before, pieces }: Run,
): Promise<NewEntry[]> {
  const fresh = readings.slice(index, to);
  const bindings = await bindingsOf(store, input.root, fresh);
  let chain = before;
  const entryOf = ({ content, skeleton, head, thought }: Reading, offset: number): NewEntry => {
    const body = input.messages[index + offset] as Message;
    const prefix =
      thought === undefined
        ? undefined
        : (bindings.get(thought) ?? pieces?.bound[offset] ?? input.prefixBefore?.(index + offset));
    chain = digest(chain, content);
    return {
      chain,
      content,
      skeleton,
      role: input.dialect.speaker(body),
      reply: false,
      head,
      ...boundTo({ prefix, thought: prefix === undefined ? undefined : thought }),
      at: now(),
      body,
    };
  };
  const entries: NewEntry[] = [];
  for await (const slice of slices(0, fresh.length))
    for (let at = slice.from; at < slice.to; at += 1)
      entries.push(entryOf(fresh[at] as Reading, at));
  return entries;
}

/** Thinking that comes back in another line is still bound to what it was made behind. */
async function bindingsOf(
  store: HistoryStore,
  root: string,
  readings: readonly Reading[],
): Promise<ReadonlyMap<string, string>> {
  const thoughts = readings.flatMap(({ thought }) => thought ?? []);
  return thoughts.length === 0 ? new Map() : store.bindings(root, thoughts);
}

export const withoutBody = ({ body: _body, name: _name, ref: _ref, ...entry }: NewEntry): Entry =>
  entry;

/** A reply keeps what its thinking is bound to; whether a message still holds that very thinking is asked when it is sent. */
export const boundTo = ({
  prefix,
  thought,
}: {
  prefix?: string | undefined;
  thought?: string | undefined;
}): Pick<Entry, "prefix" | "thought"> => defined({ prefix, thought });
