import { TidemarkError } from "../model/errors.ts";
import { type Dict, isDict } from "../model/guards.ts";
import { type HistoryStore, isUnkept, NOTHING_KEPT, type Session } from "../model/history.ts";
import { type Moment } from "../model/memory.ts";
import { momentOf } from "../model/moment.ts";
import { type Message } from "../model/request.ts";
import { importInto, type Imported } from "./import.ts";

interface Parts {
  readonly store: HistoryStore;
  /** The identity whose history this is. */
  readonly root: string;
  readonly now: () => number;
  readonly newId: () => string;
  /** Runs work while no session changes. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
}

type Found = Session & { length: number; folds: number };

/** What a host may ask of the history of one identity; another's looks as if it were not there. */
export function createArchive(parts: Parts) {
  const { store, root, alone } = parts;

  /** A session's id, a host's label or an import's id, the latest of them. */
  async function find(id: string): Promise<Found | undefined> {
    const mine = await store.sessions(root);
    return mine.find((session) => session.id === id) ?? mine.find((session) => session.label === id);
  }

  async function read(which: { fold: string } | { conversation: string }): Promise<{ messages: Message[] }> {
    const { fold, conversation }: Dict = isDict(which) ? which : {};
    if (typeof fold === "string") {
      const [found] = await store.fold(fold);
      const session = found && (await store.session(found.session));
      return { messages: session?.root === root ? await line(session.id, found?.fold.upTo ?? 0) : [] };
    }
    if (typeof conversation !== "string") return refuse("history.read needs { fold } or { conversation }, an id each.");
    const session = await find(conversation);
    return { messages: session ? await line(session.id, session.length) : [] };
  }

  /** The first messages of a session, with what the caller put between them where it stood. */
  async function line(id: string, upTo: number): Promise<Message[]> {
    const between = new Map<number, Message[]>();
    for (const { kind, before, body } of await store.asides(id)) if (kind === "condensed") between.set(before, [...(between.get(before) ?? []), body]);
    const bodies = await store.bodies(id, 0, upTo);
    const messages = bodies.flatMap(({ body }, position) => [...(between.get(position) ?? []), body]);
    // Empty messages would pass for what was said.
    if (messages.some(isUnkept)) throw new TidemarkError("history", NOTHING_KEPT);
    return messages;
  }

  async function forget(which: { conversation: string } | { before: Moment }): Promise<string[]> {
    const { conversation, before }: Dict = isDict(which) ? which : {};
    if (typeof conversation !== "string" && before === undefined) return refuse("history.forget needs { conversation }, an id, or { before }, a moment.");
    const until = typeof conversation === "string" ? undefined : momentOf(before as Moment, "history.forget({ before })");
    return alone(async () => {
      const mine = await store.sessions(root);
      const gone = mine.filter(({ id, label, updatedAt }) => (until === undefined ? id === conversation || label === conversation : updatedAt < until));
      const ids = gone.map(({ id }) => id);
      await store.forget(ids);
      return ids;
    });
  }

  return {
    import: (conversation: { id: string; messages: readonly Imported[] }): Promise<number> => alone(() => importInto(parts, conversation)),
    read,
    forget,
    list: async () =>
      (await store.sessions(root)).map(({ id, label, length, at, folds }) => ({ id, ...(label === undefined ? {} : { label }), messages: length, at, folds })),
  };
}

const refuse = (sentence: string): never => {
  throw new TidemarkError("config", sentence);
};
