import { lru } from "../../base/cache.ts";
import { isDict } from "../../base/guards.ts";
import {
  isUnkept,
  type Keep,
  type NewEntry,
  type SessionChange,
  unkept,
} from "../../model/history.ts";
import type { HistoryStore } from "../../model/history-store.ts";
import type { Message } from "../../model/request.ts";
import type { Mask } from "../../secrets/mask.ts";
import { guarded } from "../sqlite/database.ts";
import { pack, unpack, mediaIn } from "./media.ts";

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
  const cleanEntry = (entry: NewEntry): NewEntry => ({
    ...entry,
    body: clean(entry.body),
    name: text(entry.name),
    ref: text(entry.ref),
  });
  return {
    ...change,
    entries: change.entries.map(cleanEntry),
    forms: change.forms?.map((form) => ({ ...form, entry: cleanEntry(form.entry) })),
    asides: change.asides?.map((aside) => ({ ...aside, body: clean(aside.body) })),
    // What a provider signed is kept byte for byte or not at all; our own text stands for the same messages.
    folds: change.folds?.map(({ signed, ...fold }) =>
      signed === undefined || maskedMessage(signed.message, mask) !== signed.message
        ? fold
        : { ...fold, signed },
    ),
    jobs: change.jobs?.map((job) => ({ ...job, error: mask(job.error) })),
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
      const bare = <Of extends { body: Message }>(of: Of): Of => ({
        ...of,
        body: unkept(String(of.body.role)),
      });
      const bareEntry = ({ name: _name, ref: _ref, ...entry }: NewEntry): NewEntry => {
        known.add(entry.chain, entry.body);
        return bare({ ...entry, head: "" });
      };
      return store.write({
        ...change,
        entries: change.entries.map(bareEntry),
        forms: change.forms?.map((form) => ({ ...form, entry: bareEntry(form.entry) })),
        asides: change.asides?.map(bare),
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
  const held = lru<string, { message: Message; size: number }>(MOST, ({ size }) => size);
  const add = (chain: string, body: Message): void => {
    if (isUnkept(body)) return;
    const { json } = guarded("history", "A message could not be read", () => pack(body));
    held.set(chain, { message: unpack(json, () => undefined), size: json.length });
  };
  return {
    add,
    also(chain: string, other: string | undefined): void {
      const message = held.peek(chain)?.message;
      if (message !== undefined && other !== undefined) add(other, message);
    },
    of: (chain: string | undefined): Message | undefined =>
      chain === undefined ? undefined : held.peek(chain)?.message,
    clear: held.clear,
  };
}

/** A message without the secrets in any of its texts, at any depth; the same object when there are none. */
export function maskedMessage(message: Message, mask: Mask): Message {
  // As it would be stored: what is no JSON (dates, maps) says there what it says here.
  const json = JSON.stringify(message) as string | undefined;
  if (json === undefined) return message;
  const clean = cleaned("", JSON.parse(json), mask);
  return JSON.stringify(clean) === json ? message : (clean as Message);
}

function cleaned(name: string, value: unknown, mask: Mask): unknown {
  if (typeof value === "string")
    return mediaIn(name, value) === undefined ? textUnder(name, value, mask) : value;
  if (Array.isArray(value)) return value.map((item) => cleaned(name, item, mask));
  if (!isDict(value)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([key, held]) => [mask(key), cleaned(key, held, mask)]));
}

/** A member's name may be all that tells a secret from a word: { password: "…" }. */
function textUnder(name: string, text: string, mask: Mask): string {
  const alone = mask(text);
  if (alone !== text || name === "") return alone;
  const before = `${name}: `;
  const named = mask(before + text);
  return named.startsWith(before) ? named.slice(before.length) : text;
}
