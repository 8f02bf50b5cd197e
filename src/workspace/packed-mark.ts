import { parsed } from "../model/guards.ts";
import { percent, unpercent } from "./paths.ts";

/**
 * The fields of a log's line in few bytes, as `~CHECK+AT+ID TRAITS!SUM^OF @SCOPE …`: moments and the ids made here by their
 * figures, what has few values by a letter, what is mostly so by its absence. Whatever does not fit stands as `name=value`, so
 * every field comes back as it was given. A person reads the sentence before it, and the log is mostly that.
 */
export type Fields = Readonly<Record<string, string | undefined>>;

const PLAIN = /[\p{L}\p{N}._:/@+-]/u;
/** Moments beside the line's own, by how long before it they are. */
const MOMENTS: Readonly<Record<string, string>> = {
  said: "s",
  stated: "t",
  from: "f",
  until: "u",
  expires: "x",
};
const SCOPES = { agent: "a", team: "t", project: "p", user: "u", org: "o" };
const USUAL: Fields = { scope: "agent:default", source: "distilled", version: "1" };
const KINDS = { fact: "f", learning: "l", record: "r", procedure: "p", episode: "e", policy: "y" };
const ORIGINS = { host: "h", user: "u", agent: "a", tool: "t", untrusted: "x" };
const CATEGORIES = {
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
};

const turned = (table: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(table).map(([word, letter]) => [letter, word]));
const [kinds, origins, categories, scopes, moments] = [
  turned(KINDS),
  turned(ORIGINS),
  turned(CATEGORIES),
  turned(SCOPES),
  turned(MOMENTS),
];
const letterOf = (
  table: Readonly<Record<string, string>>,
  word: string | undefined,
): string | undefined =>
  word !== undefined && Object.hasOwn(table, word) ? table[word] : undefined;

const isoAt = (ms: number): string | undefined =>
  Number.isInteger(ms) && Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : undefined;
const packTime = (iso: string | undefined): string | undefined => {
  const ms = Date.parse(iso ?? "");
  return !Number.isNaN(ms) && isoAt(ms) === iso ? ms.toString(36) : undefined;
};
const unpackTime = (packed: string): string | undefined =>
  /^-?[0-9a-z]{1,12}$/.test(packed) ? isoAt(Number.parseInt(packed, 36)) : undefined;

/** An id made here holds its moment, mostly that of its line, a number and five bytes of chance. */
const OURS = /^([0-9a-z]{9})([0-9a-z]{3})([0-9a-f]{10})$/;
const PACKED_ID = /^([\w-]{7})(?:\.(-?[0-9a-z]{1,9}))?(?:\.([0-9a-z]{1,3}))?$/;

function packId(id: string | undefined, at: number): string | undefined {
  const [, time, number, chance] = OURS.exec(id ?? "") ?? [];
  if (time === undefined || number === undefined || chance === undefined) return undefined;
  const [late, count] = [
    (at - Number.parseInt(time, 36)).toString(36),
    Number.parseInt(number, 36).toString(36),
  ];
  const packed = [
    Buffer.from(chance, "hex").toString("base64url"),
    ...(late === "0" && count === "0" ? [] : [late]),
    ...(count === "0" ? [] : [count]),
  ].join(".");
  return unpackId(packed, at) === id ? packed : undefined;
}

