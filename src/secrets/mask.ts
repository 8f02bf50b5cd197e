import { addressesIn, markupIn } from "./addresses.ts";
import { commandsIn, passwordLinesIn } from "./commands.ts";
import { namedIn } from "./named.ts";
import { packageRules, readOnce } from "./package-rules.ts";
import { otherKeysIn, privateKeysIn, brokenIn, encodedIn } from "./private-keys.ts";
import { type Secret } from "./forms.ts";
import { tokensIn } from "./tokens.ts";
import { toldIn } from "./told.ts";
import { isSample } from "./values.ts";

/** The text with its secrets taken out, each place marked. The same text when there are none; masking twice changes nothing. */
export type Mask = (text: string) => string;

/** Where the secrets of a text stand, in order, none overlapping another. */
export type Finder = (text: string) => readonly Secret[];

/** Where a rule of the package could find something: a long run, an address with a password, a name of a secret. */
const WORTH_READING =
  /[\w+/=.:-]{16}|:\/\/|-----BEGIN|pass|pwd|secret|token|key|credential|bearer|basic|cookie|session|conn/i;

/** Own rules alone, at once: for the words of an error, which cannot wait. */
export const findAtOnce: Finder = (text) => united(secretsByShape(text), text);
export const maskAtOnce: Mask = (text) => masked(text, findAtOnce(text));

/** Loads the package's rules with the first call of the process (tens of ms), then answers at once. */
export async function loadMask(): Promise<Mask> {
  const find = await loadFinder();
  return (text) => masked(text, find(text));
}

export async function loadFinder(): Promise<Finder> {
  const rules = await packageRules();
  await (own ??= readOnce(SHAPES));
  return (text) => {
    const shaped = secretsByShape(text);
    return united(
      WORTH_READING.test(text) ? [...shaped, ...rules.flatMap((rule) => rule(text))] : shaped,
      text,
    );
  };
}

/** What a token or a name shows is looked for again in what is broken over lines or encoded. */
const SHAPES = [
  privateKeysIn,
  otherKeysIn,
  tokensIn,
  namedIn,
  addressesIn,
  commandsIn,
  passwordLinesIn,
  markupIn,
  toldIn,
  (text: string) => brokenIn(text, tokensIn),
  (text: string) =>
    encodedIn(text, (said) => [...tokensIn(said), ...namedIn(said), ...addressesIn(said)]),
] as const;
const secretsByShape = (text: string): Secret[] => SHAPES.flatMap((find) => find(text));
let own: Promise<void> | undefined;

function masked(text: string, secrets: readonly Secret[]): string {
  if (secrets.length === 0) return text;
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
  // What was masked before stays as it is.
  const marks = text.includes(", masked]")
    ? Array.from(text.matchAll(MARK), ({ 0: mark, index }) => ({
        start: index,
        end: index + mark.length,
      }))
    : [];
  const real = secrets.filter(
    ({ start, end }) =>
      end > start &&
      !isSample(text.slice(start, end)) &&
      !marks.some((mark) => mark.start < end && mark.end > start),
  );
  const sorted = real.sort((one, other) => one.start - other.start || other.end - one.end);
  const out: Secret[] = [];
  for (const secret of sorted) {
    const last = out.at(-1);
    if (last !== undefined && secret.start < last.end)
      out[out.length - 1] = { ...last, end: Math.max(last.end, secret.end) };
    else out.push(secret);
  }
  return out;
}
