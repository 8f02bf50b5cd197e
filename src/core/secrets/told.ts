import { either, inOrder } from "../base.ts";
import { isStopword } from "../text/terms.ts";
import { isName, KEY_OF, PASSWORD } from "./named-values.ts";
import {
  type Form,
  foundBy,
  isGiven,
  isGivenMixed,
  isHard,
  isMixed,
  isPlain,
  isStandIn,
  type Secret,
} from "./values-and-codes.ts";

const IS =
  String.raw`(?:\s{0,3}(?:[:=]|[-=]>)\s{0,3}|\s{1,3}(?:is|are|was|[–—])` +
  String.raw`(?:\s{1,3}now)?:?\s{1,3})`;
/** "of my card", up to what it is. */
const OF = String.raw`(?:\s{1,3}[^\s=:,;!?"'\d]{1,30}(?<!\.)(?:['’]s)?){0,6}?`;
const START = String.raw`(?<![\p{L}\p{N}_-])`;
const DIGITS =
  String.raw`["'\x60*]{0,2}(\d(?:[ -]?\d){3,11}[#*]?)(?![\d%]|[-/.:,]\d| ?(?:times|people` +
  String.raw`|messages|days|items|euro|usd|\$|€|characters))`;

const CODE =
  String.raw`(?:(?:door|gate|garage|alarm|entry|unlock|lock(?:box)?|keypad|safe|security` +
  String.raw`|one[- ]time|2fa|two[- ]factor|verification|login|sign-?in|sms|pin)[- ]?code` +
  String.raw`|(?:otp|tan)(?: code)?|(?:locker|lock|safe|bike) combination` +
  String.raw`|(?:code|combination) (?:to|for|of) (?:\p{L}{1,20} ){0,4}?` +
  String.raw`(?:door|gate|garage|alarm|safe|lock|building|house))`;

/** Without a sign, digits are a code where the clause ends. */
const ENDS = String.raw`\s(?=[\d -]{4,14}(?:[#*]|\s?(?:$|[\n,.;)]|for\s)))`;
/** A password of six digits and more alone. */
const NUMBERED = String.raw`(?:${PASSWORD})(?=\D{0,60}(?<!\d)\d{6,12}(?![\d%]|[-/.:,]\d|\s?\p{L}))`;

/** A user and what opens for him, side by side: one thing that no word is. */
const isPair = (value: string): boolean =>
  isMixed(value) &&
  /\p{L}/u.test(value) &&
  isGiven(value) &&
  !isPlain(value) &&
  !/[/\\@]|^\w+\.\w+$/.test(value);
/** As people choose one when they are asked for a capital and a digit. */
const isChosen = (value: string): boolean =>
  isHard(value) || (isGivenMixed(value) && /^(?=.*\d.*\d)(?=.*[a-z])(?=.*[A-Z]).{8}/.test(value));
const USER = String.raw`["'\x60]?[\p{L}\p{N}_][^\s,/:|;"'\x60]{1,64}["'\x60]?`;

/** Says something of the phrase: "kept offline", "required by the tool". */
const SAYS =
  /^(?:\p{L}+ed|kept|set|not|never|always|only|too|very|optional|empty|wrong|missing)(?![^ \t])/iu;
const isPhrase = (phrase: string): boolean =>
  !SAYS.test(phrase) &&
  !phrase
    .toLowerCase()
    .split(/[ \t]+/)
    .some(isStopword);

/** "… as the wifi password", "… is our deploy token" */
const AS_SECRET =
  String.raw`\s{1,2}(?:(?:as|is)\s{1,2}|\()(?:(?:the|my|our|your|its|an?)\s{1,2})?` +
  String.raw`(?:[\w-]{1,20}\s{1,2}){0,3}?(?:password|passphrase|passwd|pwd|token|secret` +
  String.raw`|(?:${KEY_OF})[ -]key)\b(?!\s(?:hash|reset|field|manager|polic|length))`;

