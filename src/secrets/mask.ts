import { either } from "../base/patterns.ts";
import { breathe } from "../base/async.ts";
import { ending, type Find, type Secret, isSample } from "./values.ts";
import { addressesIn, markupIn } from "./addresses.ts";
import { commandsIn, passwordLinesIn } from "./commands.ts";
import { namedIn } from "./named-values.ts";
import { otherKeysIn, privateKeysIn, brokenIn, encodedIn } from "./private-keys.ts";
import { tokensIn } from "./tokens.ts";
import { toldIn } from "./prose.ts";

let loading: Promise<Finder> | undefined;

/** The package's own types need a package of types. */
interface Rule {
  readonly meta: { readonly id: string };
  create(context: object, options: object): { file?(source: object): unknown };
}

/**
 * The rules of secretlint's recommended preset, run one by one. Its own runner keeps a mark of
 * every text it ever saw, and is a hundred times slower; the rule that lets a comment in the text
 * switch the others off is left out.
 */
async function load(): Promise<Finder> {
  await breathe();
  const { creator } = (await import("@secretlint/secretlint-rule-preset-recommend")) as unknown as {
    creator: { rules: readonly Rule[] };
  };
  await breathe();
  const rules = creator.rules
    .filter(({ meta }) => !meta.id.endsWith("filter-comments"))
    .map(readerOf);
  // An expression is compiled when it first reads, and again when it reads on: all of them at once,
  // with the first text, would hold up everything else for tens of ms.
  for (const rule of [...rules, ...SHAPES, ...rules, ...SHAPES]) {
    await breathe();
    rule(SAMPLE);
  }
  return finder([
    ...SHAPES,
    (text) => (WORTH_READING.test(text) ? rules.flatMap((rule) => rule(text)) : []),
  ]);
}

function readerOf(rule: Rule): Find {
  const kind = rule.meta.id.replace(/^.*secretlint-rule-/, "").replaceAll("-", " ");
  let found: Secret[] = [];
  const handlers = rule.create(
    {
      createTranslator: () => (messageId: string) => ({ message: kind, messageId }),
      report: ({ range: [start, end] }: { range: readonly [number, number] }) =>
        found.push({ start, end, kind }),
    },
    {},
  );
  return (text) => {
    found = [];
    handlers.file?.({ content: text, filePath: "text", ext: ".txt", contentType: "text" });
    return found.map((secret) => toWordEnd(secret, text));
  };
}

/**
 * Some rules report the right length at the wrong place: what begins inside a run of characters
 * ends with it.
 */
function toWordEnd({ start, end, kind }: Secret, text: string): Secret {
  WORD_END.lastIndex = end;
  return { start, end: end + (WORD_END.exec(text)?.[0].length ?? 0), kind };
}
const WORD_END = /[^\s"'`<>,;)\]}]*/y;

/** Has a bit of what rules look for, and is no secret. */
const SAMPLE =
  "Her first words at https://user:none@example.org/path?a=b were " +
  "key=abcdefghijklmnopqrstuvwx, token: 0123456789 and -----BEGIN";

/**
 * The text with its secrets taken out, each place marked. The same text when there are none;
 * masking twice changes nothing.
 */
export type Mask = (text: string) => string;

/** Finds the secrets of a text, in order, none overlapping another. */
export type Finder = (text: string) => readonly Secret[];

/**
 * Where a rule of the package could find something: a long run, an address with a password, a name
 * of a secret.
 */
const WORTH_READING = either(
  /[\w+/=.:-]{16}|:\/\/|-----BEGIN|pass|pwd|secret|token|key|credential|bearer|basic/i,
  /cookie|session|conn/i,
);

const finder =
  (rules: readonly Find[]): Finder =>
  (text) =>
    united(
      rules.flatMap((rule) => rule(text)),
      text,
    );

/**
 * Loads the package's rules with the first call of the process (tens of ms), then answers at once.
 */
export const loadFinder = (): Promise<Finder> => (loading ??= load());

export async function loadMask(): Promise<Mask> {
  const find = await loadFinder();
  return (text) => masked(text, find(text));
}

/** Characters read at once, and how far beyond: a secret that begins in a window ends in it. */
const WINDOW = 16_000;
const BEYOND = 4_000;

/**
 * The same for texts of any length, with breaths: to read a long one as a whole holds everything
 * else up for seconds.
 */
export async function maskSlowly(text: string): Promise<string> {
  const find = await loadFinder().catch(() => findAtOnce);
  const found: Secret[] = [];
  for (let at = 0; at < text.length; at += WINDOW) {
    for (const { start, end, kind } of find(text.slice(at, at + WINDOW + BEYOND)))
      found.push({ start: start + at, end: end + at, kind });
    await breathe();
  }
  return masked(text, united(found, text));
}

/** Tokens and names are looked for again in text that is broken over lines or encoded. */
const SHAPES: readonly Find[] = [
  privateKeysIn,
  otherKeysIn,
  tokensIn,
  namedIn,
  addressesIn,
  commandsIn,
  passwordLinesIn,
  markupIn,
  toldIn,
  (text) => brokenIn(text, tokensIn),
  (text) => encodedIn(text, (said) => [...tokensIn(said), ...namedIn(said), ...addressesIn(said)]),
];

/** Own rules alone, at once: for the words of an error, which cannot wait. */
export const findAtOnce = finder(SHAPES);
export const maskAtOnce: Mask = (text) => masked(text, findAtOnce(text));

function masked(text: string, secrets: readonly Secret[]): string {
  let [out, at] = ["", 0];
  for (const { start, end, kind } of secrets) {
    out += `${text.slice(at, start)}[${kind}, masked]`;
    at = end;
  }
  return out + text.slice(at);
}

const MARK = /\[[\w ]{1,40}, masked\]/g;

/** Overlapping finds are one; the one that begins first names it. */
function united(secrets: readonly Secret[], text: string): Secret[] {
  // A mark of an earlier masking stays as it is.
  const marks = Array.from(text.matchAll(MARK), (mark) => ending(mark, ""));
  const real = secrets.filter(
    ({ start, end }) =>
      end > start &&
      !isSample(text.slice(start, end)) &&
      !marks.some((mark) => mark.start < end && mark.end > start),
  );
  const out: Secret[] = [];
  for (const secret of real.sort((one, other) => one.start - other.start || other.end - one.end)) {
    const last = out.at(-1);
    if (last === undefined || secret.start >= last.end) out.push(secret);
    else out[out.length - 1] = { ...last, end: Math.max(last.end, secret.end) };
  }
  return out;
}
