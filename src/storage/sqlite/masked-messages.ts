import { isDict } from "../../core/base.ts";
import type { NewEntry, SessionChange } from "../../core/history.ts";
import type { Message } from "../../core/request.ts";
import { type Mask, maskingSlowly } from "../../core/secrets/mask.ts";
import { guarded } from "./database-file.ts";

/**
 * The bytes of a picture or a document in the providers' blocks (`source.data`, `file.file_data`,
 * `input_audio.data`, data: URLs): in so many characters chance writes what looks like a secret.
 */
const isMedia = (name: string, text: string): boolean =>
  text.length >= LEAST_MEDIA && MEDIA[name]?.test(text) === true;
const LEAST_MEDIA = 512;
const BYTES = /^(?:data:[^,"\\]{0,200};base64,)?[\w+/=\s-]*$/i;
const MEDIA: Readonly<Record<string, RegExp | undefined>> = {
  ...{ data: BYTES, file_data: BYTES },
  url: /^data:[^,"\\]{0,200};base64,[\w+/=\s-]*$/i,
};

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
  if (typeof value === "string") return isMedia(name, value) ? value : textUnder(name, value, mask);
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