const FORMS: readonly Form[] = [
  [
    "PIN",
    new RegExp(
      String.raw`${START}(?:pin(?:[- ]?number)?|puk|${CODE}|${NUMBERED})["'\\]{0,2}` +
        `(?:${OF}${IS}|${ENDS})${DIGITS}`,
      "giu",
    ),
  ],
  // "G-123456 is your Acme code"
  [
    "code",
    /(?<![\w.:/]|\d-)\d{3}[ -]?\d{3,5}(?=\sis\s(?:your|the)\s(?:[\w-]{1,20}\s){0,4}?code\b)/gi,
  ],
  // "password from … to …"
  [
    "password",
    new RegExp(
      String.raw`${START}(?:${PASSWORD})${OF}\s{1,3}from\s{1,3}["'\x60]?` +
        String.raw`([^\s"'\x60]{6,60}["'\x60]?\s{1,3}to\s{1,3}["'\x60]?[^\s"'\x60,;]{6,60})`,
      "giu",
    ),
    isMixed,
  ],
  // "ada@acme.io:hunter42"
  [
    "password",
    inOrder(
      /(?<![\w.@/-])[\w.+-]{1,64}@[\w-]{1,60}(?:\.[\w-]{2,30}){1,3}/giu,
      /(?:\s?[:|]\s?|\s\/\s)([^\s"'`,;|]{6,60})/giu,
    ),
    (value) => isPair(value) && /\d/.test(value) && !/\.\w{1,5}$/.test(value),
  ],
  // "root / hunter42"
  [
    "password",
    inOrder(
      /(?<![\w/.-])(?:admin|administrator|root|guest|demo|test|user(?!: ))\s{0,2}[/|:]/giu,
      /\s{0,2}([^\s"'`,;|/]{6,60})/giu,
    ),
    (value) => isPair(value) && isChosen(value),
  ],
  // "wifi: Lodge / …"
  [
    "password",
    /(?<![\w-])(?:wi-?fi|wlan|hotspot)\s?:\s?[^\n/|]{1,40}?\s?[/|]\s?([^\s"'`,;|/]{8,63})/gi,
    isChosen,
  ],
  // "user / password: ada / …", "creds are ada:…"
  ...[
    [IS, isPair] as const,
    // Without a sign only what no word is.
    [String.raw`\s{1,3}(?![^\s,]{1,64},)`, isHard] as const,
  ].map(([is, judge]): Form => [
    "password",
    new RegExp(
      String.raw`${START}(?:log(?:ged)?[- ]?ins?(?: data)?|creds|credentials?|sign-?in` +
        String.raw`|(?:test|demo|admin|service|guest|root)[- ]account` +
        String.raw`|(?:user(?:name)?|login|account|e-?mail)\s{0,3}[/|,+&]\s{0,3}` +
        String.raw`(?:pass\p{L}{0,6}|pwd))` +
        String.raw`(?:\s{1,3}(?:for|of|to) [^\s:=]{1,30}){0,2}${is}` +
        String.raw`(?:(?:user|as)\s{1,2})?${USER}(?:\s{0,2}[/:,|]|\s{1,3}(?:with|and))\s{0,2}` +
        String.raw`["'\x60]?([^\s"'\x60,;|]{6,100})`,
      "giu",
    ),
    judge,
  ]),
  // "F0rest#12 as the password"; in quotes it need not look like one.
  [
    "secret",
    new RegExp(
      String.raw`(?:(?<=["'\x60])|(?<![^\s(])(?=[^\s"'\x60]{0,60}` +
        String.raw`(?:[!#$%&*+?^~]|[a-z]\d{1,9}[a-z]|[a-z]{5}\d\d|\d[a-z-]{2,9}\d)))` +
        String.raw`(?=([^\s"'\x60(]{6,500}))\1(?=["'\x60]?${AS_SECRET})`,
      "giu",
    ),
    isGivenMixed,
  ],
  // "WiFi: Lodge, key maple-4417"
  [
    "password",
    new RegExp(
      String.raw`${START}(?:(?:ssid|wi-?fi|wlan|hotspot)(?![\p{L}\p{N}])[^\n]{0,60}?[\s,;|/]` +
        String.raw`(?:key|code|pass|pw|P(?=:))|(?:user(?:name)?|log-?in|account|admin|root)` +
        String.raw`(?![\p{L}\p{N}])[^\n]{0,60}?(?:[,;|/]\s?pass|[\s,;|/]pwd?))(?:${IS}|\s)` +
        String.raw`["'\x60]?([^\s"'\x60,;|]{8,63})`,
      "giu",
    ),
    (value) => /\d/.test(value) && (isGivenMixed(value) || /^\d+$/.test(value)),
  ],
  // "The wifi password? It's …"
  [
    "password",
    new RegExp(
      String.raw`${START}(?:${PASSWORD}|token|key)[^\n]{0,60}?(?:[?.!,]["”]?\s{1,3}["“]?` +
        String.raw`(?:use|(?:now\s)?it(?:['’]s|\sis|\swas)(?:\snow)?)` +
        String.raw`|(?:chang|set|reset)\w{0,4}\s(?:it|that)\sto)` +
        String.raw`:?\s{1,3}["'\x60]?([^\s"'\x60,;]{5,200}[^\s"'\x60,;.])`,
      "giu",
    ),
    isChosen,
  ],
  [
    "secret",
    inOrder(
      /\bvariable\s{1,3}"\w{0,60}(?:pass(?:word)?|pwd|secret|token|(?<!public_)key)"\s{0,3}/gi,
      /\{[^}]{0,300}?\bdefault\s{0,3}=\s{0,3}"([^"\n]{6,500})/gi,
    ),
    isGivenMixed,
  ],
  // Mail shops give out passwords for a program in fours.
  [
    "password",
    new RegExp(
      String.raw`(?<![\p{L}\p{N}])(?:${PASSWORD}|pass)["']?(?:${OF}${IS}|\s(?=\w{4}-))["'\x60]?` +
        String.raw`([a-z\d]{4}([ -])[a-z\d]{4}(?:\2[a-z\d]{4}){2})(?![ -]?\w)`,
      "giu",
    ),
    isPhrase,
  ],
  [
    "pass phrase",
    new RegExp(
      String.raw`${START}(?:pass ?phrase)${OF}${IS}["'\x60“]?([\p{L}\d'’-]{2,30}` +
        String.raw`(?:[ \t]{1,2}[\p{L}\d'’-]{1,30}){3,23})`,
      "giu",
    ),
    isPhrase,
  ],
];
const HINT = either(
  /phrase|mnemonic|seed|token|secret|key|pin|combination|admin|root|guest|demo|test|user|code/iu,
  /cv[vc]|card|tan\b|otp|log-?in|creds|credential|sign-?in|account|mail|pass|pwd/iu,
  /@|ssid|wi-?fi|wlan|hotspot|door|gate|alarm|keypad|entr|garage|lock|safe|puk/iu,
);

/** Passwords and codes as people tell them. */
export const toldIn = foundBy(FORMS, HINT);

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
export function columnsIn(text: string): Secret[] {
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
