import type { Document } from "yaml";
import { asDict, defined } from "../../core/base.ts";
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

/** The place of YAML that cannot be read; line and column count from 1. */
interface Broken {
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

type RecordFile =
  { readonly head: RecordHead; readonly body: string } | { readonly broken: Broken };

/** Front matter between two lines of dashes, with any line ends and a byte order mark before it. */
const FRONT = /^\ufeff?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??---[ \t]*(?:\r?\n|$)/;
/** More is no head of a record; and YAML of any size takes its time. */
const LONGEST_HEAD = 20_000;

interface Read {
  readonly document: Document;
  readonly values: Readonly<Record<string, unknown>>;
}

/** The front matter, empty where there is none, and the text below it. */
function split(text: string): { read: Read | { broken: Broken }; body: string } {
  const [whole = "", front = ""] = FRONT.exec(text.slice(0, LONGEST_HEAD)) ?? [];
  return {
    read: documentOf(front),
    body: trimmed(text.slice(whole.length).replace(/^\ufeff/, "")),
  };
}

/** Aliases in YAML make a small text a large value; a record needs none. */
function documentOf(front: string): Read | { broken: Broken } {
  const { isMap, LineCounter, parseDocument } = yaml();
  const lineCounter = new LineCounter();
  const document = parseDocument(front, {
    lineCounter,
    prettyErrors: false,
    // The parser would warn the process, past every listener.
    logLevel: "error",
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    return { broken: { line: line + 1, column: col, reason: error.message } };
  }
  const broken = (reason: string) => ({ broken: { line: 2, column: 1, reason } });
  let values: unknown;
  try {
    values = document.toJS({ maxAliasCount: 0 });
  } catch {
    return broken("aliases (*name) are not read here");
  }
  if (document.contents !== null && !isMap(document.contents))
    return broken("a list of `name: value` is expected");
  return { document, values: asDict(values) };
}

/** The values above a text; none where they cannot be read. */
export function headOf(text: string): Read["values"] {
  const { read } = split(text);
  return "values" in read ? read.values : {};
}

/** Reads a file. One without front matter is all text. */
export function readRecord(text: string): RecordFile {
  const { read, body } = split(text);
  if ("broken" in read) return read;
  return { head: defined(reading(HEAD, read.values)) as RecordHead, body };
}

/**
 * The file with other values, and the rest of its front matter as a person wrote it. Null takes a
 * value out, undefined leaves it.
 */
export function writeRecord(
  text: string,
  { head, body }: { head: Readonly<Record<string, unknown>>; body: string },
): string {
  const { Document: Plain, isMap } = yaml();
  const { read } = split(text);
  const document = "document" in read ? read.document : new Plain();
  if (document.contents === null || (isMap(document.contents) && document.contents.flow === true))
    document.contents = document.createNode({}) as typeof document.contents;
  for (const [name, value] of Object.entries(head))
    if (value === null) document.delete(name);
    else if (value !== undefined) document.set(name, document.createNode(value));
  const file = (one: typeof document): string =>
    `---\n${one.toString({ lineWidth: 0 }).trimEnd()}\n---\n\n${trimmed(body)}\n`;
  const written = file(document);
  // The library writes some comments where its reader takes none: then the values stand without
  // them.
  return "broken" in readRecord(written)
    ? file(new Plain(document.toJS({ maxAliasCount: 0 })) as typeof document)
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
