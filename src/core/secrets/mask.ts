import { breathe, breaths, either, inOrder, remembering } from "../base.ts";
import { isStopword } from "../text/terms.ts";
import { commandsIn, passwordLinesIn } from "./commands.ts";
import {
  addressesIn,
  brokenIn,
  encodedIn,
  otherKeysIn,
  privateKeysIn,
} from "./keys-and-addresses.ts";
import { isName, KEY_OF, namedIn, PASSWORD } from "./named-values.ts";
import { tokensIn } from "./tokens.ts";
import {
  codesIn,
  ending,
  type Find,
  type Form,
  foundBy,
  isGiven,
  isGivenMixed,
  isHard,
  isMixed,
  isPlain,
  isSample,
  isStandIn,
  type Secret,
} from "./values-and-codes.ts";

const IS =
  String.raw`(?:\s{0,3}(?:[:=]|[-=]>)\s{0,3}|\s{1,3}(?:is|are|was|[–—])` +
  String.raw`(?:\s{1,3}now)?:?\s{1,3})`;
/** "of my card", up to what it is. */
const OF = String.raw`(?:\s{1,3}[^\s=:,;!?"'\d]{1,30}(?<!\.)){0,6}?`;
const START = String.raw`(?<![\p{L}\p{N}_-])`;
const DIGITS =
  String.raw`["'\x60*]{0,2}(\d(?:[ -]?\d){3,9}[#*]?)(?![\d%]|[-/.:,]\d| ?(?:times|people|euro` +
  String.raw`|usd|\$|€|characters))`;

const CODE =
  String.raw`(?:(?:door|gate|alarm|entry|unlock|lock|safe|security|one[- ]time|2fa|two[- ]` +
  String.raw`factor|verification|login|sign-?in|sms)[- ]?code|(?:otp|tan)(?: code)?|(?:code` +
  String.raw`|combination) (?:to|for|of) (?:\p{L}{1,20} ){0,4}?(?:door|gate|garage|alarm` +
  String.raw`|safe|lock|building|house))`;

/** A user and what opens for him, side by side: one thing that no word is. */
const isPair = (value: string): boolean =>
  isMixed(value) &&
  /\p{L}/u.test(value) &&
  isGiven(value) &&
  !isPlain(value) &&
  !/[/\\@]|^\w+\.\w+$/.test(value);
const USER = String.raw`["'\x60]?[\p{L}\p{N}_][^\s,/:|;"'\x60]{1,64}["'\x60]?`;

/** Says something of the phrase: "kept offline", "required by the tool". */
const SAYS =
  /^(?:\p{L}+ed|kept|set|not|never|always|only|too|very|optional|empty|wrong|missing)$/iu;
const isProse = (phrase: string): boolean => {
  const words = phrase.split(/[ \t]+/);
  return words.some((word) => isStopword(word.toLowerCase())) || SAYS.test(words[0] ?? "");
};

/** "… as the wifi password", "… is our deploy token" */
const AS_SECRET =
  String.raw`\s{1,2}(?:as|is)\s{1,2}(?:(?:the|my|our|your|its|an?)\s{1,2})?` +
  String.raw`(?:[\w-]{1,20}\s{1,2}){0,3}?(?:password|passphrase|passwd|pwd|token|secret` +
  String.raw`|(?:${KEY_OF})[ -]key)\b(?!\s(?:hash|reset|field|manager|polic|length))`;

