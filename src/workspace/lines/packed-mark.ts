import { DEFAULT_SCOPE } from "../../model/identity.ts";
import { percent, unpercent } from "../disk/paths.ts";
import {
  type Code,
  CODES,
  type Fields,
  ids,
  isMoment,
  kinds,
  lettered,
  noFields,
  origins,
  PLAIN,
  sums,
  timeIn,
  TRAITS,
} from "./packed-values.ts";

/**
 * Tokens that are met so often that a letter stands for them: the tag of most that is remembered
 * without a model, and the source of what was saved by hand.
 */
const OFTEN = lettered("#quoted:q source=manual:m");
/** A mark that says nothing means these; source and version only if there are traits. */
const USUAL: ReadonlyMap<string, string> = new Map([
  ["scope", DEFAULT_SCOPE],
  ["source", "distilled"],
  ["version", "1"],
]);
/** A line of the oldest logs, which did not number their values. */
const NO_VERSION = "v";
/** Characters of a moment from 1972 to 2059: with another the line is written in full. */
const AT = 8;
/** From the first to the last message. */
const RANGE = /^(\d+)-(\d+)$/;

/** Undefined where the fields are none of a log's: then they are written in full. */
export function packed({ at: iso = "", ...fields }: Fields): string | undefined {
  const at = Date.parse(iso);
  const time = at.toString(36);
  if (!isMoment(iso) || time.length !== AT) return undefined;
  const left = new Map(Object.entries(fields));
  const take = (field: string, sign: string, code: Code): string => {
    const value = left.get(field);
    const short = value && code.write(value, at);
    if (!short) return "";
    left.delete(field);
    return `${sign}${short}`;
  };
  const takeAll = (codes: typeof CODES): string[] => codes.map((code) => take(...code));
  const id = take("id", "", ids);
  const { kind = "", origin = "", source, version, first = "", last = "" } = fields;
  const isTold = [kinds.write(kind, at), origins.write(origin, at), source];
  const traits = isTold.includes(undefined) ? "" : takeAll(TRAITS).join("");
  for (const [field, value] of USUAL)
    if (left.get(field) === value && (traits !== "" || field === "scope")) left.delete(field);
  const tokens = [traits, traits !== "" && version === undefined ? NO_VERSION : ""];
  tokens.push(...takeAll(CODES));
  if (RANGE.test(`${first}-${last}`)) {
    tokens.push(`${first}-${last}`);
    for (const field of ["first", "last"]) left.delete(field);
  }
  for (const [field, value] of left)
    if (value !== undefined) tokens.push(`${field}=${percent(value, PLAIN)}`);
  const short = tokens.filter((token) => token !== "").map((one) => OFTEN.write(one, at) ?? one);
  const mark = [`${time}${id}`, ...short].join(" ");
  return `~${checkOf(mark)}${mark}`;
}

/** All traits, in their order. */
const TOKEN = /^([flrpey])([huatx])([A-Z]?)(\+?)(\*?)([\d.e+-]*)(?:!([\w-]{4}))?(?:\^([\w-]{4}))?$/;

/** The largest below 36². */
const PRIME = 1_291;

/**
 * Two characters of the rest: one that was damaged must not pass for another, since single letters
 * say much.
 */
function checkOf(text: string): string {
  let sum = 7;
  for (let at = 0; at < text.length; at += 1) sum = (sum * 31 + text.charCodeAt(at)) % PRIME;
  return sum.toString(36).padStart(2, "0");
}

/** Undefined for what is not such a mark, or is damaged. */
export function unpacked(mark: string): Fields | undefined {
  const [first = "", ...tokens] = mark.split(" ");
  const at = timeIn(first.slice(3, 3 + AT));
  if (!mark.startsWith("~") || at === undefined || checkOf(mark.slice(3)) !== mark.slice(1, 3))
    return undefined;
  const ms = Date.parse(at);
  const fields = Object.assign(noFields(), { at, scope: DEFAULT_SCOPE });
  const id = first.slice(3 + AT);
  if (id !== "" && !put(fields, "id", ids.read(id, ms))) return undefined;
  return tokens.every((token) => readToken(token, fields, ms)) ? fields : undefined;
}

type MarkFields = ReturnType<typeof noFields>;

/** Is there a value? */
function put(fields: MarkFields, name: string, value: string | undefined): boolean {
  if (value !== undefined) fields[name] = value;
  return value !== undefined;
}

function readToken(short: string, fields: MarkFields, at: number): boolean {
  const token = OFTEN.read(short, at) ?? short;
  const equals = token.indexOf("=");
  if (equals > 0) return put(fields, token.slice(0, equals), unpercent(token.slice(equals + 1)));
  if (token === NO_VERSION) return delete fields.version;
  const [, from, to] = RANGE.exec(token) ?? [];
  if (from !== undefined) return put(fields, "first", from) && put(fields, "last", to);
  const [field = "", sign = "", code] = CODES.find((one) => token.startsWith(one[1])) ?? [];
  return code === undefined
    ? readTraits(token, fields, at)
    : put(fields, field, code.read(token.slice(sign.length), at));
}

function readTraits(token: string, fields: MarkFields, at: number): boolean {
  const [whole, ...parts] = TOKEN.exec(token) ?? [];
  if (whole === undefined) return false;
  for (const field of ["version", "source"]) put(fields, field, USUAL.get(field));
  TRAITS.forEach(([field, , code], index) => {
    const part = parts[index];
    if (part) put(fields, field, code.read(part, at));
  });
  return true;
}

/** The id in what is left of a line. */
export function packedIdIn(raw: string): string | undefined {
  const [, time = "", id = ""] = /<!-- ~..([0-9a-z]{8})(\S*)/.exec(raw) ?? [];
  const at = timeIn(time);
  return at === undefined ? undefined : ids.read(id, Date.parse(at));
}

/** How the mark of a line names the sum of a text. */
export const packedSum = (sum: string): string => `!${sums.write(sum, 0) ?? ""}`;
