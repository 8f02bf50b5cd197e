import { defined, isDict } from "../base/guards.ts";
import { slices } from "../base/async.ts";
import { shown, TidemarkError } from "../model/errors.ts";
import { type NewEntry, NOTHING_KEPT, type Session } from "../model/history.ts";
import { type HistoryStore } from "../model/history-store.ts";
import { type Moment } from "../model/memory.ts";
import { momentOf } from "../model/moment.ts";
import { type Message } from "../model/request.ts";
import { wholeCharacters } from "../model/checks.ts";
import { digest } from "../text/hash.ts";
import { partsOf, writeInParts } from "./entries.ts";

/** What tells one imported message from another. */
interface Sign {
  /** Digest of all that was said of it. */
  readonly key: string;
  /** It bears a time or a reference of its own, so that its like is itself and not a repetition ("ok", "ok"). */
  readonly named: boolean;
}

/**
 * Which of the given messages are new to a conversation. A host passes all of it again, or its last part, or only what is
 * new: where the beginning of what is given lies on the end of what is known, all behind is new. Elsewhere messages are
 * told by their signs, the second of a kind from the first.
 */
export function unknownIn(known: readonly Sign[], given: readonly Sign[]): number[] {
  const { overlap, inside } = overlapOf(known, given);
  if (inside) return [];
  // Begins as the conversation begins: all of it was passed, changed or added to in the middle.
  const anew = overlap === 0 && given.length > 1 && given[0]?.key === known[0]?.key;
  const left = new Map<string, number>();
  for (const { key } of known) left.set(key, (left.get(key) ?? 0) + 1);
  const fresh: number[] = [];
  given.forEach(({ key, named }, index) => {
    const copies = left.get(key) ?? 0;
    left.set(key, copies - 1);
    if (index < overlap || (copies > 0 && (named || anew))) return;
    fresh.push(index);
  });
  return fresh;
}

/**
 * How much of the beginning of `given` ends `known`; and whether all of it, two messages or more, stands in it. Keys are as long as
 * each other, and their first characters stand nowhere else in them, so that texts of them can be compared.
 */
function overlapOf(
  known: readonly Sign[],
  given: readonly Sign[],
): { overlap: number; inside: boolean } {
  const [all, told] = [known, given].map((signs) => signs.map(({ key }) => key).join("")) as [
    string,
    string,
  ];
  if (given.length > 1 && all.includes(told)) return { overlap: given.length, inside: true };
  const width = given[0]?.key.length ?? 0;
  let overlap = Math.min(known.length, given.length);
  while (!all.endsWith(told.slice(0, overlap * width))) overlap -= 1;
  return { overlap, inside: false };
}

export interface Imported {
  role: string;
  name?: string;
  text: string;
  at?: Moment;
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

interface Checked {
  readonly role: string;
  readonly name?: string;
  readonly text: string;
  readonly at?: number;
  readonly ref?: string;
}

/** Longer than any name of a conversation. */
const LONGEST_ID = 500;

/** Adds what is new of a past conversation; answers how many messages that were. One that is cut off is gone on with when it is told again. */
export async function importInto(
  {
    store,
    root,
    now,
    newId,
  }: { store: HistoryStore; root: string; now: () => number; newId: () => string },
  given: unknown,
): Promise<number> {
  const { id, messages } = checkConversation(given);
  if (store.keeps.keep === "none")
    throw new TidemarkError(
      "history",
      `The conversation ${shown(id)} was not imported. ${NOTHING_KEPT}`,
    );
  const contents: string[] = [];
  for await (const { from, to } of slices(0, messages.length))
    contents.push(...messages.slice(from, to).map(contentOf));
  for (;;) {
    const known = (await store.sessions(root, id)).find((session) => session.imported);
    const entries = known ? await store.entries(known.id) : [];
    const fresh = unknownIn(
      entries.map(({ content }) => signFrom(content)),
      contents.map(signFrom),
    );
    if (fresh.length === 0 && known) return 0;
    let chain = entries.at(-1)?.chain ?? digest("import", root, id);
    const entryOf = (index: number): NewEntry => {
      const { role, name, text, at, ref } = messages[index] as Checked;
      const content = contents[index] ?? "";
      chain = digest(chain, content);
      const told = defined({ name, ref });
      const body: Message = { role, text, ...told, ...defined({ at }) };
      return {
        chain,
        content,
        skeleton: content,
        role,
        reply: false,
        head: "",
        at: at ?? now(),
        body,
        ...told,
      };
    };
    const added: NewEntry[] = [];
    for await (const { from, to } of slices(0, fresh.length))
      added.push(...fresh.slice(from, to).map(entryOf));
    const total = entries.length + added.length;
    const times = added.map(({ at }) => at);
    const latest = times.reduce(
      (last, at) => Math.max(last, at),
      known?.updatedAt ?? times[0] ?? now(),
    );
    const session: Session = {
      ...(known
        ? bare(known)
        : {
            id: newId(),
            root,
            label: id,
            imported: true,
            at: times.reduce((first, at) => Math.min(first, at), times[0] ?? now()),
            watermark: 0,
            state: {},
          }),
      // Of when it was had, not of when it was told: what happened before a day is forgotten with that day.
      updatedAt: latest,
      confirmed: total,
      noted: total,
      revision: (known?.revision ?? 0) + partsOf(added.length),
    };
    if (await writeInParts(store, { session, from: entries.length, entries: added }))
      return added.length;
  }
}

const bare = ({
  length: _length,
  folds: _folds,
  ...session
}: Session & { length: number; folds: number }): Session => session;

/** Its first character says whether the message bears a time or a reference: kept with the entry, so that it is known again. */
const contentOf = ({ role, name, text, at, ref }: Checked): string =>
  `${at === undefined && ref === undefined ? "-" : "+"}${digest(role, name ?? "", text, ref ?? "", at === undefined ? "" : String(at))}`;

const signFrom = (content: string) => ({ key: content, named: content.startsWith("+") });

const refuse = (sentence: string): never => {
  throw new TidemarkError("config", sentence);
};

function checkConversation(given: unknown): { id: string; messages: Checked[] } {
  if (!isDict(given)) return refuse("history.import needs { id, messages }.");
  const { id, messages } = given;
  if (typeof id !== "string" || id === "" || id.length > LONGEST_ID)
    return refuse(`history.import needs an id of 1 to ${LONGEST_ID} characters.`);
  wholeCharacters(id, "The id of an imported conversation");
  if (!Array.isArray(messages))
    return refuse(`history.import of ${shown(id)} needs an array of messages.`);
  return {
    id,
    messages: Array.from(messages, (message: unknown, index) =>
      check(message, `message ${index} of the imported conversation ${shown(id)}`),
    ),
  };
}

function check(message: unknown, place: string): Checked {
  if (!isDict(message)) return refuse(`${place} must be an object { role, text }.`);
  const { role, name, text, at, ref } = message;
  if (typeof role !== "string" || role === "") return refuse(`${place} needs a role.`);
  if (typeof text !== "string") return refuse(`${place} needs a text.`);
  return {
    role: wholeCharacters(role, `The role of ${place}`),
    text,
    name: optional(name, `The name of ${place}`),
    ref: optional(ref, `The ref of ${place}`),
    at:
      at === undefined || at === null ? undefined : momentOf(at as Moment, `the time of ${place}`),
  };
}

function optional(value: unknown, what: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string"
    ? wholeCharacters(value, what)
    : refuse(`${what} must be a string.`);
}
