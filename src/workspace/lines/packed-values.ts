import { parsed } from "../../base/guards.ts";
import { percent, unpercent } from "../disk/paths.ts";

/**
 * The fields of a log's line in few bytes, as `~CHECK+AT+ID TRAITS!SUM^OF @SCOPE …`: moments and
 * the ids made here by their figures, what has few values by a letter, what is mostly so by its
 * absence. Whatever does not fit stands as `name=value`, so every field comes back as it was given.
 * A person reads the sentence before it, and the log is mostly that.
 */
export type Fields = Readonly<Record<string, string | undefined>>;
/** Without a prototype: a file may name any field. */
export const noFields = (): Record<string, string | undefined> => Object.create(null);

/**
 * Letters and digits of any language stay readable; a space would end the value, ">" could end the
 * comment.
 */
export const PLAIN = /[\p{L}\p{N}._:/@+-]/u;

/**
 * How a value is written shorter, and read again; undefined for one that is not. `at`: the line's
 * own moment.
 */
export interface Code {
  readonly write: (value: string, at: number) => string | undefined;
  readonly read: (short: string, at: number) => string | undefined;
}

/** Words that each have a letter, as "word:letter" of each. */
export function lettered(table: string): Code {
  const pairs = table.split(" ").map((pair) => [pair.slice(0, -2), pair.slice(-1)] as const);
  const letters = new Map(pairs);
  const words = new Map(pairs.map(([word, letter]) => [letter, word]));
  return { write: (word) => letters.get(word), read: (letter) => words.get(letter) };
}

function asItIs(form: RegExp): Code {
  const fitting = (value: string): string | undefined => form.exec(value)?.[0];
  return { write: fitting, read: fitting };
}

/** Bytes in base64, if they can be written so again. */
function inBase64(bytes: number): Code {
  const form = new RegExp(`^[0-9a-f]{${bytes * 2}}$`);
  return {
    write: (hex) => (form.test(hex) ? Buffer.from(hex, "hex").toString("base64url") : undefined),
    read: (short) => Buffer.from(short, "base64url").toString("hex"),
  };
}

const isoAt = (ms: number): string | undefined =>
  Number.isInteger(ms) && Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : undefined;
export const isMoment = (iso = ""): boolean => isoAt(Date.parse(iso)) === iso;
export const timeIn = (packed: string): string | undefined =>
  /^-?[0-9a-z]{1,12}$/.test(packed) ? isoAt(Number.parseInt(packed, 36)) : undefined;

/** By how long before the line's own moment it is. */
const before: Code = {
  write: (iso, at) => (isMoment(iso) ? (at - Date.parse(iso)).toString(36) : undefined),
  read: (short, at) => isoAt(at - Number.parseInt(short, 36)),
};

/** An id made here holds its moment, mostly that of its line, a number and five bytes of chance. */
const OURS = /^([0-9a-z]{9})([0-9a-z]{3})([0-9a-f]{10})$/;
const PACKED_ID = /^([\w-]{7})(?:\.(-?[0-9a-z]{1,9}))?(?:\.([0-9a-z]{1,3}))?$/;

export const ids: Code = {
  write(id, at) {
    const [, time = "", number = "", chance = ""] = OURS.exec(id) ?? [];
    const late = (at - Number.parseInt(time, 36)).toString(36);
    const count = Number.parseInt(number, 36).toString(36);
    const packed = [Buffer.from(chance, "hex").toString("base64url"), late, count]
      .join(".")
      .replace(/(?:\.0)?\.0$/, "");
    return ids.read(packed, at) === id ? packed : undefined;
  },
  read(packed, at) {
    const [, chance, late = "0", count = "0"] = PACKED_ID.exec(packed) ?? [];
    if (chance === undefined) return undefined;
    const time = at - Number.parseInt(late, 36);
    return time < 0
      ? undefined
      : time.toString(36).padStart(9, "0") +
          count.padStart(3, "0") +
          Buffer.from(chance, "base64url").toString("hex");
  },
};

export const sums = inBase64(3);
export const kinds = lettered("fact:f learning:l record:r procedure:p episode:e policy:y");
export const origins = lettered("host:h user:u agent:a tool:t untrusted:x");
const categories = lettered(
  "decision:D preference:P principle:R procedure:S incident:I mistake-pattern:M " +
    "best-practice:B codebase-knowledge:K core:C daily:Y conversation:V general:G " +
    "identity:U rule:L correction:N outcome:O open-request:Q failed-approach:F identifier:T",
);
const importances: Code = {
  write(value) {
    const bare = value.replace(/^0(?=\.)/, "");
    return /^(?!\+)[\d.e+-]*$/.test(bare) && importances.read(bare, 0) === value ? bare : undefined;
  },
  read: (bare) => bare.replace(/^\./, "0."),
};

/**
 * What has few values, and what stands behind it: the sum of the text and the code of a receipt.
 * All are one token.
 */
export const TRAITS: readonly (readonly [field: string, sign: string, code: Code])[] = [
  ["kind", "", kinds],
  ["origin", "", origins],
  ["category", "", categories],
  ["again", "", lettered("yes:+")],
  ["sorted", "", lettered("yes:*")],
  ["importance", "", importances],
  ["sum", "!", sums],
  ["of", "^", asItIs(/^[\w-]{4}$/)],
];

const scopeKinds = lettered("agent:a team:t project:p user:u org:o");
/** The names of what stands of a conversation's work. */
const RECORD = /^conversation\/([^/]+)\/(open-request|outcome)$/;
const works = lettered("open-request:o outcome:d");

/** A line may tell more, each by a token of its own, which a sign begins. */
export const CODES: readonly (readonly [field: string, sign: string, code: Code])[] = [
  ["version", "v", asItIs(/^[1-9]\d{0,8}$/)],
  [
    "scope",
    "@",
    {
      write(scope, at) {
        const [, kind = "", name = ""] = /^(\w+):(.*)$/su.exec(scope) ?? [];
        const letter = scopeKinds.write(kind, at);
        return letter && `${letter}${percent(name, PLAIN)}`;
      },
      read: (short, at) =>
        `${scopeKinds.read(short.slice(0, 1), at) ?? ""}:${unpercent(short.slice(1))}`,
    },
  ],
  ["said", "s~", before],
  ["stated", "t~", before],
  ["from", "f~", before],
  ["until", "u~", before],
  ["expires", "x~", before],
  ["tags", "#", { write: tagsIn, read: (tags) => JSON.stringify(tags.split(",")) }],
  [
    "key",
    "&",
    {
      write(key, at) {
        const [, session = "", work = ""] = RECORD.exec(key) ?? [];
        const [letter, id] = [works.write(work, at), ids.write(session, at)];
        return letter && id && `${letter}${id}`;
      },
      read(short, at) {
        const [work, session] = [works.read(short.slice(0, 1), at), ids.read(short.slice(1), at)];
        return work && session && `conversation/${session}/${work}`;
      },
    },
  ],
  // Bytes of the digest of a conversation's line in a receipt.
  ["line", "/", inBase64(11)],
];

function tagsIn(json: string): string | undefined {
  const tags = parsed(json);
  return Array.isArray(tags) &&
    tags.length > 0 &&
    tags.every((tag) => typeof tag === "string" && /^[\w-]+$/.test(tag)) &&
    JSON.stringify(tags) === json
    ? tags.join(",")
    : undefined;
}
