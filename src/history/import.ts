import { defined } from "../base/guards.ts";
import { slices } from "../base/async.ts";
import type { NewEntry, Session } from "../model/history.ts";
import type { Moment } from "../model/memory.ts";
import { moment, momentOf } from "../model/moment.ts";
import type { Message } from "../model/request.ts";
import { check, either, is, list, name, object, optional, words } from "../model/schema.ts";
import { digest } from "../text/hash.ts";
import { partsOf, writeInParts } from "./entries.ts";
import type { Means } from "./session-cache.ts";

/**
 * Which of the given messages are new to a conversation. A host passes all of it again, or its last
 * part, or only what is new: where the beginning of what is given lies on the end of what is known,
 * all behind is new. Elsewhere messages are told by their signs, the second of a kind from the
 * first.
 */
export function unknownIn(known: readonly string[], given: readonly string[]): number[] {
  const overlap = overlapOf(known, given);
  // Begins as the conversation begins: all of it was passed, changed or added to in the middle.
  const anew = overlap === 0 && given.length > 1 && given[0] === known[0];
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
  at?: Moment;
  /** The host's own name of the message; hits give it back. */
  ref?: string;
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

const NAME = name(Infinity);
const NULL = is<undefined>("null", (value) => value === null);
const WORD = optional(either("a text of whole characters, or null", NAME, NULL));
const CONVERSATION = object<{ id: string; messages: readonly ImportedMessage[] }>({
  id: name(500),
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
 * Adds what is new of a past conversation; answers how many messages that were. One that is cut off
 * is gone on with when it is told again.
 */
export async function importInto(
  { store, root, now, newId }: Means & { root: string },
  given: unknown,
): Promise<number> {
  check(CONVERSATION, given, "history.import");
  const { id, messages } = given;
  const told: Omit<NewEntry, "chain">[] = [];
  for await (const { from, to } of slices(0, messages.length))
    told.push(...messages.slice(from, to).map((message) => entryOf(message, now())));
  for (;;) {
    const known = (await store.sessions(root, id)).find(({ imported }) => imported);
    const entries = known ? await store.entries(known.id) : [];
    const fresh = unknownIn(
      entries.map(({ content }) => content),
      told.map(({ content }) => content),
    );
    if (fresh.length === 0 && known) return 0;
    let chain = entries.at(-1)?.chain ?? digest("import", root, id);
    const added: NewEntry[] = [];
    for await (const { from, to } of slices(0, fresh.length))
      for (const entry of fresh.slice(from, to).flatMap((index) => told[index] ?? []))
        added.push({ ...entry, chain: (chain = digest(chain, entry.content)) });
    const total = entries.length + added.length;
    const times = added.map(({ at }) => at).sort((one, other) => one - other);
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
      noted: total,
      revision: (known?.revision ?? 0) + partsOf(added.length),
    };
    if (await writeInParts(store, { session, from: entries.length, entries: added }))
      return added.length;
  }
}

/** Its content tells it from another: a digest of all that was said of it. */
function entryOf(message: ImportedMessage, now: number): Omit<NewEntry, "chain"> {
  const { role, text } = message;
  // A host's JSON says null for what is not there.
  const [name, ref] = [message.name ?? undefined, message.ref ?? undefined];
  const said = message.at ?? undefined;
  const at = said === undefined ? undefined : momentOf(said);
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
