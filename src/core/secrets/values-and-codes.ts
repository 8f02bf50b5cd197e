import { inOrder } from "../base.ts";
import { isStopword } from "../text/terms.ts";

/**
 * A place in a text where a secret stands: behind a flag, in an address, in a file of passwords.
 * The first group of its shape is the value, and the match ends with it; all repeats are bounded.
 */
export type Form = readonly [kind: string, shape: RegExp, judge?: (value: string) => boolean];

export const foundBy =
  (forms: readonly Form[], hint: RegExp): Find =>
  (text) =>
    hint.test(text)
      ? forms.flatMap(([kind, shape, judge]) =>
          Array.from(text.matchAll(shape))
            .filter(({ 0: whole, 1: value = whole }) => value !== "" && judge?.(value) !== false)
            .map((match) => ending(match, kind)),
        )
      : [];

/** A secret in a text: characters `start` up to `end`. */
export interface Secret {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

export type Find = (text: string) => Secret[];

/** The value that a match ends with: its group; all of it where the shape has none. */
export function ending(
  { 0: whole, 1: value = whole, index }: RegExpExecArray,
  kind: string,
): Secret {
  const end = index + whole.length;
  return { start: end - value.length, end, kind };
}

/** These stand where a secret would, and are none. */
const STAND_IN = new RegExp(
  String.raw`^(?:null|none|nil|undefined|true|false|string|number|boolean|object|any|unknown|void` +
    String.raw`|required|optional|missing|empty|invalid|expired|redacted|masked|hidden|disabled` +
    String.raw`|secret|password|passwd|pass|pwd|token|example|changeme|placeholder|todo|tbd` +
    String.raw`|username|postgres|root|admin|![a-z]{2,20}` +
    String.raw`|guest|default|test|x{3,}|\*{3,}|\.{3,}|…+|<[^>]*>|\[[^\]]*\]|\{[^}]*\}` +
    String.raw`|\$\{?[A-Za-z_][\w.]*\}?|\$\(.*|%[A-Z_]+%|%[sdr]|\{\{.*` +
    String.raw`|(?:your|my|the|some)(?:[_-][\w-]*|pass(?:word|wd)|pwd|secret|token|(?:api)?key)` +
    String.raw`|replace_?(?:me|with)[\w-]*|change[_-]?(?:me|this|it)(?:[_-][\w-]*)?` +
    String.raw`|process\.env\b.*|(?:env|vault|awssm|ssm|sops|ref):[\w./#-]+|os\.environ.*` +
    String.raw`|(?:env|config|settings|options|self|this|req|request|props|args|params)[.[].*` +
    String.raw`|[A-Za-z_$][\w$.]*\(.*)$`,
  "iu",
);
/** The name of a variable in capitals, as in "password: DB_PASSWORD". */
const CONSTANT = /^[A-Z][A-Z_]*$/;
/** A path, a domain or a file; a number with its unit, "8-character"; a date. */
const PLAIN_THING = new RegExp(
  String.raw`^(?:[.~]{0,2}\/[\w./-]*|\w[\w./-]*\/[\w-]+\.[a-z]\w{1,4}` +
    String.raw`|[a-z]+:(?:[a-z]+|\.{0,2})\/[\w./#-]*` +
    String.raw`|[a-z+-]{2,20}:\/\/[a-z@./_-]+(?::\d+[a-z./_-]*)?` +
    String.raw`|[\w-]+(?:\.[\w-]+)*\.` +
    String.raw`(?:com|org|net|io|dev|ts|js|py|json|md|txt|ya?ml|pem|key|env|go|rs|sh)` +
    String.raw`|\d+(?:[.,]\d+)*(?:%|k|ms|s|m|h|d|kb|mb|gb)?|\d{1,4}-[a-z]+|\d{4}-\d{2}-\d{2}.*)$`,
  "i",
);
/** Code that yields the value: names joined by dots and brackets, a template, a call. */
const EXPRESSION = new RegExp(
  String.raw`^[\^&*!@]?[a-z_$]+\d?(?:(?:\.|::|->|\?\.)(?:[a-z_$]+\d?)?|\[:?[a-z_$]*\d?\]?)+` +
    String.raw`(?:$|&&|\|\||[!=]=|\?)|\$\{|^\{`,
  "i",
);

/** Ends what an issuer shows in its own documents. */
export const isSample = (value: string): boolean =>
  /EXAMPLE(?:KEY)?$|x{8}$/i.test(value.slice(-10));

export const standsFor = (value: string): boolean =>
  isSample(value) || STAND_IN.test(value) || CONSTANT.test(value);

/** As `standsFor`; what has fewer than four letters, or one letter only, guards nothing. */
export const isStandIn = (value: string): boolean =>
  standsFor(value) || value.length < 4 || /^(.)\1*$/.test(value);

export const isPlain = (value: string): boolean =>
  EXPRESSION.test(value) || PLAIN_THING.test(value);

/** Bits of a letter, by how often each stands in the text, or in its beginning. */
export const bits = (text: string): number => {
  const shown = text.slice(0, 200);
  const counts = new Map<string, number>();
  for (const letter of shown) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let sum = 0;
  for (const count of counts.values())
    sum -= (count / shown.length) * Math.log2(count / shown.length);
  return sum;
};

/** Capitals and small letters in turn as no name in code has them: "FPgxtOVaYbfn". */
const isScrambled = (value: string): boolean =>
  /^(?=.*[A-Z]{2})(?=.*[A-Z][a-z](?![a-z]))[A-Za-z]{10,}$/.test(value) &&
  turnsOf(value) >= value.length / 3;

/** Two of letters, digits and signs: words and numbers have one. */
export const isMixed = (value: string): boolean =>
  isScrambled(value) ||
  [/\d/, /\p{L}/u, /[^\p{L}\d\s_.-]/u].filter((shape) => shape.test(value)).length >= 2;

/** How often letters and digits change: "step-2" and "SHA256" hardly do. */
const changes = (value: string): number =>
  value.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0;

/** Only secrets have letters and digits in turn, or a sign that no word holds. */
export const isHard = (value: string): boolean =>
  value.length >= 6 &&
  !isStandIn(value) &&
  !isPlain(value) &&
  (changes(value) >= 2 || (/\p{L}/u.test(value) && /[!#$%&*+?^~]/.test(value)));

/** A machine made it: nothing a person would call a thing by. */
export const isMachine = (value: string, least = 8): boolean =>
  value.length >= least && !isStandIn(value) && changes(value) >= 3 && bits(value) >= 2.8;

/** A group of digits alone, and a word between signs, as paths and names of things have. */
const NUMBER = /(?<![A-Za-z0-9])\d+(?![A-Za-z0-9])/g;
export const WORD = /(?:^|[/.:_-])[A-Za-z][a-z]{3,}(?=$|[/.:_-])/;
const TURN = /[a-z](?=[A-Z\d])|[A-Z](?=[a-z\d])|\d(?=[A-Za-z])/g;
export const turnsOf = (value: string): number => value.match(TURN)?.length ?? 0;
/** Drawn by chance: small letters, capitals and digits are in turn as no name has them. */
export function isDrawn(value: string, least = 16): boolean {
  const shown = value.slice(0, 200).replace(NUMBER, "");
  const turns = turnsOf(shown);
  return value.length >= least && /\d/.test(value) && turns >= 4 && turns >= shown.length / 7;
}
/** A service's own word for its token is no name of a thing. */
const KIND_FIRST = /^(?:secret|token|live|prod|test)_/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;
/** The same in a place where names of things stand, too: a path, "linux-npm-4f9a…". */
export const isKey = (value: string): boolean =>
  UUID.test(value) ||
  (isDrawn(value) && !isStandIn(value) && !WORD.test(value.replace(KIND_FIRST, "")));

/** A value in a place where nothing but a secret stands, as behind `sshpass -p`. */
export const isGiven = (value: string): boolean =>
  !isStandIn(value) &&
  !/^[-$<{%]/.test(value) &&
  !/^\d{1,3}$/.test(value) &&
  !/[<{]\w*[>}]$/.test(value);

/** There, too, where a word may follow that is none. */
export const isGivenMixed = (value: string): boolean =>
  isGiven(value) && isMixed(value) && !isPlain(value);

/** Is the last digit the one that checks the others? */
const isChecked = (number: string): boolean =>
  [...number.replace(/\D/g, "")].reverse().reduce((sum, digit, at) => {
    const twice = Number(digit) * (1 + (at % 2));
    return sum + (twice > 9 ? twice - 9 : twice);
  }, 0) %
    10 ===
  0;

/** The numbers that banks give, in fours or as American Express writes them. */
const card = (blank: string): string =>
  String.raw`((?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6011|65\d\d|35\d\d|62\d\d)(?:${blank}\d{4}){3}` +
  String.raw`|3[47]\d\d${blank}\d{6}${blank}\d{5}|3[068]\d\d${blank}\d{6}${blank}\d{4})` +
  String.raw`(?![\w-]|\.\d)`;
const OF_CARD =
  String.raw`(?:card|carte|karte|tarjeta|visa|master|amex|american|discover` +
  String.raw`|\bpan\b|\bcc\b|credit|debit|charge` +
  String.raw`|security code|\bcv|\bexp|(?<!\d)(?:0\d|1[0-2])\/[23]\d(?!\d))`;

const CODE_WORD = "[a-z]{3,8}";
const more = (between: string): string =>
  `(?:${between}(?:\\d{1,2}[.):]?[ \\t]{1,2})?${CODE_WORD})`;
const row = (between: string): string =>
  `${CODE_WORD}${more(between)}{11}(?:${more(between)}{3}){0,4}(?!${more(between)})`;
/** Twelve to twenty-four words of a wallet, in one line or in lines of their own. */
const WALLET =
  String.raw`(?:1[.):]?\s{1,2})?(${row(String.raw`(?:[ \t]{1,3}|[ \t]?,[ \t]{0,3})`)}` +
  String.raw`|${row(String.raw`,?[ \t]?\r?\n[ \t>*-]{0,8}`)})(?![\w'’-])`;
/** A row of words says nothing; a sentence is held together by those that have no sense alone. */
const withFew = (share: number) => (words: string) =>
  (words.match(/[a-z]+/g) ?? []).filter(isStopword).length <= share;

const PART = String.raw`(?=[A-Za-z-]{0,20}\d)[A-Za-z0-9]{4,10}(?![A-Za-z0-9])`;
const CODE = String.raw`(?:[A-Za-z]{4,10}-)?${PART}(?:[ -]${PART}|-[A-Za-z]{4,10}){0,11}(?![\w-])`;
const BEFORE_CODE = String.raw`["'\x60]?[\s,;|>*•-]{1,12}(?:and\s)?(?:\d\d?[.)]\s{1,3})?["'\x60]?`;

/** Numbers and words that are known by what stands beside them, or by a check of their own. */
const FORMS: readonly Form[] = [
  ["card number", new RegExp(String.raw`(?<![\w.-])${card("[ -]")}`, "g"), isChecked],
  // The number of an order passes the check one time in ten.
  [
    "card number",
    new RegExp(
      String.raw`(?<![\w.-])${card("")}(?:(?<=${OF_CARD}[^]{0,60})|(?=[^]{0,60}${OF_CARD}))`,
      "gi",
    ),
    isChecked,
  ],
  [
    "card code",
    new RegExp(
      String.raw`\b(?:(?:cv[vc]2?|(?:security|card) code)(?: [\w'’-]{1,20}){0,5}?(?=:| is)` +
        String.raw`|cv[vc]2?|cvn|csc` +
        String.raw`|(?:cid|code|pin)(?<=\d{4}[ -]?\d{3,5}\D[^\n]{0,80}))` +
        String.raw`["'\\]{0,2}(?: on (?:the|its) (?:back|front))?(?:\s{0,3}[:=(]|\s(?:is|no\.?))?` +
        String.raw`\s{0,3}["']?(\d{3,4})(?![-/.:,]?\d)`,
      "gi",
    ),
  ],
  // "4111 …, 12/29, 356"
  [
    "card code",
    inOrder(
      /(?<=\d{4}[ ,;|]{1,3}(?:exp\w{0,4}[ :.]{1,2})?(?:0\d|1[0-2])\s?\/\s?(?:20)?[23]\d)/g,
      /[ ,;|]{1,3}/g,
      /(\d{3,4})(?![-/.:,]?\d)/g,
    ),
  ],
  // What an app for codes is set up with, in fours.
  [
    "secret",
    inOrder(
      /\b(?:[th]?otp|2fa|mfa|authenticator|set-?up)[ _-](?:secret|key|seed)/gi,
      /(?:\s[\w'’]{1,20}){0,4}?["'`]?(?:\s{0,3}[:=]|\s(?:is|was))?\s{0,3}["'`]?/gi,
      /([A-Z2-7]{4}(?:[ -]?[A-Z2-7]{4}){3,15})(?![\w-])/gi,
    ),
    // Words of four letters stand in a row now and then.
    (code) => /\d/.test(code) || code === code.toUpperCase(),
  ],
  [
    "social security number",
    new RegExp(
      String.raw`(?:\b(?:ssn|social(?: security)?(?: (?:number|no\.?|#))?|tax id|itin)["'\\]{0,2}` +
        String.raw`(?:\s{0,3}[:=#]|\s(?:is|was))?\s{0,3}["']?(?=\d{3}[ -]?\d\d[ -]?\d{4})` +
        String.raw`|(?<![\w.-]|\b(?:phone|tel|call|fax|case|part|order|items?)\W{0,3})` +
        String.raw`(?!000|666|9)(?=\d{3}-(?!00)\d\d-(?!0000)))` +
        String.raw`(\d{3}[ -]?\d\d[ -]?\d{4})(?![\w-]|\.\d)`,
      "gi",
    ),
  ],
  [
    "seed phrase",
    new RegExp(
      String.raw`\b(?:(?:phrase|words|seed|mnemonic|wallet)` +
        String.raw`(?:\s(?:is|are|was)|(?:,?\s[\w'’]{1,20}){1,5}?(?=\s?[:=]))?["'\x60]?` +
        String.raw`\s{0,3}[:=]?|(?:recovery|backup)\s{0,3}(?:[:=]|[-=]>))[\s"'\x60>]{0,8}${WALLET}`,
      "gi",
    ),
    withFew(5),
  ],
  [
    "seed phrase",
    new RegExp(String.raw`^[\s"'\x60>*-]{0,8}${WALLET}(?=["'\x60.]?[ \t]{0,3}$)`, "gm"),
    withFew(1),
  ],
  [
    "recovery codes",
    new RegExp(
      String.raw`\b(?:(?:recovery|backup|restore|emergency|scratch|rescue|one[- ]time)[ _-]?` +
        String.raw`(?:verification )?(?:code|key)s?|(?:2fa|mfa|otp) codes?)\b` +
        String.raw`(?:\.\w{1,4})?(?:[^\S\n]{0,3}[A-Za-z'’(&/)]{1,20}){0,6}?` +
        String.raw`[\s:=–>*"'\x60-]{1,12}(?:\d{1,2}[.)]\s{1,3})?` +
        String.raw`(${CODE}(?:${BEFORE_CODE}${CODE}){0,30})`,
      "gi",
    ),
    (codes) => codes.length >= 6,
  ],
];
export const codesIn = foundBy(FORMS, /\d{3}|[a-z]{3}[\s,]{1,2}[a-z\d]|code|key/i);
