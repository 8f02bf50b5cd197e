import { type Form, foundBy } from "./forms.ts";
import { bits, isGiven, isMachine, isMixed, isStandIn } from "./values.ts";

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
