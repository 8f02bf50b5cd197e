import {
  bits,
  isHard,
  isKey,
  isMixed,
  isPlain,
  type Secret,
  standsFor,
  turnsOf,
} from "./values-and-codes.ts";

/** A field is named in the language of its form; prose about it is read in English. */
export const PASSWORD =
  String.raw`pass(?:word|wd|phrase|code|wort)|pass[ -]phrase|pwd|kennwort|losungswort` +
  String.raw`|contrase(?:ñ|n\u0303?)a|clave` +
  String.raw`|mot[ -]de[ -]passe|mdp|senha|palavra[ -](?:passe|chave)|парол[ьяею]м?` +
  String.raw`|wachtwoord|hasło|lösenord` +
  String.raw`|(?:wpa[_-]?)?psk|(?:wlan|wi-?fi|netzwerk)[- ]?(?:schlüssel|key|код|clé)` +
  String.raw`|パスワード|パスコード|パスフレーズ|暗証番号|合言葉|密码|密碼|口令|비밀번호`;

/** Keys that open something. */
export const KEY_OF =
  "api|access|auth|signing|encryption|private|master|account|storage|license|shared|service" +
  "|deploy|ssh|client|app|admin|root|unseal";
/** Words for what machines are known by. Plural "tokens" counts things, "token count" too. */
const TOKEN =
  String.raw`secret[_-]?id|secrets?(?:[_. -]?(?:access[_. -]?)?key(?:[_. -]?base)?)?` +
  String.raw`|(?:${KEY_OF})[_. -]?(?:key|secret|token)|apikey` +
  String.raw`|(?:recovery|backup|restore|activation|product|emergency)[_. -]?(?:key|codes?)` +
  String.raw`|(?:[A-Za-z]{1,20}[_. -])?token|bearer|credentials?|fernet|secretstr|cookie|conn` +
  String.raw`(?:ection)?[_. -]?string|_auth|code[_-]?verifier|assertion` +
  String.raw`|(?:api|sicherheits|wiederherstellungs|geheimer |privater )[- ]?schlüssel` +
  String.raw`|cl[ée] (?:api|secr[èe]te|privée|wi-?fi|d['’]accès)|jeton(?: d['’]accès)?` +
  String.raw`|chave (?:(?:de )?api|secreta|privada|de acesso)|api[- ]?ключ|(?:секретный ` +
  String.raw`|приватный )ключ|ключ api|токен` +
  String.raw`|シークレット|トークン|apiキー|秘密鍵|アクセスキー|密钥|令牌`;

/** As programs write it, one word: "dbPassword". */
const JOINED =
  String.raw`[A-Za-z]{2,40}(?:Pass(?:word|wd|wort|phrase|code)|Pwd|Kennwort|Secret|Token` +
  String.raw`|(?:Api|Secret|Access|Private)Key)`;
/** Said alone, without a sign of giving, it is a road or what a test did. */
const PASS =
  String.raw`(?:[A-Z]{1,40})?pass(?=["'\x60\\]{0,3}\s?(?:[:=>]|value|is\s|for\s))|pw` +
  String.raw`(?=["'\x60\\]{0,3}\s?(?:[:=>]|value|is\s|for\s))` +
  String.raw`|(?:smtp|db|user|mail|admin|root|sql|ftp|redis|proxy|ssh|wi-?fi)[_. -]?pass` +
  String.raw`|redis[_-]auth|D?sonar\.login`;

/** "TOKEN_BEDROCK", "KEY_B64": what a name goes on with, but for what only tells of a secret. */
const TAIL =
  String.raw`[_-](?!(?:id|name|path|url|uri|file|hash|count|type|ref|prefix|size|len|ttl|expir)` +
  String.raw`)[A-Za-z\d]{2,20}(?![A-Za-z\d_-])`;
/** Other things have these names, too: only what looks drawn by chance is a secret behind them. */
const WEAK =
  String.raw`[A-Za-z\d]{0,40}keys?|(?:[A-Za-z\d]{1,40}[_-])?auth(?:_string)?` +
  String.raw`|pat|[A-Za-z\d]{1,40}[_-](?:pat|dsn|pk|api|private)` +
  String.raw`|[A-Za-z]{0,20}(?:salt|pepper)|(?:token|secret|pass(?:word|wd)|pwd)(?=${TAIL})`;
