import { defined, endOfRun, slices } from "../core/base.ts";
import { refuse } from "../core/errors-and-events.ts";
import type { Entry, NewEntry, NewForm, Session } from "../core/history.ts";
import { minuteOf, moment, type Moment, momentOf } from "../core/memory.ts";
import type { Message } from "../core/request.ts";
import { check, either, flag, is, list, name, object, optional, words } from "../core/schema.ts";
import { digest } from "../core/text/cut.ts";
import { bodiesOf, partsOf, writeInParts } from "./entries.ts";
import { owed } from "./forms.ts";
import { type LinePlace, NAMED, retold } from "./retold.ts";
import type { Means } from "./session-cache.ts";

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
 * Adds what is new of a past conversation, puts what was changed or came between in its place, and
 * takes out what went; answers how many messages that were. One that is cut off is gone on with
 * when it is told again.
 */
export async function importInto(
  means: Means & { root: string; latest?: () => number },
  given: unknown,
): Promise<number> {
  const { store, root, now, newId, latest = now } = means;
  check(CONVERSATION, given, "history.import");
  const { id, messages, learn = true } = given;
  const told: Told[] = [];
  for await (const { from, to } of slices(0, messages.length))
    for (const message of messages.slice(from, to)) told.push(entryOf(message, now(), latest()));
  for (;;) {
    const named = await store.sessions({ root, label: id });
    const known = named.find(({ imported }) => imported);
    const entries = known ? await store.entries(known.id) : [];
    const bodies = known ? await bodiesOf(store, known.id, 0, entries.length) : [];
    const refs = bodies.map(({ ref }) => (typeof ref === "string" ? ref : undefined));
    const signs = entries.map(({ content, role }, at) => ({ content, role, ref: refs[at] }));
    const line = retold(signs, told);
    const isSame = line.every(({ known, told }, at) => known === at && told === undefined);
    if (known && isSame && line.length === entries.length) return 0;
    const { places, fresh, ...written } = await rewritten(line, {
      ...{ entries, told, newId, now },
      chain: digest("import", root, id),
    });
    const times = fresh.map(({ at }) => at).sort((one, other) => one - other);
    const watermark = places[known?.watermark ?? 0] ?? 0;
    const positions = written.forms.map(({ position }) => position);
    const session: Session = {
      ...(known ?? {
        id: newId(),
        root,
        label: id,
        imported: true,
        at: times[0] ?? now(),
        state: {},
      }),
      // It counts as of the day it was had: "before a day" forgets conversations of that time.
      updatedAt: Math.max(known?.updatedAt ?? -Infinity, times.at(-1) ?? now()),
      confirmed: line.length,
      watermark,
      // What came between is read with all behind it.
      noted: learn ? Math.min(places[known?.noted ?? 0] ?? 0, ...positions) : line.length,
      revision: (known?.revision ?? 0) + partsOf(written.entries.length),
    };
    const late = positions.filter((position) => learn && position < watermark);
    const jobs = owed(session.id, late, { newId, now });
    const gone = entries.length - line.filter(({ known }) => known !== undefined).length;
    // Another program may bring the same one just now.
    const siblings = named.length;
    if (await writeInParts(means, { ...written, session, siblings, jobs }))
      return fresh.length + gone;
  }
}

type Told = Omit<NewEntry, "chain">;

interface Rewriting extends Pick<Means, "now" | "newId"> {
  readonly entries: readonly Entry[];
  readonly told: readonly Told[];
  /** What the first message's is made on. */
  readonly chain: string;
}

/**
 * What is to be written so that the conversation reads as the line does, all that is new of it, and
 * the place of each known message, or of the next that stands, and of their end.
 */
async function rewritten(
  line: readonly LinePlace[],
  { entries, told, now, newId, ...given }: Rewriting,
) {
  const from = line.findLastIndex(({ known }) => known !== undefined) + 1;
  const places: number[] = [];
  const chains: string[] = [];
  const forms: NewForm[] = [];
  const added: NewEntry[] = [];
  let { chain } = given;
  for await (const slice of slices(0, line.length))
    for (const [offset, place] of line.slice(slice.from, slice.to).entries()) {
      const position = slice.from + offset;
      while (place.known !== undefined && places.length <= place.known) places.push(position);
      const entry = told[place.told ?? -1];
      chain = digest(chain, (entry ?? entries[place.known ?? -1])?.content ?? "");
      if (position < from) chains.push(chain);
      if (entry === undefined) continue;
      if (position < from)
        forms.push({ position, entry: { ...entry, chain }, id: newId(), at: now() });
      else added.push({ ...entry, chain });
    }
  while (places.length <= entries.length) places.push(from);
  const first = endOfRun(0, (at) => at < from && chains[at] === entries[at]?.chain);
  const moves = places.findIndex((place, at) => place !== at);
  // The one before may be what gave way to it.
  const least = Math.max(0, moves - 1);
  return {
    ...{ from, entries: added, forms, places },
    fresh: [...forms.map(({ entry }) => entry), ...added],
    ...(first < from && { chains: { from: first, chains: chains.slice(first) } }),
    ...(moves >= 0 && { moved: { from: least, places: places.slice(least) } }),
  };
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
