import { defined } from "../base/guards.ts";
import { slices } from "../base/async.ts";
import { refuse } from "../model/errors.ts";
import type { Entry, NewEntry, NewForm, Session } from "../model/history.ts";
import type { Moment } from "../model/memory.ts";
import { minuteOf, moment, momentOf } from "../model/moment.ts";
import type { Message } from "../model/request.ts";
import { check, either, flag, is, list, name, object, optional, words } from "../model/schema.ts";
import { digest } from "../text/hash.ts";
import { bodiesOf, partsOf, writeInParts } from "./entries.ts";
import type { Means } from "./session-cache.ts";

/**
 * Which of the given messages are new to a conversation. A host passes all of it again, or its last
 * part, or only what is new: where the beginning of what is given lies on the end of what is known,
 * all behind is new. Elsewhere messages are told by their signs, the second of a kind from the
 * first.
 */
export function unknownIn(known: readonly string[], given: readonly string[]): number[] {
  const overlap = overlapOf(known, given);
  // Begins as the conversation begins, its first message aside: all of it was passed, and changed.
  const isSame = (at: number): boolean => given.length > at + 1 && given[at] === known[at];
  const anew = overlap === 0 && (isSame(0) || isSame(1));
  const left = new Map<string, number>();
  for (const sign of known) left.set(sign, (left.get(sign) ?? 0) + 1);
  return given.flatMap((sign, index) => {
    const copies = left.get(sign) ?? 0;
    left.set(sign, copies - 1);
    const isKnown = copies > 0 && (anew || sign.startsWith(NAMED));
    return index < overlap || isKnown ? [] : [index];
  });
}

/**
 * It bears a time or a reference of its own, so that its like is itself and not a repetition ("ok",
 * "ok").
 */
const NAMED = "+";

/**
 * How much of the beginning of `given` ends `known`; all of it where that, two messages or more,
 * stands anywhere in it. Signs are as long as each other, and their first characters stand nowhere
 * else in them, so that texts of them can be compared.
 */
function overlapOf(known: readonly string[], given: readonly string[]): number {
  const [all, told] = [known.join(""), given.join("")];
  if (given.length > 1 && all.includes(told)) return given.length;
  const width = given[0]?.length ?? 0;
  let overlap = Math.min(known.length, given.length);
  while (!all.endsWith(told.slice(0, overlap * width))) overlap -= 1;
  return overlap;
}

export interface ImportedMessage {
  role: string;
  name?: string;
  text: string;
  /** Seconds since 1970 are understood, too. */
  at?: Moment;
  /** The host's own name of the message; hits give it back. */
  ref?: string;
}

export interface ImportedConversation {
  id: string;
  messages: readonly ImportedMessage[];
  /** false: nothing of it is remembered. Default: true. */
  learn?: boolean | undefined;
}

/** A message of an imported conversation: words, and who said them, in no provider's form. */
export const asImported = ({
  role,
  name,
  text,
  content,
}: Message): { speaker: string; text: string } | undefined =>
  typeof text === "string" && content === undefined
    ? { speaker: String(name ?? role), text }
    : undefined;

const PEOPLE = /^(?:user|human)$/i;
const MODELS = /^(?:assistant|ai|model|bot)$/i;

/** As its words would have been sent; what neither people nor models said, a tool said. */
export function asSent(message: Message): Message {
  const [role, text] = [message.role, message.text].map(String) as [string, string];
  if (PEOPLE.test(role)) return { role: "user", content: text };
  if (MODELS.test(role)) return { role: "assistant", content: text };
  return { role: "user", content: [{ type: "tool_result", tool_use_id: "", content: text }] };
}

const NAME = name(Infinity);
const NULL = is<undefined>("null", (value) => value === null);
const WORD = optional(either("a text of whole characters, or null", NAME, NULL));
const CONVERSATION = object<ImportedConversation>({
  id: name(500),
  learn: optional(flag),
  messages: list(
    "a list of messages",
    object<ImportedMessage>({
      role: NAME,
      text: words,
      ...{ name: WORD, ref: WORD },
      at: optional(either("a moment, or null", moment, NULL)),
    }),
  ),
});

/**
 * Adds what is new of a past conversation, and puts what was changed in its place; answers how many
 * messages that were. One that is cut off is gone on with when it is told again.
 */