/** Keys that open nothing. */
const OPEN = new RegExp(
  String.raw`(?:pub(?:lic)?(?:_[a-z\d_]{1,30})?|publishable|primary|foreign|partition|sort|range` +
    String.raw`|cache|restore|idempotency` +
    String.raw`|dedup|lookup|group|routing|site|translation|object|row|\bmap|host|message` +
    String.raw`|unique|item|query|hash|issue|project|file|user\.signing|gpg:|did:)` +
    String.raw`[_. "'-]{0,2}keys?$` +
    String.raw`|existing_?secret$`,
  "i",
);

/** "_STAGING", "_2": one of several by the same name. */
const STAGE =
  String.raw`(?:[_-](?:\d{1,2}|v\d|prod(?:uction)?|live|stag(?:e|ing)|dev(?:elopment)?|test|local` +
  String.raw`|old|new|primary|secondary|default))?(?![A-Za-z0-9])`;

/** A secret's name, behind the thing it is of: "DB_PASSWORD", "WLAN-Passwort". */
const NAME =
  String.raw`(?<![A-Za-z0-9]|:\d{12}:)((?:[A-Za-z0-9]{1,40}[_.-]){0,6}?(?:${PASSWORD}|${TOKEN}` +
  String.raw`|${JOINED}|${PASS})(?:[_-](?:key|value|string|id))?)${STAGE}`;

const namesPassword = (name: string): boolean => PASSWORD_NAME.test(name);
const PASSWORD_NAME = new RegExp(String.raw`${PASSWORD}|pass$|pw$|secret$`, "iu");

/** A name and nothing else: the head of a column, an element, an attribute's value. */
export const isName = (text: string): boolean => ONLY_NAME.test(text.trim());
const ONLY_NAME = new RegExp(
  String.raw`^(?:[\w-]{1,30}:)?(?:${NAME}|pass|psk|pw|(?:[\w.-]{1,40}[_.-])?key` +
    String.raw`|(?!public|primary)[A-Za-z\d]{2,40}(?:Key|Salt))$`,
  "iu",
);

/** A text without one of these holds no secret that is given by its name. */
const HINT = new RegExp(
  "pass|pw|psk|pin|secret|token|key|credential|bearer|basic|cookie|session|conn|auth|code" +
    "|phrase|wort|clave|contrase|senha|palavra|парол|ключ|код|токен|пин|wachtw|hasło|lösenord" +
    "|salt|pepper|_private|fernet|\\bpat\\b|_pat|_dsn|_pk|-api" +
    "|mdp|jeton|schlüssel|cv[vc]2?|mnemonic|seed|login|creds|account" +
    "|zugang|acce|accès|密|口令|令牌|パス|暗証|合言葉|トークン|シークレット|キー|秘密鍵|비밀번호|\\$\\d",
  "iu",
);

/** Quotes stand around a value, also in text that was written into a string, once or twice. */
const QUOTE = String.raw`(?:\\{0,7}["'\x60]|&quot;|&#34;)`;
const VERB =
  String.raw`(?:(?:is|are|was|es|est|ist|lautet|gave (?:me|us)` +
  String.raw`|to(?!\s{1,3}(?:the|my|our|your|this|that)\b))` +
  String.raw`(?:\s{1,3}(?:now|set to))?(?!\p{L})|=)`;
/** "token: string = …", "key: Option<&str> = …". */
const TYPED =
  String.raw`\s{0,3}:\s{0,2}(?:Final|(?:[\w&'<[]{0,20}[\s<[&])?str(?:ing)?[\]>?]{0,2})` +
  String.raw`(?:\s?\|\s?\w{1,12})?` +
  String.raw`\s{0,2}=\s{0,3}`;
/** The next cell of a row; only a value that is long holds a key. */
const CELL =
  String.raw`\s{0,3}\|(?!\|)\s{0,3}(?=[^\s|]{7,200}\s{0,40}(?:[|\n]|$))` +
  String.raw`|,(?=[^\s,]{7,200}(?:[,\n]|$))`;
/** A block of YAML, in lines of its own. */
const IN_LINES = String.raw`\s{0,3}:\s{1,3}[|>][+-]?\s{1,20}`;
/** The value that a name is given: beside it in an element or a structure, or as its text. */
const BESIDE =
  String.raw`(?:\s{1,20}[\w:.-]{1,40}=["'][^"'<>]{0,200}["']){0,4}(?:\s{0,20},?\s{0,20}${QUOTE}?` +
  String.raw`(?:value|content)${QUOTE}?\s{0,3}[:=]\s{0,6}|\s{0,3}>\s{0,40}(?:<!\[CDATA\[)?)` +
  String.raw`|<\/key>\s{0,40}<string>`;
