import { isStopword } from "../text/terms.ts";
import {
  type Form,
  foundBy,
  type Secret,
  isGiven,
  isHard,
  isMixed,
  isPlain,
  isStandIn,
  standsFor,
} from "./values.ts";
import { isName, PASSWORD } from "./named-values.ts";

const IS = String.raw`(?:\s{0,3}(?:[:=：＝]|[-=]>)\s{0,3}|\s{1,3}(?:is|are|was|ist|lautet|sind|es|est|é|это|[–—])(?:\s{1,3}(?:now|le|la|el|o))?:?\s{1,3}|\s{0,3}は\s{0,3})`;
/** "of my card", up to what it is. */
const OF = String.raw`(?:\s{1,3}[^\s=:,;!?"'\d]{1,30}(?<!\.)){0,6}?`;
const DIGITS = String.raw`["'\x60*]{0,2}(\d(?:[ -]?\d){3,9}[#*]?)(?![\d%]|[-/.:,]\d| ?(?:times|people|euro|usd|\$|€|characters))`;

const CODE = String.raw`(?<![\p{L}\p{N}_])(?:(?:door|gate|alarm|entry|unlock|lock|safe|security|one[- ]time|2fa|two[- ]factor|verification|login|sign-?in|sms|tür|zugangs|sicherheits|bestätigungs)[- ]?code|code (?:secret|d['’]accès|de sécurité|du portail)|código (?:de acceso|de acesso|secreto|de segurança|de seguridad)|код (?:доступа|от домофона|подтверждения)|(?:otp|tan)(?: code)?|(?:code|combination) (?:to|for|of) (?:\p{L}{1,20} ){0,4}?(?:door|gate|garage|alarm|safe|lock|building|house))`;
const PIN = String.raw`(?:(?<![\p{L}\p{N}_-])(?:(?:code|código|номер) )?(?:pin|пин)(?:[- ]?(?:code|nummer|number|код|kod))?(?![\p{L}\p{N}_])|暗証番号)`;

const given = (value: string): boolean => !/^(?:19|20)\d\d$/.test(value);
/** A user and what opens for him, side by side: one thing that no word is. */
const isPair = (value: string): boolean =>
  value.length >= 6 &&
  isMixed(value) &&
  /\p{L}/u.test(value) &&
  isGiven(value) &&
  !isPlain(value) &&
  !/[/\\@]|^\w+\.\w+$/.test(value);
const USER = String.raw`["'\x60]?[\p{L}\p{N}_][^\s,/:|;"'\x60]{1,64}["'\x60]?`;

const phrase = (named: string): RegExp =>
  new RegExp(
    String.raw`(?<![\p{L}\p{N}])(?:${named})${OF}${IS}["'\x60“«]?([\p{L}\d'’-]{2,30}(?:[ \t]{1,2}[\p{L}\d'’-]{1,30}){3,23})`,
    "giu",
  );
/** Says something of the phrase: "kept offline", "required by the tool". */
const SAYS =
  /^(?:\p{L}+ed|kept|stored|set|not|never|always|only|too|very|optional|empty|wrong|missing|correct|gespeichert|vergessen)$/iu;
const isProse = (phrase: string): boolean => {
  const words = phrase.split(/[ \t]+/);
  return words.some((word) => isStopword(word.toLowerCase())) || SAYS.test(words[0] ?? "");
};

