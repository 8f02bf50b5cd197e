import { parsed } from "../../base/guards.ts";

/**
 * The fields of a log's line in few bytes, as `~CHECK+AT+ID TRAITS!SUM^OF @SCOPE …`: moments and the ids made here by their
 * figures, what has few values by a letter, what is mostly so by its absence. Whatever does not fit stands as `name=value`, so
 * every field comes back as it was given. A person reads the sentence before it, and the log is mostly that.
 */
export type Fields = Readonly<Record<string, string | undefined>>;

/** Letters and digits of any language stay readable; a space would end the value, ">" could end the comment. */
export const PLAIN = /[\p{L}\p{N}._:/@+-]/u;
/** Moments beside the line's own, by how long before it they are. */
export const MOMENTS: Readonly<Record<string, string>> = {
  said: "s",
  stated: "t",
  from: "f",
  until: "u",
  expires: "x",
};
export const moments = lettered(MOMENTS);
export const scopes = lettered({ agent: "a", team: "t", project: "p", user: "u", org: "o" });
export const USUAL: Fields = { scope: "agent:default", source: "distilled", version: "1" };
export const kinds = lettered({
  fact: "f",
  learning: "l",
  record: "r",
  procedure: "p",
  episode: "e",
  policy: "y",
});
export const origins = lettered({ host: "h", user: "u", agent: "a", tool: "t", untrusted: "x" });
export const categories = lettered({
  decision: "D",
  preference: "P",
  principle: "R",
  procedure: "S",
  incident: "I",
  "mistake-pattern": "M",
  "best-practice": "B",
  "codebase-knowledge": "K",
  core: "C",
  daily: "Y",
  conversation: "V",
  general: "G",
  identity: "U",
  rule: "L",
  correction: "N",
  outcome: "O",
  "open-request": "Q",
  "failed-approach": "F",
  identifier: "T",
});

/** Words that each have a letter. */
function lettered(table: Readonly<Record<string, string>>) {
  const letters = new Map(Object.entries(table));
  const words = new Map(Array.from(letters, ([word, letter]) => [letter, word]));
  return {
    letter: (word = ""): string | undefined => letters.get(word),
    word: (letter: string): string | undefined => words.get(letter),
  };
}

export const isoAt = (ms: number): string | undefined =>
  Number.isInteger(ms) && Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : undefined;
export const packTime = (iso: string | undefined): string | undefined => {
  const ms = Date.parse(iso ?? "");
  return !Number.isNaN(ms) && isoAt(ms) === iso ? ms.toString(36) : undefined;
};
export const unpackTime = (packed: string): string | undefined =>
  /^-?[0-9a-z]{1,12}$/.test(packed) ? isoAt(Number.parseInt(packed, 36)) : undefined;

/** An id made here holds its moment, mostly that of its line, a number and five bytes of chance. */
const OURS = /^([0-9a-z]{9})([0-9a-z]{3})([0-9a-f]{10})$/;
const PACKED_ID = /^([\w-]{7})(?:\.(-?[0-9a-z]{1,9}))?(?:\.([0-9a-z]{1,3}))?$/;

export function packId(id: string | undefined, at: number): string | undefined {
  const [, time = "", number = "", chance = ""] = OURS.exec(id ?? "") ?? [];
  const late = (at - Number.parseInt(time, 36)).toString(36);
  const count = Number.parseInt(number, 36).toString(36);
  const packed = [Buffer.from(chance, "hex").toString("base64url"), late, count]
    .join(".")
    .replace(/(?:\.0)?\.0$/, "");
  return id !== undefined && unpackId(packed, at) === id ? packed : undefined;
}

export function unpackId(packed: string, at: number): string | undefined {
  const [, chance, late = "0", count = "0"] = PACKED_ID.exec(packed) ?? [];
  if (chance === undefined) return undefined;
  const time = at - Number.parseInt(late, 36);
  return time < 0
    ? undefined
    : time.toString(36).padStart(9, "0") +
        count.padStart(3, "0") +
        Buffer.from(chance, "base64url").toString("hex");
}

/** Bytes in base64, where they are written so again. */
export const short = (hex: string | undefined, bytes: number): string | undefined =>
  hex !== undefined && new RegExp(`^[0-9a-f]{${bytes * 2}}$`).test(hex)
    ? Buffer.from(hex, "hex").toString("base64url")
    : undefined;
export const long = (packed: string): string => Buffer.from(packed, "base64url").toString("hex");
/** Of the digest of a conversation's line in a receipt. */
export const LINE_BYTES = 11;
export const SUM_BYTES = 3;

export const TRAITS =
  /^([flrpey])([huatx])([A-Z]?)(\+?)(\*?)([\d.e+-]*)(?:!([\w-]{4}))?(?:\^([\w-]{4}))?$/;
const SIMPLE_TAG = /^[\w-]+$/;
/** The tag of most that is remembered without a model. */
export const QUOTED = "quoted";

/** The names of what stands of a conversation's work. */
const RECORD = /^conversation\/([^/]+)\/(open-request|outcome)$/;
const parts = lettered({ "open-request": "o", outcome: "d" });

export function recordKey(key: string | undefined, at: number): string | undefined {
  const [, session, part] = RECORD.exec(key ?? "") ?? [];
  const [id, letter] = [packId(session, at), parts.letter(part)];
  return id === undefined || letter === undefined ? undefined : `&${letter}${id}`;
}

export function keyOf(token: string, at: number): string | undefined {
  const [session, part] = [unpackId(token.slice(2), at), parts.word(token.slice(1, 2))];
  return session === undefined || part === undefined
    ? undefined
    : `conversation/${session}/${part}`;
}

export function tagsIn(json: string | undefined): string | undefined {
  const tags = parsed(json ?? "");
  return Array.isArray(tags) &&
    tags.length > 0 &&
    tags.every((tag) => typeof tag === "string" && SIMPLE_TAG.test(tag)) &&
    JSON.stringify(tags) === json
    ? tags.join(",")
    : undefined;
}
