import { TidemarkError } from "../model/errors.ts";
import { type HistoryStore, type NewEntry, type Session } from "../model/history.ts";
import { type Moment } from "../model/memory.ts";
import { momentOf } from "../model/moment.ts";
import { type Message } from "../model/request.ts";
import { digest } from "../text/hash.ts";

interface Imported {
  role: string;
  name?: string;
  text: string;
  at?: Moment;
  ref?: string;
}

/** What a host may ask of the history of one identity; another's looks as if it were not there. */
export function createArchive({ store, root, now, newId }: { store: HistoryStore; root: string; now: () => number; newId: () => string }) {
  /** A session's id, a host's label or an import's id, the latest of them. */
  async function find(id: string): Promise<(Session & { length: number }) | undefined> {
    const mine = await store.sessions(root);
    return mine.find((session) => session.id === id) ?? mine.find((session) => session.label === id);
  }

  async function importAll({ id, messages }: { id: string; messages: readonly Imported[] }): Promise<number> {
    if (typeof id !== "string" || id === "" || id.length > 500) throw new TidemarkError("config", "history.import needs an id of 1 to 500 characters.");
    if (!Array.isArray(messages)) throw new TidemarkError("config", `history.import of "${id}" needs an array of messages.`);
    const known = (await store.sessions(root, id)).find((session) => session.imported);
    const entries = known ? await store.entries(known.id) : [];
    const seen = new Set(entries.map(({ content }) => content));
    let chain = entries.at(-1)?.chain ?? digest("import", root, id);
    const added: NewEntry[] = [];
    const copies = new Map<string, number>();
    messages.forEach((message: Imported, index) => {
      const checked = check(message, { id, index });
      const same = digest(checked.role, checked.name ?? "", checked.text, checked.ref ?? "", String(checked.at ?? ""));
      // Twice the same words by the same speaker are two messages: the first and the second of their kind.
      const copy = (copies.get(same) ?? 0) + 1;
      copies.set(same, copy);
      const content = digest(same, String(copy));
      if (seen.has(content)) return;
      chain = digest(chain, content);
      const body: Message = { ...message };
      added.push({
        chain,
        content,
        skeleton: content,
        role: checked.role,
        reply: false,
        head: "",
        at: checked.at ?? now(),
        body,
        ...(checked.name === undefined ? {} : { name: checked.name }),
        ...(checked.ref === undefined ? {} : { ref: checked.ref }),
      });
    });
    if (added.length === 0 && known) return 0;
    const at = added[0]?.at ?? now();
    const total = entries.length + added.length;
    const session: Session = known
      ? { ...known, updatedAt: now(), confirmed: total }
      : { id: newId(), root, label: id, imported: true, at, updatedAt: now(), confirmed: total, watermark: 0, noted: total, state: {} };
    await store.write({ session, from: entries.length, entries: added });
    return added.length;
  }

  async function read(which: { fold: string } | { conversation: string }): Promise<{ messages: Message[] }> {
    if ("fold" in which) {
      const found = await store.fold(which.fold);
      const session = found && (await store.session(found.session));
      if (!session || session.root !== root) return { messages: [] };
      return { messages: (await store.bodies(session.id, 0, found.fold.upTo)).map(({ body }) => body) };
    }
    const session = await find(which.conversation);
    if (!session) return { messages: [] };
    const line = (await store.bodies(session.id, 0, session.length)).map(({ body }) => body);
    const asides = (await store.asides(session.id)).filter(({ kind }) => kind === "condensed");
    const messages = line.flatMap((body, position) => [...asides.filter(({ before }) => before === position).map((aside) => aside.body), body]);
    return { messages };
  }

  async function forget(which: { conversation: string } | { before: Moment }): Promise<string[]> {
    if ("conversation" in which) {
      const mine = await store.sessions(root);
      const ids = mine.filter(({ id, label }) => id === which.conversation || label === which.conversation).map(({ id }) => id);
      await store.forget(ids);
      return ids;
    }
    const before = momentOf(which.before, "history.forget({ before })");
    const ids = (await store.sessions(root)).filter(({ updatedAt }) => updatedAt < before).map(({ id }) => id);
    await store.forget(ids);
    return ids;
  }

  return {
    import: importAll,
    read,
    forget,
    find,
    list: async () =>
      (await store.sessions(root)).map(({ id, label, length, at, folds }) => ({ id, ...(label === undefined ? {} : { label }), messages: length, at, folds })),
  };
}

function check(message: Imported, where: { id: string; index: number }): { role: string; name?: string; text: string; at?: number; ref?: string } {
  const place = `message ${where.index} of the imported conversation "${where.id}"`;
  if (typeof message !== "object" || message === null) throw new TidemarkError("config", `${place} must be an object { role, text }.`);
  const { role, name, text, at, ref } = message;
  if (typeof role !== "string" || role === "") throw new TidemarkError("config", `${place} needs a role.`);
  if (typeof text !== "string") throw new TidemarkError("config", `${place} needs a text.`);
  for (const [key, value] of Object.entries({ name, ref }))
    if (value !== undefined && typeof value !== "string") throw new TidemarkError("config", `${place}: ${key} must be a string.`);
  return {
    role,
    text,
    ...(name === undefined ? {} : { name }),
    ...(ref === undefined ? {} : { ref }),
    ...(at === undefined ? {} : { at: momentOf(at, `the time of ${place}`) }),
  };
}