const IS =
  String.raw`${BESIDE}|${TYPED}|${IN_LINES}` +
  String.raw`|${QUOTE}?\s{0,3}[:=]\s{0,3}\{[^{}]{0,80}?\bvalue${QUOTE}?\s{0,3}[:=]\s{0,3}` +
  String.raw`(?=\\?["'])` +
  String.raw`|\s{0,20}(?:=>|[:?]=|={1,3}|:|\|\|=|->|→|：|＝)\s{0,6}|\s{1,3}${VERB}\s{0,3}:?\s{0,3}` +
  String.raw`|\(b?(?=["'])|\s{1,3}[–—-]\s{1,3}|['’]s\s{1,3}` +
  String.raw`|(?<=["'\x60])\s{0,3},\s{0,3}(?=["'\x60])|${CELL}`;
/** "of the database", "wifi": what a name is of, up to its value. */
const of = (blank: string): string =>
  String.raw`(?:${blank}{1,3}[^\s=:,;!?"'\x60]{1,30}(?<!\.)){1,6}?`;
const OPENING =
  String.raw`(?:(?:[\w.[\]]{0,30}(?:from|atob|decode|str|bytes?|string|array)\(\s?){1,3}b?` +
  String.raw`(?=["'])` +
  String.raw`|(?:bearer|basic|token)\s{1,2}|[bN](?=["'])|token=|\[\s{0,20}` +
  String.raw`|(?<!=)[*_]{1,3}\s{0,2}|[«“„「『‹]\s?)?(${QUOTE}?)`;
/** "the password's …": that mark belongs to the word behind it. */
const NAMED = new RegExp(String.raw`${NAME}(?:(?!['’]s\s)(?:${QUOTE}|[*\]])){0,3}`, "giu");
const LOOSELY_NAMED = new RegExp(
  String.raw`(?<![A-Za-z0-9])((?:[A-Za-z0-9]{1,40}[_.-]){0,6}?(?:${WEAK}))` +
    String.raw`(?:${TAIL}|${STAGE}(?!_))(?:(?!['’]s\s)(?:${QUOTE}|[*\]])){0,3}`,
  "giu",
);
/** A value follows at once, of something in the line, beside the name, or over lines. */
const FOLLOWS = [
  `()(${IS})`,
  String.raw`(${of(String.raw`[^\S\n]`)})(${IS})`,
  String.raw`(${of(String.raw`[^\S\n]`)})(\s{0,3}:\s{1,6})`,
  String.raw`()(\s{1,3}(?=[^\s=:]{8,}))`,
  String.raw`(${of(String.raw`\s`)})(${IS})`,
].map((shape) => new RegExp(shape + OPENING, "iuy"));
/** A value without quotes goes on to the next blank. */
const RUN = /^[^\s"'`,;<>()]+/;
/** A sentence or a structure ends so, or the end of a line was written out. */
const BEHIND = /\\[nrt].*$|(?<![.:!?\]}。*\\|])[.:!?\]}。*\\|]+$/;
const LONGEST_VALUE = 4_000;
/** "!" ends a sentence and a password alike; of several values the others are as long. */
const MORE = /^(?:!+|(?:,[\w+/=-]{20,200}){1,20})/;

interface NamedValue {
  readonly password: boolean;
  /** In a sentence, where any word may follow. */
  readonly loosely: boolean;
  readonly quoted: boolean;
  /** The name of a setting in capitals with "=", which nothing but its value follows. */
  readonly isSetting: boolean;
}

/** A machine made the value up, or a person who was asked for a digit and a sign. */
function secretive(value: string, { password, loosely, quoted, isSetting }: NamedValue): boolean {
  if (value.length < 6 || value.length > LONGEST_VALUE || standsFor(value) || isPlain(value))
    return false;
  const mixed = isMixed(value);
  if (password || isSetting) {
    // In a sentence a name of code may follow.
    if (mixed || loosely) return mixed && !(loosely && /^[a-z]+(?:_[a-z]+)+\d?$/.test(value));
    if (quoted) return value.length >= 10 || !/^\p{Lu}\p{L}+$/u.test(value);
    if (/^[a-z]+(?:-[a-z]+){2,}$|^(?:\p{L}+-){3,}\p{L}+$/u.test(value)) return true;
    return (
      /^\p{L}+$/u.test(value) &&
      (isSetting || value.length >= 16 || /^\p{Lu}?\p{Ll}+\p{Lu}/u.test(value))
    );
  }
  if (loosely && !/\d/.test(value)) return false;
  if (value.length >= 12 && mixed) return bits(value) >= (value.length >= 20 ? 3 : 2.8);
  return !loosely && value.length >= 20 && turnsOf(value) >= value.length / 3;
}