export async function importInto(
  { store, root, now, newId, latest = now }: Means & { root: string; latest?: () => number },
  given: unknown,
): Promise<number> {
  check(CONVERSATION, given, "history.import");
  const { id, messages, learn = true } = given;
  const told: Told[] = [];
  for await (const { from, to } of slices(0, messages.length))
    for (const message of messages.slice(from, to)) told.push(entryOf(message, now(), latest()));
  for (;;) {
    const known = (await store.sessions(root, id)).find(({ imported }) => imported);
    const entries = known ? await store.entries(known.id) : [];
    const signsOf = (some: readonly Told[] | readonly Entry[]) =>
      some.map(({ content }) => content);
    const unknown = unknownIn(signsOf(entries), signsOf(told));
    if (unknown.length === 0 && known) return 0;
    const bodies = known ? await bodiesOf(store, known.id, 0, entries.length) : [];
    const changed = changedIn({ entries, bodies, told, unknown });
    const first = Math.min(entries.length, ...changed.keys());
    let chain = entries[first - 1]?.chain ?? digest("import", root, id);
    const chained = (entry: Told): NewEntry => ({
      ...entry,
      chain: (chain = digest(chain, entry.content)),
    });
    const chains: string[] = [];
    const forms: NewForm[] = [];
    for (const [offset, entry] of entries.slice(first).entries()) {
      const position = first + offset;
      const form = told[changed.get(position) ?? -1];
      if (form) forms.push({ position, entry: chained(form), id: newId(), at: now() });
      else chain = digest(chain, entry.content);
      chains.push(chain);
    }
    const placed = new Set(changed.values());
    const fresh = unknown.filter((index) => !placed.has(index));
    const added: NewEntry[] = [];
    for await (const { from, to } of slices(0, fresh.length))
      for (const entry of fresh.slice(from, to).flatMap((index) => told[index] ?? []))
        added.push(chained(entry));
    const total = entries.length + added.length;
    const times = unknown
      .map((index) => told[index]?.at ?? now())
      .sort((one, other) => one - other);
    const session: Session = {
      ...(known ?? {
        id: newId(),
        root,
        label: id,
        imported: true,
        at: times[0] ?? now(),
        watermark: 0,
        state: {},
      }),
      // It counts as of the day it was had: "before a day" forgets conversations of that time.
      updatedAt: Math.max(known?.updatedAt ?? -Infinity, times.at(-1) ?? now()),
      confirmed: total,
      noted: learn ? (known?.noted ?? 0) : total,
      revision: (known?.revision ?? 0) + partsOf(added.length),
    };
    const line = { session, from: entries.length, entries: added, forms };
    if (
      await writeInParts(store, {
        ...line,
        ...(chains.length > 0 && { chains: { from: first, chains } }),
      })
    )
      return unknown.length;
  }
}

type Told = Omit<NewEntry, "chain">;
interface Retold {
  readonly entries: readonly Entry[];
  readonly bodies: readonly Message[];
  readonly told: readonly Told[];
  /** Places of what is not known word for word. */
  readonly unknown: readonly number[];
}

/**
 * Which known messages are told otherwise, and where: those that bear the same reference, and those
 * between the same neighbours where as many stand there.
 */
function changedIn({ entries, bodies, told, unknown }: Retold): Map<number, number> {
  const changed = new Map<number, number>();
  const refs = new Map(bodies.map(({ ref }, position) => [ref, position]));
  const isNew = new Set(unknown);
  let last = -1;
  const places = told.map(({ content, ref }, index): number => {
    const named = ref === undefined ? undefined : refs.get(ref);
    if (isNew.has(index) && named !== undefined) changed.set(named, index);
    let place = isNew.has(index) ? (named ?? entries.length) : last + 1;
    while (!isNew.has(index) && place < entries.length && entries[place]?.content !== content)
      place += 1;
    if (place >= entries.length) return -1;
    last = place;
    return place;
  });
  for (let start = 0; start < told.length; start += 1) {
    let end = start;
    while (places[end] === -1) end += 1;
    const from = start === 0 ? 0 : (places[start - 1] ?? 0) + 1;
    const gap = (places[end] ?? entries.length) - from;
    const isEnd = end === told.length;
    const fits = gap === end - start || (isEnd && gap < end - start);
    const pairs = Array.from(
      { length: Math.max(0, gap) },
      (_, nth) => [from + nth, start + nth] as const,
    );
    const isAlike = pairs.every(([known, now]) => entries[known]?.role === told[now]?.role);
    if (fits && isAlike && !(isEnd && start === 0)) for (const pair of pairs) changed.set(...pair);
    start = end;
  }
  return changed;
}

/** No conversation with a model is older. */
export const EARLIEST = Date.UTC(2000);
const DAY = 86_400_000;

/**
 * The moment of a message; seconds are told by what they would be in ms. A clock that stands before
 * all conversations is made up, and so are the moments then.
 */
function saidAt(value: Moment, latest: number): number {
  const given = momentOf(value);
  if (latest < EARLIEST) return given;
  const isSeconds = typeof value === "number" && given < EARLIEST && value * 1_000 >= EARLIEST;
  const at = isSeconds ? Math.round(value * 1_000) : given;
  if (at >= EARLIEST && at <= latest + DAY) return at;
  return refuse(
    `history.import: a message is said to be of ${minuteOf(at)}, ` +
      `${at < EARLIEST ? "before 2000" : "in the future"}; give its true moment, in ms or ` +
      'seconds since 1970 or as ISO 8601, or leave "at" out.',
  );
}

/** Its content tells it from another: a digest of all that was said of it. */
function entryOf(message: ImportedMessage, now: number, latest: number): Told {
  const { role, text } = message;
  // A host's JSON says null for what is not there.
  const [name, ref] = [message.name ?? undefined, message.ref ?? undefined];
  const said = message.at ?? undefined;
  const at = said === undefined ? undefined : saidAt(said, latest);
  const mark = at === undefined && ref === undefined ? "-" : NAMED;
  const content = `${mark}${digest(role, name ?? "", text, ref ?? "", String(at ?? ""))}`;
  const body: Message = { role, text, ...defined({ name, ref, at }) };
  return {
    content,
    said: "",
    role,
    reply: false,
    at: at ?? now,
    body,
    name,
    ref,
  };
}
