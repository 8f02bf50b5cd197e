import { type Secret } from "./span.ts";

/** Names that say "what follows is a secret". Plural "tokens" counts things, "token count" measures them. */
const NAME =
  String.raw`(?<![A-Za-z0-9])((?:[A-Za-z0-9]{1,40}[_.-]){0,6}?(?:pass(?:word|wd|phrase|code)|passwort|pwd|secret(?:[_. -]?(?:access[_. -]?)?key)?|(?:api|access|auth|signing|encryption|private|master|account|storage|license|shared|service|deploy|ssh|client)[_. -]?(?:key|secret|token)|apikey|(?:[A-Za-z]{1,20}[_. -])?token|bearer|credentials?|cookie|conn(?:ection)?[_. -]?string|[A-Za-z]{2,20}(?:Password|Secret|Token|ApiKey|SecretKey|AccessKey|PrivateKey)|(?:[A-Za-z]{2,20}[ _-]?)?(?:密码|口令|密钥|令牌))(?:[_-](?:key|value|string|id|\d))?)`;
/** What stands between a name and its value. */
const IS = String.raw`\s{0,3}(?:=>|:=|==?|:)\s{0,3}|\s{1,3}(?:(?:is|are|was|ist|lautet|to(?!\s{1,3}(?:the|my|our|your|this|that)\b))(?!\p{L})|=)\s{0,3}:?\s{0,3}|\s{0,3}(?:是|为|：)\s{0,3}[:：]?\s{0,3}`;
/** "of the database", "for staging": what a name is of, up to its value. */
const OF = String.raw`\s{1,3}(?:of|for|to|on|at|in|from|von|vom|für|zum|zur|der|des)(?:\s{1,3}[^\s=:,;!?"'\x60]{1,30}(?<!\.)){1,5}?`;
const NAMED = new RegExp(String.raw`${NAME}["'\x60*\]]{0,3}(${IS}|\s{1,3}(?=[^\s=:]{8,})|${OF}(?:${IS}))(?:(?:bearer|basic|token)\s{1,2})?(["'\x60]?)`, "giu");

