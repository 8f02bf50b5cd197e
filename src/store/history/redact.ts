import { isDict } from "../../base/guards.ts";
import type { NewEntry, SessionChange } from "../../model/history.ts";
import type { Message } from "../../model/request.ts";
import { type Mask, maskingSlowly } from "../../secrets/mask.ts";
import { guarded } from "../sqlite/database.ts";
import { mediaIn } from "./media.ts";

/**
 * A change without the secrets in its messages. Digests are of what came, so conversations are
 * known again.
 */
export const maskedChange = (change: SessionChange): Promise<SessionChange> =>
  maskingSlowly((mask) => cleanedChange(change, mask));

function cleanedChange(change: SessionChange, mask: Mask): SessionChange {
  const clean = (body: Message): Message =>
    guarded("history", "A message could not be written down", () => maskedMessage(body, mask));
  const text = (given: string | undefined) => given && mask(given);
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
    jobs: change.jobs?.map((job) => ({ ...job, error: mask(job.error) })),
  };
}

/**
 * A message without the secrets in any of its texts, at any depth; the same object when there are
 * none.
 */
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

const LONGEST_VALUE = 4_000;

/** A member's name may be all that tells a secret from a word: { password: "…" }. */
function textUnder(name: string, text: string, mask: Mask): string {
  const alone = mask(text);
  if (alone !== text || name === "" || text.length > LONGEST_VALUE) return alone;
  const before = `${name}: `;
  const named = mask(before + text);
  return named.startsWith(before) ? named.slice(before.length) : text;
}
