import { isStopword } from "../text/terms.ts";
import { type Form, foundBy } from "./values.ts";

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
  String.raw`(?:card|visa|master|amex|american|discover|\bpan\b|\bcc\b|credit|debit` +
  String.raw`|security code|\bcv|\bexp)`;

const WORD = "[a-z]{3,8}";
const more = (between: string): string => `(?:${between}(?:\\d{1,2}[.):]?[ \\t]{1,2})?${WORD})`;
const row = (between: string): string =>
  `${WORD}${more(between)}{11}(?:${more(between)}{3}){0,4}(?!${more(between)})`;
/** Twelve to twenty-four words of a wallet, in one line or in lines of their own. */
const WALLET =
  String.raw`(?:1[.):]?\s{1,2})?(${row(String.raw`(?:[ \t]{1,3}|[ \t]?,[ \t]{0,3})`)}` +
  String.raw`|${row(String.raw`,?[ \t]?\r?\n[ \t>*-]{0,8}`)})(?![\w'’-])`;
/** A row of words says nothing; a sentence is held together by those that have no sense alone. */
const withFew = (share: number) => (words: string) =>
  (words.match(/[a-z]+/g) ?? []).filter(isStopword).length <= share;

const PART = String.raw`(?=[A-Za-z-]{0,20}\d|[A-Z]{4})[A-Za-z0-9]{4,10}(?![A-Za-z0-9])`;
const CODE = String.raw`${PART}(?:[ -]${PART}|-[A-Za-z]{4,10}){0,11}(?![\w-])`;
const BEFORE_CODE = String.raw`["'\x60]?[\s,;|>*•-]{1,12}(?:and\s)?(?:\d\d?[.)]\s{1,3})?["'\x60]?`;

/** Numbers and words that are known by what stands beside them, or by a check of their own. */
const FORMS: readonly Form[] = [
  ["card number", new RegExp(String.raw`(?<![\w.-])${card("[ -]")}`, "g"), isChecked],
  // The number of an order passes the check one time in ten.
  [
    "card number",
    new RegExp(
      String.raw`(?<![\w.-])${card("")}(?:(?<=${OF_CARD}[^\n]{0,60})|(?=[^\n]{0,60}${OF_CARD}))`,
      "gi",
    ),
    isChecked,
  ],
  [
    "card code",
    new RegExp(
      String.raw`\b(?:cv[vc]2?|cvn|csc|(?:cid|code|pin)(?<=\d{4}[ -]?\d{3,5}\D[^\n]{0,80}))` +
        String.raw`["'\\]{0,2}(?:\s{0,3}[:=(]|\s(?:is|no\.?))?\s{0,3}["']?(\d{3,4})(?![-/.:,]?\d)`,
      "gi",
    ),
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
      String.raw`\b(?:phrase|words|seed|mnemonic|wallet)(?:\s(?:is|are|was))?["'\x60]?` +
        String.raw`\s{0,3}[:=]?[\s"'\x60>]{0,8}${WALLET}`,
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
        String.raw`(?:code|key)s?|(?:2fa|mfa|otp) codes?)\b(?:[^\S\n]{0,3}[A-Za-z'’]{1,20}){0,6}?` +
        String.raw`[\s:=–>*"'\x60-]{1,12}(?:\d{1,2}[.)]\s{1,3})?` +
        String.raw`(${CODE}(?:${BEFORE_CODE}${CODE}){0,30})`,
      "gi",
    ),
    (codes) => codes.length >= 6,
  ],
];
export const codesIn = foundBy(FORMS, /\d{3}|[a-z]{3}[\s,]{1,2}[a-z\d]|code|key/i);
