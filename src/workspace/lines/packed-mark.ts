import {
  type Fields,
  PLAIN,
  MOMENTS,
  USUAL,
  kinds,
  origins,
  categories,
  scopes,
  moments,
  isoAt,
  packTime,
  unpackTime,
  packId,
  unpackId,
  short,
  long,
  LINE_BYTES,
  SUM_BYTES,
  TRAITS,
  QUOTED,
  recordKey,
  keyOf,
  tagsIn,
} from "./packed-values.ts";
import { DEFAULT_SCOPE } from "../../model/identity.ts";
import { percent, unpercent } from "../disk/paths.ts";

/** Undefined where the fields are none of a log's: then they are written in full. */
export function packed(fields: Fields): string | undefined {
  const at = packTime(fields.at);
  if (at?.length !== AT) return undefined;
  const ms = Number.parseInt(at, 36);
  const told = new Set(["at"]);
  const tokens: string[] = [];
  const take = (name: string, token: string | undefined): void => {
    if (token === undefined) return;
    told.add(name);
    if (token !== "") tokens.push(token);
  };
  const id = packId(fields.id, ms);
  if (id !== undefined) told.add("id");
  const traits = traitsOf(fields);
  if (traits !== undefined) {
    take("kind", traits.map(([, token]) => token).join(""));
    for (const [name] of traits) told.add(name);
    // Only where there are traits can what is usual be left out.
    take("version", versionToken(fields.version));
    take("source", sourceToken(fields.source));
  }
  const [, kind, name = ""] = /^(\w+):(.*)$/su.exec(fields.scope ?? "") ?? [];
  const scope = scopes.letter(kind);
  take("scope", fields.scope === USUAL.scope ? "" : scope && `@${scope}${percent(name, PLAIN)}`);
  for (const [moment, letter] of Object.entries(MOMENTS))
    if (packTime(fields[moment]) !== undefined)
      take(moment, `${letter}~${(ms - Date.parse(fields[moment] ?? "")).toString(36)}`);
  const tags = tagsIn(fields.tags);
  take("tags", tags === QUOTED ? "q" : tags && `#${tags}`);
  take("key", recordKey(fields.key, ms));
  const line = short(fields.line, LINE_BYTES);
  take("line", line && `/${line}`);
  const range = `${fields.first ?? ""}-${fields.last ?? ""}`;
  if (RANGE.test(range)) {
    take("first", range);
    told.add("last");
  }
  for (const [field, value] of Object.entries(fields))
    if (value !== undefined && !told.has(field)) tokens.push(`${field}=${percent(value, PLAIN)}`);
  const mark = [`${at}${id ?? ""}`, ...tokens].join(" ");
  return `~${checkOf(mark)}${mark}`;
}

/** Characters of a moment from 1972 to 2059: with another the line is written in full. */
const AT = 8;

/** From the first to the last message. */
const RANGE = /^(\d+)-(\d+)$/;

/** What has few values, and what stands behind it: the sum of the text and the code of a receipt. Each field with its token. */
function traitsOf(fields: Fields): (readonly [name: string, token: string])[] | undefined {
  const { importance = "", of = "" } = fields;
  const [kind, origin] = [kinds.letter(fields.kind), origins.letter(fields.origin)];
  const bare = importance.replace(/^0(?=\.)/, "");
  const isNumber = /^(?!\+)[\d.e+-]*$/.test(bare) && bare.replace(/^\./, "0.") === importance;
  if (kind === undefined || origin === undefined || !isNumber) return undefined;
  const sum = short(fields.sum, SUM_BYTES);
  return (
    [
      ["kind", kind],
      ["origin", origin],
      ["category", categories.letter(fields.category) ?? ""],
      ["again", fields.again === "yes" ? "+" : ""],
      ["sorted", fields.sorted === "yes" ? "*" : ""],
      ["importance", bare],
      ["sum", sum === undefined ? "" : `!${sum}`],
      ["of", /^[\w-]{4}$/.test(of) ? `^${of}` : ""],
    ] as const
  ).filter(([, token]) => token !== "");
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
    ["scope", DEFAULT_SCOPE],
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
  const moment = moments.word(token.slice(0, 1));
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
      `${scopes.word(token.slice(1, 2)) ?? ""}:${unpercent(token.slice(2))}`,
    );
  if (token.startsWith("#")) return put(fields, "tags", JSON.stringify(rest.split(",")));
  if (token.startsWith("/")) return put(fields, "line", long(rest));
  const [, from, to] = RANGE.exec(token) ?? [];
  if (from !== undefined) return put(fields, "first", from) && put(fields, "last", to);
  if (moment !== undefined && token.startsWith("~", 1))
    return put(fields, moment, isoAt(at - Number.parseInt(token.slice(2), 36)));
  return readTraits(token, fields);
}

function readTraits(token: string, fields: Map<string, string>): boolean {
  const [whole, kind = "", origin = "", category = "", again, sorted, importance = "", sum, of] =
    TRAITS.exec(token) ?? [];
  if (whole === undefined) return false;
  const found = {
    kind: kinds.word(kind),
    origin: origins.word(origin),
    category: categories.word(category),
    again: again === "" ? undefined : "yes",
    sorted: sorted === "" ? undefined : "yes",
    importance: importance === "" ? undefined : importance.replace(/^\./, "0."),
    sum: sum && long(sum),
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

function versionToken(version: string | undefined): string | undefined {
  if (version === USUAL.version) return "";
  if (version === undefined) return "v";
  return /^[1-9]\d{0,8}$/.test(version) ? `v${version}` : undefined;
}

function sourceToken(source: string | undefined): string | undefined {
  if (source === USUAL.source) return "";
  if (source === undefined) return "$";
  return source === "manual" ? "m" : undefined;
}
