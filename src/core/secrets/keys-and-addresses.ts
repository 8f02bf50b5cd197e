import { either, inOrder } from "../base.ts";
import {
  bits,
  ending,
  type Find,
  type Form,
  foundBy,
  isGiven,
  isGivenMixed,
  isKey,
  isMachine,
  isStandIn,
  type Secret,
} from "./values-and-codes.ts";

const BEGIN = /-----BEGIN (?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----/g;
/** Hand-typed and quoted keys lose a dash or two. */
const END = /-{3,5}END (?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN[\w ]{0,20})(?:-{3,5})?/;
const LONGEST_KEY = 20_000;

/**
 * What stands between the lines of a key: line ends, also escaped, the marks of quoting and of
 * joining strings.
 */
const BETWEEN = String.raw`(?:\\[nr]|[\s"'+,;>|#*\\])`;
/** The lines of a key, with the headers of an old form, as far as they go. */
const BLOCK = new RegExp(
  String.raw`^(?:${BETWEEN}*(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash): [^\n\\]{0,100}` +
    String.raw`|=?[A-Za-z0-9+/]{16,}={0,2}))+(?:${BETWEEN}+[A-Za-z0-9+/]{1,15}={1,2})?`,
);
const LINES = /[A-Za-z0-9+/]{16,}/g;
const KEY_LINE = String.raw`[>\s]{0,20}[A-Za-z0-9+/]{8,200}={0,2}`;
/** No key is shorter, in letters of base64: an Ed25519 key has 64. */
const SHORTEST = 44;

/**
 * Keys of forms without a BEGIN: PuTTY writes its own; one number of a JSON key is the secret one.
 */
const OTHERS: readonly Form[] = [
  [
    "private key",
    inOrder(
      /Private-Lines: \d{1,4}(?:\\[nr]|\s){1,8}/g,
      new RegExp(String.raw`((?:${KEY_LINE}(?:\\[nr]|\s){1,8}){0,199}${KEY_LINE})`),
      /(?=\\[nr]|\s|$)/g,
    ),
  ],
  // Solana keeps the bytes, as a list of numbers.
  [
    "private key",
    inOrder(
      /(?:^\s*|\b(?:solana|keypair|private|secret|wallet|id\.json)[^\n[]{0,60})/gi,
      /(\[\s{0,4}\d{1,3}(?:\s{0,4},\s{0,4}\d{1,3}){63}\s{0,4}\])/gi,
    ),
  ],
  // The values of a Kubernetes secret, whatever their names.
  [
    "secret",
    inOrder(
      /(?<=\n[ \t]{1,20}["']?[\w.-]{1,60}["']?: {1,3}["']?)([A-Za-z0-9+/]{8,2000}={0,2})/g,
      /(?=["']?,?[ \t\r]{0,9}(?:\n|$))/g,
      /(?:(?=[^]{0,2000}\bkind\W{1,5}Secret\b)|(?<=\bkind\W{1,5}Secret\b[^]{0,4000}))/g,
    ),
    (value) => value.length % 4 === 0 && (value.endsWith("=") || isKey(value)),
  ],
  ["private key", /(?<=\\?["'](?:d|k)\\?["']\s{0,4}:\s{0,4}\\?["']|<D>)[\w+/-]{32,1000}={0,2}/g],
];
export const otherKeysIn = foundBy(
  OTHERS,
  /Private-Lines|kty|<D>|(?:\d{1,3},\s{0,4}){3}|kind\W{1,5}Secret/,
);

/**
 * Keys between their BEGIN and END; of one cut off, as far as its lines go. What holds no key
 * ("...", "xxx", "YOUR KEY") is left.
 */
export function privateKeysIn(text: string): Secret[] {
  const found: Secret[] = [];
  for (const { 0: head, index } of text.matchAll(BEGIN)) {
    const body = index + head.length;
    // A key that begins a second time has not ended before.
    const [rest = ""] = text.slice(body, body + LONGEST_KEY).split("-----BEGIN ", 1);
    const end = END.exec(rest);
    const inside = end === null ? (BLOCK.exec(rest)?.[0] ?? "") : rest.slice(0, end.index);
    const letters = inside.match(LINES)?.join("") ?? "";
    if (letters.length >= SHORTEST)
      found.push({
        start: index,
        end: body + inside.length + (end?.[0].length ?? 0),
        kind: "private key",
      });
  }
  return found;
}

/** The end of a line in the midst of a long run, with what quotes or indents the next. */
const BREAK = /((?<=[\w+/=.-]{4})(?:\\?\r?\n|\\n)[ \t>|#*]{0,40}(?=[\w+/=.-]{6}))/;

/** Tokens that the end of a line breaks: the text is read as if it had no such breaks. */
export function brokenIn(text: string, find: Find): Secret[] {
  if (!BREAK.test(text)) return [];
  const wholes = new Map(find(text).map(({ start, end }) => [start, end]));
  const places: number[] = [];
  let [joined, from] = ["", 0];
  for (const [order, part] of text.split(BREAK).entries()) {
    if (order % 2 === 0) {
      joined += part;
      for (let at = 0; at < part.length; at += 1) places.push(from + at);
    }
    from += part.length;
  }
  return find(joined).flatMap(({ start, end, kind }) => {
    const [first = 0, last = 0] = [places[start], places[end - 1]];
    const token = joined.slice(start, end);
    // A break between two words of prose joins no token.
    if (last - first < token.length || !/\d/.test(token)) return [];
    // One that is whole before the break goes on only in what is no word.
    const whole = wholes.get(first);
    return whole === undefined || isMachine(token.slice(whole - first), 12)
      ? [{ start: first, end: last + 1, kind }]
      : [];
  });
}

const ENCODED = /(?<![\w+/-])[A-Za-z0-9+/_-]{20,4000}={0,2}(?![\w+/-])/g;
const PRINTABLE = /^[\x20-\x7e\r\n\t]+$/;
/** "ada:…", as docker and Basic keep it. */
const AUTH = /auth["'\\]{0,3}\s{0,2}[:=]\s{0,2}["'\\]{0,3}$/i;
const PAIR = /^[\w.@+-]{1,64}:[^\s:]{4,200}$/;

/** Runs of base64 whose text holds a secret. */
export function encodedIn(text: string, find: Find): Secret[] {
  const holdsOne = ({ 0: run, index }: RegExpExecArray): boolean => {
    // A path or a word says nothing when it is decoded.
    if (!/[A-Z]/.test(run) || !/[a-z]/.test(run)) return false;
    const said = Buffer.from(run, "base64").toString("latin1");
    if (!PRINTABLE.test(said)) return false;
    const before = text.slice(Math.max(0, index - 20), index);
    return (PAIR.test(said) && AUTH.test(before)) || find(said).length > 0;
  };
  return Array.from(text.matchAll(ENCODED))
    .filter(holdsOne)
    .map((match) => ending(match, "encoded secret"));
}

/**
 * "user:password@host", a token in the user's place, what a query carries, headers and an .npmrc.
 */
const SCHEME = String.raw`[a-z][a-z0-9+.-]{1,20}:\/\/`;
/** A query's parameter whose name says that it is a secret. */
const hidden = (names: string, least: number): RegExp =>
  new RegExp(
    String.raw`(?:[?&;]|&amp;|[?&]x-\w{3,4}-)(?:[\w.-]{0,30}[_.-])?(?:${names})=` +
      String.raw`([^&\s"'<>#\\;|)\]]{${least},2000})`,
    "gi",
  );

const ADDRESSES: readonly Form[] = [
  // Up to the last "@" before the host: a password may hold one.
  [
    "password",
    new RegExp(
      String.raw`\b${SCHEME}[^\s:@/"'<>]{0,200}:([^\s@/"'<>]{1,500}` +
        String.raw`(?:@[^\s@/"'<>()[\],;]{1,200}){0,3})(?=@)`,
      "gi",
    ),
    (value) => !isStandIn(value),
  ],
  // No scheme, but a port: Go's "app:…@tcp(", lists of proxies.
  [
    "password",
    inOrder(
      /(?<![\w.@/:-])[\w.+-]{1,64}:([^\s@/:"'`<>]{4,99}(?:@\w{1,99})?)/g,
      /(?=@(?:tcp|unix|[\w.-]{3,99}:\d{2,5}\b))/g,
    ),
    isGivenMixed,
  ],
  // A blank or two in it, where quotes say that the address goes on; "http://localhost:3000 or …"
  // is no user with a password.
  [
    "password",
    new RegExp(
      String.raw`(?<=["'\x60](?:jdbc:)?)${SCHEME}[^\s:@/"'\x60<>]{0,200}:(?!\d{1,5} )` +
        String.raw`([^\s/"'\x60<>]{1,100}(?: [^\s/"'\x60<>]{1,100}){1,2})(?=@[\w.-]{1,200}[:/])`,
      "gi",
    ),
    (value) => /\d/.test(value) && /\p{L}/u.test(value),
  ],
  [
    "credentials",
    inOrder(
      /(?:(?<=:\/\/)(?=[\w-]{20,500}(?::x-oauth-basic)?@)|\b(?:bearer|basic)\s{1,3})/gi,
      /([\w+/=.~-]{16,})/gi,
    ),
    (value) => /\d/.test(value) && bits(value) > 3,
  ],
  [
    "credentials",
    inOrder(
      /\bauthorization["'\\]{0,3}\s{0,3}[:=]\s{0,3}["'\\]{0,3}(?:[a-z][\w-]{0,30}\s{1,3})?/gi,
      /(?:\w{1,20}=["'\\]{0,3})?([\w+/=.~:-]{16,2000})/gi,
    ),
    isKey,
  ],
  // auth=("ada", "…"), login("ada", "…")
  [
    "password",
    inOrder(
      either(
        /\b(?:(?:\w{0,9}basic_?)?auth\s{0,2}[=:(]\s?[([]?|(?:login|wifi\.begin|authenticate)\()/gi,
        /\b(?:mysqli?(?:_connect)?|PDO|getConnection)\(["'][^"'\n]{1,200}["'],\s{0,2}/gi,
      ),
      /["'][^"'\s]{1,100}["']\s{0,2},\s{0,2}["']((?:\w{4} ){3}\w{4}|[^\s"']{6,200})(?=["'])/gi,
    ),
    isGivenMixed,
  ],
  // jwt.sign(…, "…"), hmac.new(b"…")
  [
    "secret",
    inOrder(
      /\b(?:jwt\.\w{1,10}\(|hmac\.new\(|createHmac\(["'][\w-]{1,20}["'],)[^"'\n]{0,200}/gi,
      /["']([^"'\s]{8,200})(?=["'])/gi,
    ),
    isGivenMixed,
  ],
  // An address that opens to all who know it: hooks of chats and of automations, calendars.
  [
    "webhook",
    inOrder(
      /(?<=:\/\/(?:[\w-]{1,60}\.){0,5})/gi,
      either(
        /hooks\.slack\.com\/\w{1,20}\/|discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\//gi,
        /hook\.(?:\w{1,9}\.)?(?:make|integromat)\.com\/|hooks\.zapier\.com\/hooks\/\w{1,20}\//gi,
        /webhook\.site\/|hc-ping\.com\/|infura\.io\/(?:ws\/)?v3\/|alchemy\.com\/v2\//gi,
        /send\.bitwarden\.com\/#|mega\.nz\/\w{1,9}\/[\w-]{1,20}#|1password\.com\/s#/gi,
        /quiknode\.pro\/|rpc\.ankr\.com\/\w{1,30}\/|getblock\.io\//gi,
        /maker\.ifttt\.com\/trigger\/\w{1,60}\/(?:json\/)?with\/key\//gi,
        /api\.vercel\.com\/v1\/integrations\/deploy\/(?=prj_)/gi,
        /events\.pagerduty\.com\/integration\/|office(?:365)?\.com\/(?:webhook|owa\/calendar)\//gi,
        /calendar\.google\.com\/calendar\/ical\/[\w%.@-]{1,100}\/private-/gi,
        /[\w.:-]{1,100}\/(?:[\w.-]{1,40}\/){0,4}?[\w-]{0,20}(?:hook(?:s|b2|data)?|heartbeats?)\//gi,
      ),
      /((?=[\w@/.-]{0,60}\d)[\w@/.-]{10,400})/gi,
    ),
    (value) =>
      value.split("/").some((part) => isKey(part) || part.length >= 24 || /^\d{6,}$/.test(part)),
  ],
  [
    "secret",
    inOrder(
      /(?<=:\/\/[^\s"'<>?#]{0,200}\/)[\w-]{0,20}/gi,
      /(?:verify|confirm|reset|activat|invit|magic|join)[\w-]{0,20}\/([\w-]{20,400})/gi,
    ),
    (value) => isMachine(value, 20),
  ],
  [
    "signature",
    hidden("sig|signature|hmac|security-token", 12),
    (value) => isGiven(value) && bits(value) > 2.5,
  ],
  [
    "secret",
    hidden(
      "token(?:_hash)?|key|apikey|appid(?==[0-9a-f]{32})|auth|secret|jwt|sid|session|code|otp",
      8,
    ),
    isMachine,
  ],
  // The cookies of a session, among others.
  [
    "cookie",
    inOrder(
      /(?<=^|[\s:;'"])/gi,
      /(?![\w.-]{0,40}(?:client|tenant|app|url|domain|issuer)[\w.-]{0,10}=)/gi,
      /(?!\w{0,30}_id=[0-9a-f]{8}-)/gi,
      /(?:[\w.-]{0,30}(?:sess|sid|auth|csrf|xsrf|remember|jwt|cookie)[\w.-]{0,20})=/gi,
      /([^\s;,"'<>&]{16,2000})/gi,
    ),
    (value) => isMachine(value, 16),
  ],
];

export const addressesIn = foundBy(
  ADDRESSES,
  /:\/\/|\w@\w|[?&;]\w|bearer|basic|authorization|:_auth|auth\W|\w\((?:\w*["']|\{)|jwt\.|=\w/i,
);
