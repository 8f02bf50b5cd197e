/** A row without the columns that hold nothing. */
export type Row = Record<string, unknown>;

/** What other processes are told of; "files" are pages. */
type Changed = "rows" | "files";

/** A pool of connections to a server, or a database in this process. */
export interface Server {
  /** One trip. Rejects with what the server says. */
  send(text: string, values: readonly unknown[]): Promise<readonly Row[]>;
  close(): Promise<void>;
  /**
   * No other connection has what is named so meanwhile; left out where there is none. It takes one
   * of the pool.
   */
  alone?<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** All that is sent within reads one moment; left out where no other writes. */
  atOnce?<T>(work: (send: Server["send"]) => Promise<T>): Promise<T>;
  /** Other processes on the same schema; left out where none can be heard. */
  readonly peers?: {
    /** Tells them what was changed, without waiting for it. */
    tell(what: Changed): void;
    /**
     * Calls back when one of them did, without a word where it may be anything; answers whether all
     * of them are heard at this moment.
     */
    hear(told: (what?: string) => void): () => boolean;
  };
}

/** A part of a statement, with the values that stand in it. */
class Part {
  readonly text: readonly string[];
  readonly given: readonly unknown[];
  constructor(text: readonly string[], given: readonly unknown[]) {
    this.text = text;
    this.given = given;
  }
}
export const part = (text: TemplateStringsArray, ...given: unknown[]): Part =>
  new Part(text, given);

/** A part that must stand in a statement as it is: a name. */
export const literal = (text: string): Part => new Part([text], []);

/** Behind all words that begin so. */
export const END = "\u{10ffff}";

/** PostgreSQL keeps no NUL in a text, so two others stand for it; half a pair is as in SQLite. */
const escaped = (text: string): string =>
  text.toWellFormed().replace(/[\0\u0001]/g, (one) => (one === "\0" ? "\u00010" : "\u00011"));
const plain = (text: string): string =>
  text.replace(/\u0001([01])/g, (_, digit) => (digit === "0" ? "\0" : "\u0001"));

function bound(value: unknown): unknown {
  if (typeof value === "string") return escaped(value);
  return Array.isArray(value) ? value.map(bound) : value;
}

function read(value: unknown): unknown {
  if (typeof value === "string") return value.includes("\u0001") ? plain(value) : value;
  return Array.isArray(value) ? value.map(read) : value;
}

const AWKWARD = /\\u(?:000[01]|d[89a-f])/;
const JSON_ESCAPE = /\\(?:u([0-9a-f]{4})|.)/g;

/** JSON as the server takes it: with the texts in it bound as others are. */
export function asJson(value: unknown): string {
  const json = JSON.stringify(value);
  return AWKWARD.test(json)
    ? json.replace(JSON_ESCAPE, (whole: string, code?: string) => {
        if (code === "0000") return "\\u00010";
        if (code === "0001") return "\\u00011";
        return code !== undefined && /^d[89a-f]/.test(code) ? "\\ufffd" : whole;
      })
    : json;
}

/** JSON as it was given to the server. */
export const givenJson = (json: string): unknown =>
  JSON.parse(json, (_, value: unknown) => unescaped(value));

/** JSON as the server made it, without the members that hold nothing. */
export const fromJson = (json: string): unknown =>
  JSON.parse(json, (_, value: unknown) => (value === null ? undefined : unescaped(value)));
/** Each text once: what holds it is read behind it. */
const unescaped = (value: unknown): unknown => (typeof value === "string" ? read(value) : value);

const NAME = /\[([a-z][a-z_]*)\]/g;
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
/** Names in brackets are of the schema: no connection has to remember which one it is. */
export const inSchema = (text: string, schema: string): string =>
  text.replace(NAME, (_, name: string) => `${quoted(schema)}."${name}"`);

function rowOf(given: Row): Row {
  const row: Row = {};
  for (const [name, value] of Object.entries(given)) if (value !== null) row[name] = read(value);
  return row;
}

/** Statements that are asked for at once go in few trips, so many in one, or more of very many. */
const [TOGETHER, TRIPS] = [4, 2];

interface Sending extends PromiseWithResolvers<Row[]> {
  readonly text: TemplateStringsArray;
  readonly given: readonly unknown[];
}
const asking = (text: TemplateStringsArray, given: readonly unknown[]): Sending => ({
  ...{ text, given },
  ...Promise.withResolvers<Row[]>(),
});

/** A statement as it stands in the code, each value bound where it stands. */
export function sqlOn(server: Server, schema: string) {
  let waiting: Sending[] = [];

  async function ask(...asked: readonly Sending[]): Promise<void> {
    const values: unknown[] = [];
    const whole = (texts: readonly string[], all: readonly unknown[]): string =>
      texts.reduce((before, text, at) => {
        const value = all[at - 1];
        return value instanceof Part
          ? before + whole(value.text, value.given) + text
          : `${before}$${values.push(bound(value) ?? null)}${text}`;
      });
    const texts = asked.map(({ text, given }) => whole(text, given));
    const isOne = asked.length === 1;
    const lists = texts.map((text, at) => `(select json_agg(q) from (${text}) q)::text as q${at}`);
    const text = isOne ? texts.join("") : `select ${lists.join()}`;
    try {
      const found = await server.send(inSchema(text, schema), values);
      const told = (at: number): Row[] => fromJson(String(found[0]?.[`q${at}`] ?? "[]")) as Row[];
      asked.forEach(({ resolve }, at) => resolve(isOne ? found.map(rowOf) : told(at)));
    } catch (thrown) {
      asked.forEach(({ reject }) => reject(thrown));
    }
  }
  function askAll(): void {
    const asked = waiting;
    waiting = [];
    const size = Math.max(TOGETHER, Math.ceil(asked.length / TRIPS));
    for (let from = 0; from < asked.length; from += size)
      void ask(...asked.slice(from, from + size));
  }
  const rows = <R = Row>(text: TemplateStringsArray, ...given: unknown[]): Promise<R[]> => {
    const one = asking(text, given);
    if (waiting.push(one) === 1) setImmediate(askAll);
    return one.promise as Promise<R[]>;
  };
  return {
    rows,
    row: async <R = Row>(text: TemplateStringsArray, ...given: unknown[]) =>
      (await rows<R>(text, ...given))[0],
    /** Goes by itself: what writes, or may wait long. */
    run: <R = Row>(text: TemplateStringsArray, ...given: unknown[]): Promise<R[]> => {
      const one = asking(text, given);
      void ask(one);
      return one.promise as Promise<R[]>;
    },
  };
}
export type Sql = ReturnType<typeof sqlOn>;