const FORMS: readonly Form[] = [
  ["PIN", new RegExp(PIN + OF + IS + DIGITS, "giu"), undefined, /\bpin|пин|暗証/iu],
  [
    "PIN",
    /(?<![\p{L}\p{N}_-])(?:PIN|ПИН(?:-?код)?)(?:\s{1,3}\p{Script=Cyrillic}{1,30}){0,3}\s{1,3}(\d{4,8})(?![\d%]|[-/.:,]\d)/gu,
    given,
    /PIN|ПИН/,
  ],
  [
    "PIN",
    new RegExp(CODE + OF + IS + DIGITS, "giu"),
    given,
    /[a-zü][- ]?code[^\n]{0,80}\d[\d -]{3}|code [sd]|código|код|(?:code|combination) (?:to|for|of) |\b(?:otp|tan)\b/iu,
  ],
  [
    "PIN",
    new RegExp(
      String.raw`(?<![\p{L}\p{N}_])(?:cv[vc]2?|card (?:security|verification) (?:code|number)|prüfnummer)${OF}${IS}(\d{3,4})(?!\d|[-/.:,]\d)`,
      "giu",
    ),
    undefined,
    /\bcv[vc]|card [sv]|prüfn/iu,
  ],
  [
    "password",
    new RegExp(
      String.raw`(?<![\p{L}\p{N}_])(?:${PASSWORD})${IS}(\d{6,12})(?![\d%]|[-/.:,]\d|\s?\p{L})`,
      "giu",
    ),
    undefined,
    /\d{6}/,
  ],
  [
    "password",
    /(?<![\w/.-])(?:admin|administrator|root|guest|demo|test|user(?!: ))\s{0,2}[/|:]\s{0,2}([^\s"'`,;|/]{6,60})/giu,
    (value) => isPair(value) && isHard(value),
    /(?:admin\w*|root|guest|demo|test|user)\s{0,2}[/|:]/i,
  ],
  // "user / password: ada / …", "creds are ada:…"
  [
    "password",
    new RegExp(
      String.raw`(?<![\p{L}\p{N}_])(?:log-?ins?(?: data)?|creds|credentials?|sign-?in|zugang(?:sdaten)?|anmeldedaten|acceso|credenciales|identifiants|acesso|доступ|логин|ログイン(?:情報)?` +
        String.raw`|(?:test|demo|admin|service|guest|root)[- ]account|(?:user(?:name)?|login|account|benutzer(?:name)?|usuario|utilisateur|usuário|e-?mail|логин|ユーザー名?)\s{0,3}[/|,+&]\s{0,3}(?:pass\p{L}{0,6}|pwd|kennwort|contraseña|mot de passe|senha|пароль|パスワード))` +
        String.raw`(?:\s{1,3}(?:for|of|to|für|del?|do|для|к) [^\s:=]{1,30}){0,2}${IS}(?:(?:user|benutzer|usuario)\s{1,2})?${USER}\s{0,2}[/:,|]\s{0,2}["'\x60]?([^\s"'\x60,;|]{6,100})`,
      "giu",
    ),
    isPair,
    /log-?ins?|creds|credential|sign-?in|zugang|anmelde|acceso|identifiants|acesso|доступ|логин|ログイン|[- ]account|(?:user(?:name)?|login|account|benutzer(?:name)?|usu[aá]rio|utilisateur|mail|ユーザー名?)\s{0,3}[/|,+&]/i,
  ],
  // In Russian no verb stands between the two: "пароль от почты q8-Luna".
  [
    "password",
    /парол[ьяею]м?(?:\s{1,3}\p{Script=Cyrillic}{1,30}){0,4}\s{1,3}([A-Za-z0-9][^\s,;"'`]{5,200})/giu,
    (value) => isMixed(value) && !isPlain(value) && !standsFor(value),
  ],
  // "F0rest#12 as the password"
  [
    "password",
    /(?<![^\s"'`(「])([^\s"'`]{6,60})(?=["'`]?\s{1,2}(?:as|is|ist|als|es|est|é|como|comme)\s{1,2}(?:(?:the|my|our|its|das|mein|la|mi|le|mon|a|minha)\s{1,2})?(?:[\w-]{1,20}\s{1,2})?(?:password|passwort|kennwort|contraseña|mot de passe|senha|passphrase)(?!\s(?:hash|reset|field|manager|policy|polic|length)))/giu,
    isHard,
    /password|passwort|kennwort|contraseña|mot de passe|senha|passphrase/i,
  ],
  [
    "pass phrase",
    phrase("pass ?phrase|passwort-?satz|パスフレーズ"),
    (value) => !isProse(value) || /^correct\s/.test(value),
    /passphrase|pass phrase|satz|フレーズ/i,
  ],
  [
    "pass phrase",
    phrase(
      "(?:recovery|seed|secret|backup|wallet|mnemonic) phrase|mnemonic|seed words|phrase (?:de récupération|secrète|mnémonique)|frase (?:semilla|semente|de recuperación|de recuperação)|сид-фраза",
    ),
    (value) => !isProse(value) || value.split(/[ \t]+/).length >= 12,
    /phrase|frase|фраза|mnemonic|seed/iu,
  ],
];
const HINT =
  /phrase|frase|фраза|mnemonic|seed|フレーズ|pin|combination|admin|root|guest|demo|пин|暗証|code|código|код|cv[vc]|tan\b|otp|prüfn|log-?in|creds|credential|sign-?in|zugang|anmelde|acce|identifiant|acess|парол|доступ|логин|ログイン|account|user|benutzer|usu[aá]rio|utilis|mail|passw|kennw|contrase|mot de|senha|ユーザー/iu;
const byForm = foundBy(FORMS, HINT);

const CELLS = /[|\t;,]/;
/** Characters of a row. */
const LONGEST = 2_000;

/** The head of a table, one of whose columns is named for passwords. */
function headIn(line: string) {
  const sign = CELLS.exec(line)?.[0];
  if (
    sign === undefined ||
    line.length > LONGEST ||
    !/pass|pwd|kennwort|contrase|senha|парол|パス/iu.test(line)
  )
    return undefined;
  const cells = line.split(sign);
  if (cells.some(({ length }) => length >= 60)) return undefined;
  const column = cells.findIndex((cell) => isName(cell.replace(/[`"'*]/g, "")));
  return column < 0 ? undefined : { sign, cells: cells.length, column };
}

/** The column of a table, or of a file of values, whose head is a word for a password. */
function columnsIn(text: string): Secret[] {
  const found: Secret[] = [];
  if (!/^.*[|\t;,].*\n/m.test(text)) return found;
  let at = 0;
  let head: ReturnType<typeof headIn>;
  for (const line of text.split("\n")) {
    const before = at;
    at += line.length + 1;
    const cells = head === undefined || line.length > LONGEST ? [] : line.split(head.sign);
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

/** What people tell in their own order: a PIN, a pair, a phrase, a table. */
export const toldIn = (text: string): Secret[] => [...byForm(text), ...columnsIn(text)];