function unpackId(packed: string, at: number): string | undefined {
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
const short = (hex: string | undefined, bytes: number): string | undefined =>
  hex !== undefined && new RegExp(`^[0-9a-f]{${bytes * 2}}$`).test(hex)
    ? Buffer.from(hex, "hex").toString("base64url")
    : undefined;
const long = (packed: string): string => Buffer.from(packed, "base64url").toString("hex");
/** Of the digest of a conversation's line in a receipt. */
const LINE_BYTES = 11;
const SUM_BYTES = 3;

const TRAITS =
  /^([flrpey])([huatx])([A-Z]?)(\+?)(\*?)([\d.e+-]*)(?:!([\w-]{4}))?(?:\^([\w-]{4}))?$/;
const SIMPLE_TAG = /^[\w-]+$/;
/** The tag of most that is remembered without a model. */
const QUOTED = "quoted";

/** The names of what stands of a conversation's work. */
const RECORD = /^conversation\/([^/]+)\/(open-request|outcome)$/;
const PARTS = { "open-request": "o", outcome: "d" };
const parts = turned(PARTS);

function recordKey(key: string | undefined, at: number): string | undefined {
  const [, session, part] = RECORD.exec(key ?? "") ?? [];
  const [id, letter] = [packId(session, at), letterOf(PARTS, part)];
  return id === undefined || letter === undefined ? undefined : `&${letter}${id}`;
}

function keyOf(token: string, at: number): string | undefined {
  const [session, part] = [unpackId(token.slice(2), at), parts.get(token.slice(1, 2))];
  return session === undefined || part === undefined
    ? undefined
    : `conversation/${session}/${part}`;
}

function tagsIn(json: string | undefined): string | undefined {
  const tags = parsed(json ?? "");
  return Array.isArray(tags) &&
    tags.length > 0 &&
    tags.every((tag) => typeof tag === "string" && SIMPLE_TAG.test(tag)) &&
    JSON.stringify(tags) === json
    ? tags.join(",")
    : undefined;
}

/** Undefined where the fields are none of a log's: then they are written in full. */
export function packed(fields: Fields): string | undefined {
  const at = packTime(fields.at);
  if (at?.length !== AT) return undefined;
  const ms = Number.parseInt(at, 36);
  const left = new Map(
    Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined),
  );
  left.delete("at");
  const tokens: string[] = [];
  const take = (name: string, token: string | undefined): void => {
    if (token === undefined) return;
    left.delete(name);
    if (token !== "") tokens.push(token);
  };
  const id = packId(fields.id, ms);
  if (id !== undefined) left.delete("id");
  const traits = traitsOf(fields);
  if (traits !== undefined) {
    take("kind", traits.token);
    for (const name of traits.told) left.delete(name);
    // Only where there are traits can what is usual be left out.
    take(
      "version",
      fields.version === USUAL.version
        ? ""
        : /^[1-9]\d{0,8}$/.test(fields.version ?? "")
          ? `v${fields.version ?? ""}`
          : fields.version === undefined
            ? "v"
            : undefined,
    );
    take(
      "source",
      fields.source === USUAL.source
        ? ""
        : fields.source === "manual"
          ? "m"
          : fields.source === undefined
            ? "$"
            : undefined,
    );
  }
  const [, kind, name] = /^(\w+):(.*)$/su.exec(fields.scope ?? "") ?? [];
  const scope = letterOf(SCOPES, kind);
  take(
    "scope",
    fields.scope === USUAL.scope
      ? ""
      : scope === undefined
        ? undefined
        : `@${scope}${percent(name ?? "", PLAIN)}`,
  );
  for (const [moment, letter] of Object.entries(MOMENTS))
    if (packTime(fields[moment]) !== undefined)
      take(moment, `${letter}~${(ms - Date.parse(fields[moment] ?? "")).toString(36)}`);
  const tags = tagsIn(fields.tags);
  take("tags", tags === undefined ? undefined : tags === QUOTED ? "q" : `#${tags}`);
  take("key", recordKey(fields.key, ms));
  const line = short(fields.line, LINE_BYTES);
  take("line", line === undefined ? undefined : `/${line}`);
  if (/^\d+$/.test(fields.first ?? "") && /^\d+$/.test(fields.last ?? "")) {
    take("first", `${fields.first ?? ""}-${fields.last ?? ""}`);
    left.delete("last");
  }
  for (const [field, value] of left) tokens.push(`${field}=${percent(value, PLAIN)}`);
  const mark = [`${at}${id ?? ""}`, ...tokens].join(" ");
  return `~${checkOf(mark)}${mark}`;
}

/** Characters of a moment from 1972 to 2059: with another the line is written in full. */
const AT = 8;

/** What has few values, and what stands behind it: the sum of the text and the code of a receipt. */
function traitsOf(fields: Fields): { token: string; told: string[] } | undefined {
  const [kind, origin, category = ""] = [
    letterOf(KINDS, fields.kind),
    letterOf(ORIGINS, fields.origin),
    letterOf(CATEGORIES, fields.category),
  ];
  const { importance = "" } = fields;
  const bare = importance.replace(/^0(?=\.)/, "");
  if (
    kind === undefined ||
    origin === undefined ||
    !/^[\d.e+-]*$/.test(bare) ||
    bare.replace(/^\./, "0.") !== importance ||
    /^[+*]/.test(bare)
  )
    return undefined;
  const [sum, of] = [
    short(fields.sum, SUM_BYTES),
    /^[\w-]{4}$/.test(fields.of ?? "") ? fields.of : undefined,
  ];
  const token = `${kind}${origin}${category}${fields.again === "yes" ? "+" : ""}${fields.sorted === "yes" ? "*" : ""}${bare}${sum === undefined ? "" : `!${sum}`}${of === undefined ? "" : `^${of}`}`;
  const told = [
    "origin",
    ...(importance === "" ? [] : ["importance"]),
    ...(category === "" ? [] : ["category"]),
    ...(sum === undefined ? [] : ["sum"]),
    ...(of === undefined ? [] : ["of"]),
  ];
  return {
    token,
    told: [...told, ...["again", "sorted"].filter((flag) => fields[flag] === "yes")],
  };
}