const FORMS: readonly Form[] = [
  [
    "PIN",
    new RegExp(`${START}pin(?:[- ]?(?:code|number))?["'\\\\]{0,2}${OF}${IS}${DIGITS}`, "giu"),
  ],
  [
    "PIN",
    new RegExp(START + CODE + OF + IS + DIGITS, "giu"),
    (value) => !/^(?:19|20)\d\d$/.test(value),
  ],
  [
    "password",
    new RegExp(
      String.raw`(?<![\p{L}\p{N}_])(?:${PASSWORD})${IS}(\d{6,12})(?![\d%]|[-/.:,]\d|\s?\p{L})`,
      "giu",
    ),
  ],
  // "root / hunter42"
  [
    "password",
    inOrder(
      /(?<![\w/.-])(?:admin|administrator|root|guest|demo|test|user(?!: ))\s{0,2}[/|:]/giu,
      /\s{0,2}([^\s"'`,;|/]{6,60})/giu,
    ),
    (value) => isPair(value) && isHard(value),
  ],
  // "user / password: ada / …", "creds are ada:…"
  [
    "password",
    new RegExp(
      String.raw`${START}(?:log-?ins?(?: data)?|creds|credentials?|sign-?in|(?:test|demo` +
        String.raw`|admin|service|guest|root)[- ]account` +
        String.raw`|(?:user(?:name)?|login|account|e-?mail)\s{0,3}[/|,+&]\s{0,3}` +
        String.raw`(?:pass\p{L}{0,6}|pwd))` +
        String.raw`(?:\s{1,3}(?:for|of|to) [^\s:=]{1,30}){0,2}${IS}` +
        String.raw`(?:user\s{1,2})?${USER}\s{0,2}[/:,|]\s{0,2}["'\x60]?([^\s"'\x60,;|]{6,100})`,
      "giu",
    ),
    isPair,
  ],
  // "F0rest#12 as the password"; in quotes it need not look like one.
  [
    "secret",
    new RegExp(
      String.raw`(?<![^\s"'\x60(])(?=([^\s"'\x60(]{6,500}))\1(?=["'\x60]?${AS_SECRET})`,
      "giu",
    ),
    isHard,
  ],
  [
    "secret",
    new RegExp(String.raw`(?<=["'\x60])([^\s"'\x60]{6,500})(?=["'\x60]${AS_SECRET})`, "giu"),
    isGivenMixed,
  ],
  [
    "pass phrase",
    new RegExp(
      String.raw`${START}(?:pass ?phrase)${OF}${IS}["'\x60“]?([\p{L}\d'’-]{2,30}` +
        String.raw`(?:[ \t]{1,2}[\p{L}\d'’-]{1,30}){3,23})`,
      "giu",
    ),
    (value) => !isProse(value),
  ],
];
const HINT = either(
  /phrase|mnemonic|seed|token|secret|key|pin|combination|admin|root|guest|demo|test|user|code/iu,
  /cv[vc]|card|tan\b|otp|log-?in|creds|credential|sign-?in|account|mail|pass|pwd/iu,
);

const CELLS = /[|\t;,]/;
/** Characters of a row. */
const LONGEST_ROW = 2_000;

/** The head of a table, one of whose columns is named for passwords. */
function headIn(line: string) {
  const sign = CELLS.exec(line)?.[0];
  if (
    sign === undefined ||
    line.length > LONGEST_ROW ||
    !/pass|pwd|kennwort|contrase|senha|парол|パス/iu.test(line)
  )
    return undefined;
  const cells = line.split(sign);
  const column = cells.findIndex((cell) => isName(cell.replace(/[`"'*]/g, "")));
  return column < 0 || cells.some(({ length }) => length >= 60)
    ? undefined
    : { sign, cells: cells.length, column };
}

/** The column of a table, or of a file of values, whose head is a word for a password. */
function columnsIn(text: string): Secret[] {
  const found: Secret[] = [];
  let at = 0;
  let head: ReturnType<typeof headIn>;
  for (const line of text.split("\n")) {
    const before = at;
    at += line.length + 1;
    const cells = head === undefined || line.length > LONGEST_ROW ? [] : line.split(head.sign);
    if (head !== undefined && cells.length === head.cells) {
      const value = (cells[head.column] ?? "").trim().replace(/^[`"']|[`"']$/g, "");
      if (isStandIn(value) || !isMixed(value) || isPlain(value) || /\s/.test(value)) continue;
      const cell = cells.slice(0, head.column).reduce((sum, { length }) => sum + length + 1, 0);
      const start = before + line.indexOf(value, cell);
      found.push({ start, end: start + value.length, kind: "password" });
    } else head = headIn(line);
  }
  return found;
}

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
 * else up for seconds.
 */
export async function secretsSlowly(text: string): Promise<Secret[]> {
  const found: Secret[] = [];
  for (let at = 0; at < text.length; at += WINDOW) {
    for (const { start, end, kind } of secretsIn(text.slice(at, at + WINDOW + BEYOND)))
      found.push({ start: start + at, end: end + at, kind });
    await breathe();
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
  foundBy(FORMS, HINT),
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
    texts.set(text, text.length > WINDOW ? await maskSlowly(text) : mask(text));
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
