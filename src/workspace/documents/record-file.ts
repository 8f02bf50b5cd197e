import type { Document } from "yaml";
import { defined, type Dict, isDict } from "../../core/base.ts";
import { yaml } from "../../core/installed.ts";
import { holding, read as asRead, reading } from "../../core/schema.ts";

/** The head above a record's text. Times are ms since epoch. */
export interface RecordHead {
  readonly id?: string | undefined;
  readonly created?: number | undefined;
  readonly updated?: number | undefined;
  readonly source?: string | undefined;
  readonly aliases: readonly string[];
  readonly keywords: readonly string[];
  /** From then on it is found no more. */
  readonly until?: number | undefined;
  readonly archived: boolean;
}

/** `broken`: why its front matter cannot be read, and in which line and column. */
type RecordFile =
  { readonly head: RecordHead; readonly body: string } | { readonly broken: string };

/** Front matter between two lines of dashes, with any line ends and a byte order mark before it. */
const FRONT = /^\ufeff?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??---[ \t]*(?:\r?\n|$)/;
/** More is no head of a record; and YAML of any size takes its time. */
const LONGEST_HEAD = 20_000;

/** The front matter, empty where there is none, its values, and the text below it. */
function split(text: string) {
  const [whole = "", front = ""] = FRONT.exec(text.slice(0, LONGEST_HEAD)) ?? [];
  // The line of dashes counts; and the parser would warn the process, past every listener.
  const document = yaml().parseDocument(`\n${front}`, { logLevel: "error" });
  const body = trimmed(text.slice(whole.length).replace(/^\ufeff/, ""));
  return { document, body, ...valuesOf(document) };
}

/** Aliases in YAML make a small text a large value; a record needs none. */
function valuesOf(document: Document): { values: Dict; broken?: string } {
  const broken = (reason: string) => ({ values: {}, broken: reason });
  const [error] = document.errors;
  if (error !== undefined) return broken(error.message.replace(/:?\n[^]*/, ""));
  try {
    const values: unknown = document.toJS({ maxAliasCount: 0 }) ?? {};
    return isDict(values) ? { values } : broken("a list of `name: value` is expected at line 2");
  } catch {
    return broken("aliases (*name) are not read here");
  }
}

/** The values above a text; none where they cannot be read. */
export const headOf = (text: string): Dict => split(text).values;

/** Reads a file. One without front matter is all text. */
export function readRecord(text: string): RecordFile {
  const { values, body, broken } = split(text);
  if (broken !== undefined) return { broken };
  return { head: defined(reading(HEAD, values)) as RecordHead, body };
}

/**
 * The file with other values, and the rest of its front matter as a person wrote it. Null takes a
 * value out, undefined leaves it.
 */
export function writeRecord(
  text: string,
  { head, body }: { head: Readonly<Record<string, unknown>>; body: string },
): string {
  const { Document: Plain } = yaml();
  const { document: found, broken } = split(text);
  const document: Document = broken === undefined ? found : new Plain({});
  const file = (one: Document): string =>
    `---\n${one.toString({ lineWidth: 0 }).trim()}\n---\n\n${trimmed(body)}\n`;
  document.contents ??= document.createNode({});
  for (const [name, value] of Object.entries(head))
    if (value === null) document.delete(name);
    else if (value !== undefined) document.set(name, document.createNode(value));
  const written = file(document);
  // The library writes some comments where its reader takes none: then the values stand without
  // them.
  return "broken" in readRecord(written)
    ? file(new Plain(document.toJS({ maxAliasCount: 0 })))
    : written;
}

const trimmed = (body: string): string =>
  body.replace(/\r\n?/g, "\n").replace(/^\n+/, "").trimEnd();

const wordOf = (value: unknown): string | undefined => {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
};

const wordsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((one) => wordOf(one) ?? []);

/** A date, or a date with a time, as UTC where it names no zone. */
function momentIn(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  const zoned = /T\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(value) ? `${value}Z` : value;
  const at = Date.parse(zoned);
  return Number.isFinite(at) ? at : undefined;
}

const [word, words, moment] = [asRead(wordOf), asRead(wordsOf), asRead(momentIn)];
const HEAD = holding<RecordHead>({
  ...{ id: word, source: word, aliases: words, keywords: words },
  ...{ created: moment, updated: moment, until: moment },
  archived: asRead((value) => value === true),
});