/** What stands where a secret would, and is none. */
const STAND_IN =
  /^(?:null|none|nil|undefined|true|false|string|number|boolean|object|any|unknown|void|required|optional|missing|empty|invalid|expired|redacted|masked|hidden|secret|password|token|example|changeme|placeholder|todo|tbd|x{3,}|\*{3,}|\.{3,}|…+|<[^>]*>|\[[^\]]*\]|\{[^}]*\}|\$\{?[A-Za-z_][\w.]*\}?|%[A-Z_]+%|\{\{.*|(?:your|my|the|some)(?:[_-][\w-]*|pass(?:word|wd)|pwd|secret|token|(?:api)?key)|replace_?(?:me|with)[\w-]*|change[_-]?(?:me|this|it)[\w-]*|process\.env\b.*|os\.environ.*|(?:env|config|settings|options|self|this|req|request|props|args|params)[.[].*|[A-Za-z_$][\w$.]*\(.*)$/iu;
/** The name of a variable in capitals, as in "password: DB_PASSWORD". */
const CONSTANT = /^[A-Z][A-Z_]*$/;

const bits = (text: string): number => {
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let sum = 0;
  for (const count of counts.values()) sum -= (count / text.length) * Math.log2(count / text.length);
  return sum;
};

/** A path, a domain or a file; a number with its unit; a date. */
const PLAIN_THING = /^(?:\.{0,2}\/[\w./-]*|[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|ts|js|py|json|md|txt|ya?ml|pem|key|env|go|rs|sh)|\d+(?:[.,]\d+)*(?:%|k|ms|s|m|h|d|kb|mb|gb)?|\d{4}-\d{2}-\d{2}.*)$/i;

/** Code that yields the value: names joined by dots and brackets, a template, a call. */
const EXPRESSION = /^[\^&*!@]?[a-z_$]+(?:(?:\.|::|->|\[:?|\?\.)[a-z_$]*\]?)+$|\$\{|^\{/i;

/** Does the value look made up by a machine, or by a person who was asked for a digit and a sign? */
function secretive(value: string, said: { readonly password: boolean; readonly loosely: boolean }): boolean {
  if (value.length < 6 || value.length > 4_000 || STAND_IN.test(value) || CONSTANT.test(value) || EXPRESSION.test(value) || PLAIN_THING.test(value)) return false;
  const [digits, letters, signs] = [/\d/.test(value), /\p{L}/u.test(value), /[^\p{L}\d\s_.-]/u.test(value)];
  const mixed = Number(digits) + Number(letters) + Number(signs) >= 2;
  if (said.password) return said.loosely ? mixed : mixed || value.length >= 10 || !/^\p{L}+$/u.test(value);
  if (value.length < 12 || !mixed) return said.loosely ? false : value.length >= 20 && /^[A-Za-z]+$/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value) && bits(value) > 3.5;
  return bits(value) >= (value.length >= 20 ? 3 : 2.8);
}

/** Values given by name: "DB_PASSWORD=…", "api key is …", "the password for staging is …", `"token": "…"`. */
export function namedIn(text: string): Secret[] {
  const found: Secret[] = [];
  NAMED.lastIndex = 0;
  for (let match = NAMED.exec(text); match !== null; match = NAMED.exec(text)) {
    const secret = valueOf(match, text);
    if (secret !== undefined) found.push(secret);
    // What a name is of may hold another name: "the token for the password is …".
    else NAMED.lastIndex = match.index + (match[1]?.length ?? 1);
  }
  return found;
}

/** A value without quotes goes on to the next blank; between Chinese words, which have none, to the next of them. */
const RUN = /^[^\s"'`,;<>()]+/;
const RUN_IN_CHINESE = /^[^\s"'`,;<>()\u0080-\uffff]+/;

function valueOf(match: RegExpExecArray, text: string): Secret | undefined {
  const [whole, name = "", joint = "", quote = ""] = match;
  const start = match.index + whole.length;
  const rest = text.slice(start, start + 4_001);
  // What was masked before stays as it is.
  if (/^\[[\w ]{1,40}, masked\]/.test(rest)) return undefined;
  const chinese = /\p{Script=Han}/u.test(name);
  const length = quote === "" ? ((chinese ? RUN_IN_CHINESE : RUN).exec(rest)?.[0].replace(/[.:!?\]}]+$/, "").length ?? 0) : rest.indexOf(quote);
  if (length <= 0) return undefined;
  const value = rest.slice(0, length);
  // What begins like a key in lines of its own is judged as one.
  if ((quote !== "" && /\n/.test(value)) || value.startsWith("-----BEGIN")) return undefined;
  // A function of that name is called.
  if (rest[length] === "(") return undefined;
  const password = /pass|pwd|secret$|密码|口令/i.test(name);
  const loosely = quote === "" && (chinese || /\w \w/.test(joint) || !/[=:]/.test(joint));
  if (!secretive(value, { password, loosely })) return undefined;
  // "!" ends a sentence and a password alike.
  const signs = quote === "" ? (/^!*/.exec(rest.slice(length))?.[0].length ?? 0) : 0;
  return { start, end: start + length + signs, kind: password ? "password" : "secret" };
}

/** "user:password@host" in an address, a token in the user's place, the credentials of an Authorization header and of an .npmrc. */
export function credentialsIn(text: string): Secret[] {
  const found: Secret[] = [];
  const keep = (kind: string, value: string, end: number): void => void found.push({ start: end - value.length, end, kind });
  for (const { 0: whole, 1: value = "", index } of text.matchAll(PASSWORD_IN_ADDRESS)) if (!isStandIn(value)) keep("password", value, index + whole.length - 1);
  for (const { 0: whole, 1: value = "", index } of text.matchAll(PASSWORD_WITH_BLANKS)) if (/\d/.test(value) && /\p{L}/u.test(value)) keep("password", value, index + whole.length - 1);
  for (const { 0: whole, 1: value = "", index } of text.matchAll(TOKEN_IN_ADDRESS)) if (/\d/.test(value) && bits(value) > 3) keep("credentials", value, index + whole.length);
  for (const { 0: whole, 1: value = "", index } of text.matchAll(/\b(?:bearer|basic)\s{1,3}([\w+/=.~-]{16,})/gi)) if (/\d/.test(value) && bits(value) > 3) keep("credentials", value, index + whole.length);
  for (const { 0: whole, 1: value = "", index } of text.matchAll(/:_(?:authToken|auth|password)\s{0,3}=\s{0,3}["']?([^\s"']{6,500})/g)) if (!isStandIn(value)) keep("npm", value, index + whole.length);
  return found;
}

/** Up to the last "@" before the host: a password may hold one. */
const PASSWORD_IN_ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"'<>]{0,200}:([^\s@/"'<>]{1,500}(?:@[^\s@/"'<>()[\],;]{1,200}){0,3})@/gi;
/** A blank or two in it, where quotes say that the address goes on; "http://localhost:3000 or …" is no user with a password. */
const PASSWORD_WITH_BLANKS = /(?<=["'`](?:jdbc:)?)[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"'`<>]{0,200}:(?!\d{1,5} )([^\s/"'`<>]{1,100}(?: [^\s/"'`<>]{1,100}){1,2})@(?=[\w.-]{1,200}[:/])/gi;
const TOKEN_IN_ADDRESS = /(?<=:\/\/)([\w-]{20,500})(?=(?::x-oauth-basic)?@)/gi;

/** A name or a sample in the place of a password; what has fewer than four letters, or one letter only, guards nothing. */
const isStandIn = (value: string): boolean => STAND_IN.test(value) || CONSTANT.test(value) || value.length < 4 || /^(.)\1*$/.test(value);
