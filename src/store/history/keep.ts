import { defined } from "../../base/guards.ts";
import {
  type Aside,
  isUnkept,
  type Keep,
  type NewEntry,
  type SessionChange,
  unkept,
} from "../../model/history.ts";
import { type HistoryStore } from "../../model/history-store.ts";
import { type Message } from "../../model/request.ts";
import { type Mask } from "../../secrets/mask.ts";
import { guarded } from "../sqlite/database.ts";
import { maskedMessage } from "./masked.ts";
import { pack, unpack } from "./media.ts";

/** Characters of messages that are only in memory: what a process still distils of a conversation whose words are not stored. */
const MOST = 16_000_000;

/** The same history that keeps less of messages than they say. Conversations are known again all the same: digests are of what came. */
export function keepingLess(
  store: HistoryStore,
  { keep, mask }: { keep: Keep; mask?: (() => Promise<Mask>) | undefined },
): HistoryStore {
  if (keep === "verbatim") return store;
  const masking = async (): Promise<Mask> => (await mask?.()) ?? ((text) => text);
  const masked: HistoryStore = {
    ...store,
    keeps: { ...store.keeps, keep },
    write: async (change) => store.write(maskedChange(change, await masking())),
  };
  return keep === "masked" ? masked : withoutBodies(masked);
}

function maskedChange(change: SessionChange, mask: Mask): SessionChange {
  const clean = (body: Message): Message =>
    isUnkept(body)
      ? body
      : guarded("history", "A message could not be written down", () => maskedMessage(body, mask));
  const text = (given: string | undefined) => (given === undefined ? undefined : mask(given));
  const cleanEntry = (entry: NewEntry): NewEntry => {
    const body = clean(entry.body);
    const [name, ref] = [text(entry.name), text(entry.ref)];
    // Half of a secret is known to no rule: where there was one, the beginning is not kept.
    return {
      ...entry,
      body,
      head: body === entry.body ? mask(entry.head) : "",
      ...defined({ name, ref }),
    };
  };
  return {
    ...change,
    entries: change.entries.map(cleanEntry),
    ...defined({
      forms: change.forms
        ? change.forms.map((form) => ({ ...form, entry: cleanEntry(form.entry) }))
        : undefined,
    }),
    ...defined({
      asides: change.asides
        ? change.asides.map((aside): Aside => ({ ...aside, body: clean(aside.body) }))
        : undefined,
    }),
    // What a provider signed is kept byte for byte or not at all; our own text stands for the same messages.
    ...defined({
      folds: change.folds
        ? change.folds.map(({ signed, ...fold }) =>
            signed === undefined || maskedMessage(signed.message, mask) !== signed.message
              ? fold
              : { ...fold, signed },
          )
        : undefined,
    }),
    ...defined({
      jobs: change.jobs
        ? change.jobs.map((job) => ({ ...job, error: mask(job.error) }))
        : undefined,
    }),
  };
}

/** Digests, roles and times; the words stay in this process, for what it still has to distil. */
function withoutBodies(store: HistoryStore): HistoryStore {
  const known = recent();
  return {
    ...store,
    async write(change) {
      const { from = 0, chains = [] } = change.chains ?? {};
      // What another chain stands for now is the same message.
      const before =
        chains.length === 0 ? [] : (await store.entries(change.session.id)).slice(from);
      before.forEach(({ chain }, index) => known.also(chain, chains[index]));
      for (const { chain, body } of [
        ...change.entries,
        ...(change.forms ?? []).map(({ entry }) => entry),
      ])
        known.add(chain, body);
      const bare = ({ name: _name, ref: _ref, ...entry }: NewEntry): NewEntry => ({
        ...entry,
        head: "",
        body: unkept(String(entry.body.role)),
      });
      const entries = change.entries.map(bare);
      const forms = change.forms?.map((form) => ({ ...form, entry: bare(form.entry) }));
      const asides = change.asides?.map((aside): Aside => ({
        ...aside,
        body: unkept(String(aside.body.role)),
      }));
      return store.write({
        ...change,
        entries,
        ...defined({ asides }),
        ...defined({ forms }),
      });
    },
    async bodies(id, from, to) {
      const stored = await store.bodies(id, from, to);
      if (!stored.some(({ body }) => isUnkept(body))) return stored;
      const entries = await store.entries(id);
      return stored.map((one, at) => {
        const body = isUnkept(one.body)
          ? known.of(entries[Math.max(0, from) + at]?.chain)
          : undefined;
        return body === undefined ? one : { ...one, body: unkept(one.role, body) };
      });
    },
    async forget(sessions) {
      known.clear();
      await store.forget(sessions);
    },
  };
}

/** The latest messages, without their pictures. */
function recent() {
  const held = new Map<string, { message: Message; size: number }>();
  let sum = 0;
  const drop = (chain: string): void => {
    sum -= held.get(chain)?.size ?? 0;
    held.delete(chain);
  };
  const add = (chain: string, body: Message): void => {
    if (isUnkept(body)) return;
    const { json } = guarded("history", "A message could not be read", () => pack(body));
    drop(chain);
    held.set(chain, { message: unpack(json, () => undefined), size: json.length });
    sum += json.length;
    for (const oldest of held.keys()) {
      if (sum <= MOST) break;
      drop(oldest);
    }
  };
  return {
    add,
    also(chain: string, other: string | undefined): void {
      const message = held.get(chain)?.message;
      if (message !== undefined && other !== undefined) add(other, message);
    },
    of: (chain: string | undefined): Message | undefined =>
      chain === undefined ? undefined : held.get(chain)?.message,
    clear(): void {
      held.clear();
      sum = 0;
    },
  };
}
