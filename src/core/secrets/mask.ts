import { breaths, remembering } from "../base.ts";
import { commandsIn, passwordLinesIn } from "./commands.ts";
import {
  addressesIn,
  brokenIn,
  encodedIn,
  otherKeysIn,
  privateKeysIn,
} from "./keys-and-addresses.ts";
import { namedIn } from "./named-values.ts";
import { columnsIn, toldIn } from "./told.ts";
import { tokensIn } from "./tokens.ts";
import { codesIn, ending, type Find, isSample, type Secret } from "./values-and-codes.ts";

/**
 * The text with its secrets taken out, each place marked. The same text when there are none;
 * masking twice changes nothing.
 */
export type Mask = (text: string) => string;

/** Characters read at once, and how far beyond: a secret that begins in a window ends in it. */
const WINDOW = 16_000;
const BEYOND = 4_000;

/**
 * The secrets of a text of any length, with breaths: to read a long one as a whole holds everything
 * else up for seconds, and all rules together take long for one window.
 */
export async function secretsSlowly(text: string): Promise<Secret[]> {
  const found: Secret[] = [];
  const due = breaths();
  for (let at = 0; at < text.length; at += WINDOW)
    for (const rule of SHAPES) {
      for (const { start, end, kind } of rule(text.slice(at, at + WINDOW + BEYOND)))
        found.push({ start: start + at, end: end + at, kind });
      await due();
    }
  return united(found, text);
}
export const maskSlowly = async (text: string): Promise<string> =>
  masked(text, await secretsSlowly(text));

/** Tokens and names are looked for again in text that is broken over lines or encoded. */
const SHAPES: readonly Find[] = [
  privateKeysIn,
  otherKeysIn,
  tokensIn,
  namedIn,
  addressesIn,
  commandsIn,
  passwordLinesIn,
  toldIn,
  columnsIn,
  codesIn,
  (text) => brokenIn(text, tokensIn),
  (text) => encodedIn(text, (said) => [...tokensIn(said), ...namedIn(said), ...addressesIn(said)]),
];

/** Finds the secrets of a text, in order, none overlapping another. */
export const secretsIn: Find = (text) =>
  united(
    SHAPES.flatMap((rule) => rule(text)),
    text,
  );
/** Characters kept: the fold does not read again what was masked with a summary made ready. */
const KEPT = 600_000;
export const mask: Mask = remembering((text) => masked(text, secretsIn(text)), { bound: KEPT });

/** Work that masks texts, of any number and length, with breaths; it is asked for them twice. */
export async function maskingSlowly<T>(work: (mask: Mask) => T): Promise<T> {
  const texts = new Map<string, string>();
  work((text) => {
    texts.set(text, text);
    return text;
  });
  const due = breaths();
  for (const text of texts.keys()) {
    texts.set(text, text.length > BEYOND ? await maskSlowly(text) : mask(text));
    await due();
  }
  return work((text) => texts.get(text) ?? mask(text));
}

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
  const real = secrets.filter(({ start, end }) => end > start && !isSample(text.slice(start, end)));
  const out: Secret[] = [];
  let next = 0;
  for (const secret of real.sort((one, other) => one.start - other.start || other.end - one.end)) {
    while ((marks[next]?.end ?? Infinity) <= secret.start) next += 1;
    if ((marks[next]?.start ?? Infinity) < secret.end) continue;
    const last = out.at(-1);
    if (last === undefined || secret.start >= last.end) out.push(secret);
    else out[out.length - 1] = { ...last, end: Math.max(last.end, secret.end) };
  }
  return out;
}
