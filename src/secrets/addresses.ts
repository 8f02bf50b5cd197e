import { either, inOrder } from "../base/patterns.ts";
import {
  type Form,
  foundBy,
  type Secret,
  bits,
  isGiven,
  isKey,
  isMachine,
  isMixed,
  isStandIn,
  isPlain,
} from "./values.ts";
import { isName, namesPassword } from "./named-values.ts";

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

const isPassword = (value: string): boolean =>
  isGiven(value) && (isMixed(value) || value.length >= 10);
const isReal = (value: string): boolean => !isStandIn(value);
const isDense = (value: string): boolean => /\d/.test(value) && bits(value) > 3;

const ADDRESSES: readonly Form[] = [
  // Up to the last "@" before the host: a password may hold one.
  [
    "password",
    new RegExp(
      String.raw`\b${SCHEME}[^\s:@/"'<>]{0,200}:([^\s@/"'<>]{1,500}` +
        String.raw`(?:@[^\s@/"'<>()[\],;]{1,200}){0,3})(?=@)`,
      "gi",
    ),
    isReal,
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
  ["credentials", /(?<=:\/\/)([\w-]{20,500})(?=(?::x-oauth-basic)?@)/gi, isDense],
  ["credentials", /\b(?:bearer|basic)\s{1,3}([\w+/=.~-]{16,})/gi, isDense],
  [
    "credentials",
    inOrder(
      /\bauthorization["'\\]{0,3}\s{0,3}[:=]\s{0,3}["'\\]{0,3}(?:[a-z][\w-]{0,30}\s{1,3})?/gi,
      /(?:\w{1,20}=["'\\]{0,3})?([\w+/=.~:-]{16,2000})/gi,
    ),
    isKey,
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
        /maker\.ifttt\.com\/trigger\/\w{1,60}\/(?:json\/)?with\/key\//gi,
        /events\.pagerduty\.com\/integration\/|office(?:365)?\.com\/(?:webhook|owa\/calendar)\//gi,
        /calendar\.google\.com\/calendar\/ical\/[\w%.@-]{1,100}\/private-/gi,
        /[\w.:-]{1,100}\/(?:[\w.-]{1,40}\/){0,4}?[\w-]{0,20}hooks?(?:b2)?\//gi,
      ),
      /((?=[\w@/.-]{0,20}\d)[\w@/.-]{10,400})/gi,
    ),
    (value) =>
      value.split("/").some((part) => isKey(part) || part.length >= 24 || /^\d{6,}$/.test(part)),
  ],
  ["npm", /:_(?:authToken|auth|password)\s{0,3}=\s{0,3}["']?([^\s"']{6,500})/g, isReal],
  [
    "signature",
    hidden("sig|signature|hmac|security-token", 12),
    (value) => isGiven(value) && bits(value) > 2.5,
  ],
  ["password", hidden("password|passwd|pwd|pass|passphrase", 4), isPassword],
  [
    "secret",
    hidden("token|key|apikey|auth|secret|jwt|sid|session|sessionid|code|credential|otp", 8),
    isMachine,
  ],
  // The cookies of a session, among others.
  [
    "cookie",
    inOrder(
      /(?<=[\s:;'"])/gi,
      /(?:[\w.-]{0,30}(?:sess|sid|auth|csrf|xsrf|remember|jwt)[\w.-]{0,20})=/gi,
      /([^\s;,"'<>&]{16,2000})/gi,
    ),
    (value) => isMachine(value, 16),
  ],
];

export const addressesIn = foundBy(
  ADDRESSES,
  /:\/\/|[?&;]\w|bearer|basic|authorization|:_auth|=\w/i,
);

const TAG = /<([A-Za-z][\w:.-]{0,60})((?:\s[^<>]{0,600})?)>/g;
const ATTRIBUTE = /([\w:.-]{1,40})\s{0,3}=\s{0,3}(["'])((?:(?!\2)[^]){0,500})\2/g;
const NAMING = /^(?:name|key|id|type|property|for)$/i;
const HOLDING = /^(?:value|content)$/i;
/** An element's text; of a property list the next one's, whose name it is. */
const TEXT = /^\s{0,40}(?:<!\[CDATA\[)?([^<>\s][^<>]{0,1000}?)(?:\]\]>)?\s{0,40}<\//;
const NEXT = /^\s{0,10}([^<>]{1,60})<\/key>\s{0,40}<string>([^<>]{1,1000})<\//;

const isSecret = (value: string, name: string): boolean =>
  namesPassword(name)
    ? isPassword(value) && !/\s/.test(value) && !isPlain(value)
    : isMachine(value);

/** Finds elements whose name, or an attribute, says that they hold a secret. */
export function markupIn(text: string): Secret[] {
  const found: Secret[] = [];
  if (!/<\w/.test(text)) return found;
  const keep = (value: string, start: number, name: string): void => {
    if (isSecret(value, name))
      found.push({
        start,
        end: start + value.length,
        kind: namesPassword(name) ? "password" : "secret",
      });
  };
  for (const { 0: tag, 1: element = "", 2: inside = "", index } of text.matchAll(TAG)) {
    const end = index + tag.length;
    if (/^key$/i.test(element)) {
      const [whole = "", name = "", value = ""] = NEXT.exec(text.slice(end, end + 1_200)) ?? [];
      if (isName(name)) keep(value, end + whole.length - value.length - 2, name);
      continue;
    }
    const attributes = [...inside.matchAll(ATTRIBUTE)];
    const named = attributes.find(
      ([, key = "", , value = ""]) => NAMING.test(key) && isName(value),
    );
    const name = isName(element) ? element : (named?.[3] ?? "");
    if (name === "") continue;
    for (const { 0: whole, 1: key = "", 3: value = "", index: at } of attributes)
      if (HOLDING.test(key))
        keep(value, index + element.length + at + whole.length - value.length, name);
    const [before = "", value = ""] = TEXT.exec(text.slice(end, end + 1_100)) ?? [];
    keep(value, end + before.indexOf(value), name);
  }
  return found;
}