/** Values given by name: "DB_PASSWORD=…", "api key is …", "the password for staging is …". */
export function namedIn(text: string): Secret[] {
  if (!HINT.test(text)) return [];
  // A name may be followed by another: "the token for the password is …".
  return [NAMED, LOOSELY_NAMED].flatMap((names) =>
    [...text.matchAll(names)].flatMap((name) =>
      FOLLOWS.flatMap(
        (shape) => valueBehind(name, shape, { text, strong: names === NAMED }) ?? [],
      ).slice(0, 1),
    ),
  );
}

/** Behind a name says that another thing of that name follows. */
const OF_A_NAME =
  /\b(?:hash|length|polic|field|type|hint|manager|strength|reset(?!$)|algo|column|id\b|fingerp)/i;

/** Says that a value behind a name that other things have, too, is a secret. */
function isKeyBehind(name: string, before: string, is: string, value: string): boolean {
  if (/^(?:phc|pk)_|^6L|^(?:ssh|ecdsa)-/.test(value) || !isKey(value)) return false;
  const hasCases = /[a-z]/.test(value) && /[A-Z]/.test(value) && value.length >= 20;
  if (/^keys?$/i.test(name) && !/\w /.test(before)) return hasCases && value.length >= 24;
  // "the deepgram key 5f1d…", but not "no row with key 5f1d…".
  const isOfSomething = /(?<!\b(?:an?|by|for|of|on|row|the|th\w{2}|with)) keys?$/i.test(before);
  return hasCases || isOfSomething || is.trim() !== "" || /^[A-Z\d]+_[A-Z\d_]+$/.test(name);
}

function valueBehind(
  named: RegExpExecArray,
  shape: RegExp,
  { text, strong }: { text: string; strong: boolean },
): Secret | undefined {
  shape.lastIndex = named.index + named[0].length;
  const match = shape.exec(text);
  if (match === null) return undefined;
  const [name = "", start] = [named[1], shape.lastIndex];
  const [, gap = "", is = "", quote = ""] = match;
  const rest = text.slice(start, start + LONGEST_VALUE + 1);
  const isElement = /(?<![=-])>\s*$|\[CDATA\[$/.test(is);
  const quoted = isElement || quote !== "";
  const closed = rest.slice(0, Math.max(0, rest.indexOf(isElement ? "<" : quote)));
  const held = isElement ? closed.replace(/\]\]>\s*$/, "").trimEnd() : closed;
  const { length } = quoted ? held : (RUN.exec(rest)?.[0] ?? "").replace(BEHIND, "");
  const value = rest.slice(0, length);
  if (
    length === 0 ||
    // "PASS" says how a test went.
    (name === "PASS" && is !== "=") ||
    // A value that begins like a key in lines of its own is judged as one.
    (quoted && value.includes("\n")) ||
    (isElement && /\s/.test(value)) ||
    /^-----BEGIN|^\?[^}\n]*\}|^\/\/(?!\S{30})|^[a-z-]{1,20}=["'{]/.test(rest) ||
    // A function of that name is called.
    rest[length] === "(" ||
    OF_A_NAME.test(gap)
  )
    return undefined;
  const isGiving = /[=:：＝>→,]/.test(is);
  const password = namesPassword(name);
  const isListed = /^\s*[,|]\s*$/.test(is);
  const loosely = gap !== "" || (!quoted && !isGiving) || isListed;
  const isSetting = /^[=:] ?$/.test(is) && /^[A-Z][A-Z0-9_]*$|\..*\./.test(name);
  const before = text.slice(Math.max(0, named.index - 16), named.index + name.length);
  if (OPEN.test(before) || !(strong || isKeyBehind(name, before, is, value))) return undefined;
  // In a cell beside the name, and in a call, words of all kinds stand.
  const isAside = /^\(/.test(is) || (!password && /^\s*\||^,$/.test(is));
  if (isAside && !isKey(value) && !(password && /\d/.test(value) && isHard(value)))
    return undefined;
  if (
    (strong && !secretive(value, { password, loosely, quoted, isSetting })) ||
    // Beside a name in a list stands another name.
    (isListed && /pass|secret|token|key/i.test(value)) ||
    (/pass$/i.test(name) && !(isMixed(value) && /\p{L}/u.test(value)))
  )
    return undefined;
  const signs = quoted ? 0 : (MORE.exec(rest.slice(length))?.[0].length ?? 0);
  return { start, end: start + length + signs, kind: password ? "password" : "secret" };
}