/** The largest below 36². */
const PRIME = 1_291;

/** Two characters of the rest: one that was damaged must not pass for another, since single letters say much. */
function checkOf(text: string): string {
  let sum = 7;
  for (let at = 0; at < text.length; at += 1) sum = (sum * 31 + text.charCodeAt(at)) % PRIME;
  return sum.toString(36).padStart(2, "0");
}

/** Undefined for what is not such a mark, or is damaged. */
export function unpacked(mark: string): Map<string, string> | undefined {
  const [first = "", ...tokens] = mark.split(" ");
  const at = unpackTime(first.slice(3, 3 + AT));
  if (!mark.startsWith("~") || at === undefined || checkOf(mark.slice(3)) !== mark.slice(1, 3))
    return undefined;
  const ms = Date.parse(at);
  const fields = new Map([
    ["at", at],
    ["scope", "agent:default"],
  ]);
  const id = first.slice(3 + AT);
  if (id !== "" && !put(fields, "id", unpackId(id, ms))) return undefined;
  return tokens.every((token) => readToken(token, fields, ms)) ? fields : undefined;
}

const put = (fields: Map<string, string>, name: string, value: string | undefined): boolean =>
  value !== undefined && fields.set(name, value) === fields;

function readToken(token: string, fields: Map<string, string>, at: number): boolean {
  const rest = token.slice(1);
  const equals = token.indexOf("=");
  const moment = moments.get(token.slice(0, 1));
  if (equals > 0) return put(fields, token.slice(0, equals), unpercent(token.slice(equals + 1)));
  if (token === "$") return fields.delete("source");
  if (token === "q") return put(fields, "tags", JSON.stringify([QUOTED]));
  if (token.startsWith("&")) return put(fields, "key", keyOf(token, at));
  if (token === "m") return put(fields, "source", "manual");
  if (/^v\d*$/.test(token))
    return rest === "" ? fields.delete("version") : put(fields, "version", rest);
  if (token.startsWith("@"))
    return put(
      fields,
      "scope",
      `${scopes.get(token.slice(1, 2)) ?? ""}:${unpercent(token.slice(2))}`,
    );
  if (token.startsWith("#")) return put(fields, "tags", JSON.stringify(rest.split(",")));
  if (token.startsWith("/")) return put(fields, "line", long(rest));
  if (/^\d+-\d+$/.test(token))
    return put(fields, "first", token.split("-")[0]) && put(fields, "last", token.split("-")[1]);
  if (moment !== undefined && token.startsWith("~", 1))
    return put(fields, moment, isoAt(at - Number.parseInt(token.slice(2), 36)));
  return readTraits(token, fields);
}

function readTraits(token: string, fields: Map<string, string>): boolean {
  const [whole, kind = "", origin = "", category = "", again, sorted, importance = "", sum, of] =
    TRAITS.exec(token) ?? [];
  if (whole === undefined) return false;
  const found = {
    kind: kinds.get(kind),
    origin: origins.get(origin),
    category: categories.get(category),
    again: again === "" ? undefined : "yes",
    sorted: sorted === "" ? undefined : "yes",
    importance: importance === "" ? undefined : importance.replace(/^\./, "0."),
    sum: sum === undefined ? undefined : long(sum),
    of,
    version: USUAL.version,
    source: USUAL.source,
  };
  for (const [name, value] of Object.entries(found))
    if (value !== undefined) fields.set(name, value);
  return true;
}

/** The id in what is left of a line. */
export function packedIdIn(raw: string): string | undefined {
  const [, time = "", id = ""] = /<!-- ~..([0-9a-z]{8})(\S*)/.exec(raw) ?? [];
  const at = unpackTime(time);
  return at === undefined ? undefined : unpackId(id, Date.parse(at));
}

/** How the mark of a line names the sum of a text. */
export const packedSum = (sum: string): string => `!${short(sum, SUM_BYTES) ?? ""}`;
