import {
  type Form,
  foundBy,
  type Secret,
  bits,
  isGiven,
  isMachine,
  isMixed,
  isStandIn,
  isPlain,
} from "./values.ts";
import { isName, namesPassword } from "./named.ts";

/** "user:password@host", a token in the user's place, what a query carries, headers and an .npmrc. */
const SCHEME = String.raw`[a-z][a-z0-9+.-]{1,20}:\/\/`;
/** What a query hides by its name. */
const hidden = (names: string, least: number): RegExp =>
  new RegExp(
    String.raw`(?:[?&;]|&amp;|[?&]x-\w{3,4}-)(?:[\w.-]{0,30}[_.-])?(?:${names})=([^&\s"'<>#\\;|)\]]{${least},2000})`,
    "gi",
  );

const ADDRESSES: readonly Form[] = [
  // Up to the last "@" before the host: a password may hold one.
  {
    kind: "password",
    shape: new RegExp(
      String.raw`\b${SCHEME}[^\s:@/"'<>]{0,200}:([^\s@/"'<>]{1,500}(?:@[^\s@/"'<>()[\],;]{1,200}){0,3})(?=@)`,
      "gi",
    ),
    judge: (value) => !isStandIn(value),
  },
  // A blank or two in it, where quotes say that the address goes on; "http://localhost:3000 or …" is no user with a password.
  {
    kind: "password",
    shape: new RegExp(
      String.raw`(?<=["'\x60](?:jdbc:)?)${SCHEME}[^\s:@/"'\x60<>]{0,200}:(?!\d{1,5} )([^\s/"'\x60<>]{1,100}(?: [^\s/"'\x60<>]{1,100}){1,2})(?=@[\w.-]{1,200}[:/])`,
      "gi",
    ),
    judge: (value) => /\d/.test(value) && /\p{L}/u.test(value),
  },
  {
    kind: "credentials",
    shape: /(?<=:\/\/)([\w-]{20,500})(?=(?::x-oauth-basic)?@)/gi,
    judge: (value) => /\d/.test(value) && bits(value) > 3,
  },
  {
    kind: "credentials",
    shape: /\b(?:bearer|basic)\s{1,3}([\w+/=.~-]{16,})/gi,
    judge: (value) => /\d/.test(value) && bits(value) > 3,
  },
  {
    kind: "npm",
    shape: /:_(?:authToken|auth|password)\s{0,3}=\s{0,3}["']?([^\s"']{6,500})/g,
    judge: (value) => !isStandIn(value),
  },
  {
    kind: "signature",
    shape: hidden("sig|signature|hmac|security-token", 12),
    judge: (value) => isGiven(value) && bits(value) > 2.5,
  },
  {
    kind: "password",
    shape: hidden("password|passwd|pwd|pass|passphrase", 4),
    judge: (value) => isGiven(value) && (isMixed(value) || value.length >= 10),
  },
  {
    kind: "secret",
    shape: hidden("token|key|apikey|auth|secret|jwt|sid|session|sessionid|code|credential|otp", 8),
    judge: (value) => isMachine(value),
  },
  // The cookies of a session, among others.
  {
    kind: "cookie",
    shape:
      /(?<=[\s:;'"])(?:[\w.-]{0,30}(?:sess|sid|auth|csrf|xsrf|remember|jwt)[\w.-]{0,20})=([^\s;,"'<>&]{16,2000})/gi,
    judge: (value) => isMachine(value, 16),
  },
];

export const addressesIn = foundBy(ADDRESSES, /:\/\/|[?&;]\w|bearer|basic|:_auth|=\w/i);

const TAG = /<([A-Za-z][\w:.-]{0,60})((?:\s[^<>]{0,600})?)>/g;
const ATTRIBUTE = /([\w:.-]{1,40})\s{0,3}=\s{0,3}(?:"([^"]{0,500})"|'([^']{0,500})')/g;
const NAMING = /^(?:name|key|id|type|property|for)$/i;
const HOLDING = /^(?:value|content)$/i;
/** An element's text; of a property list the next one's, whose name it is. */
const TEXT = /^\s{0,40}(?:<!\[CDATA\[)?([^<>\s][^<>]{0,1000}?)(?:\]\]>)?\s{0,40}<\//;
const NEXT = /^\s{0,10}([^<>]{1,60})<\/key>\s{0,40}<string>([^<>]{1,1000})<\//;

const isSecret = (value: string, name: string): boolean =>
  namesPassword(name) || /^(?:pass|pw)$/i.test(name)
    ? isGiven(value) &&
      (isMixed(value) || value.length >= 10) &&
      !/\s/.test(value) &&
      !isPlain(value)
    : isMachine(value) || (value.length >= 12 && isMachine(value, 12));

/** What elements hold whose name, or an attribute of theirs, says that it is a secret. */
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
    const attributes = [...inside.matchAll(ATTRIBUTE)];
    const named = attributes.find(
      ([, key = "", one, other]) => NAMING.test(key) && isName(one ?? other ?? ""),
    );
    const name = isName(element) ? element : (named?.[2] ?? named?.[3] ?? "");
    const end = index + tag.length;
    if (element.toLowerCase() === "key") {
      const next = NEXT.exec(text.slice(end, end + 1_200));
      if (next !== null && isName(next[1] ?? ""))
        keep(next[2] ?? "", end + next[0].length - (next[2] ?? "").length - 2, next[1] ?? "");
    }
    if (name === "" || /^key$/i.test(element)) continue;
    for (const { 0: whole, 1: key = "", 2: one, 3: other, index: at } of attributes)
      if (HOLDING.test(key))
        keep(
          one ?? other ?? "",
          index + 1 + element.length + at + whole.length - 1 - (one ?? other ?? "").length,
          name,
        );
    const inner = TEXT.exec(text.slice(end, end + 1_100));
    if (inner !== null) keep(inner[1] ?? "", end + inner[0].indexOf(inner[1] ?? ""), name);
  }
  return found;
}
