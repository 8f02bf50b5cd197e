// Texts that expressions with two ways to read one character stumble over, each as long as is asked.
import { diceOf, TOKENS } from "./fuzz-dice.ts";

export interface Shape {
  readonly name: string;
  /** About so many characters. */
  readonly of: (length: number) => string;
}

const run = (unit: string, length: number): string =>
  unit.repeat(Math.max(1, Math.ceil(length / unit.length)));
const shape = (before: string, unit: string, after: string): Shape => ({
  name: JSON.stringify([before, unit, after]),
  of: (length) => before + run(unit, length) + after,
});

/** One kind of character without an end, and short steps of a text. */
const UNITS = [
  ..."aAzÉß漢かя٣09-_.,;:!?/\\|@#%&*+=~^$'\"`<>()[]{}",
  ..."\t\n\r \u00a0\u200b\u200d\u2028\ufeff\ud800\udc00\u0301\u0000",
  ..."aA a Aa a. a, a- a_ a/ a: a@ a= A. A- 1. 1, 1- - * 漢a 漢。 \r\n \n\n \n- \n# \n> \n| ```\n ~~~\n <!-- --> -- **"
    .split(" ")
    .filter(Boolean),
  "a ",
  "A ",
  "aB ",
  " a",
  ". ",
  "! ",
  "- ",
  "# ",
  "> ",
  "| ",
  "a\n",
  "A b. ",
  "word word, ",
  "😀",
  "👨‍👩‍👧",
  "é ",
  "Она ",
  "<tidemark-facts>",
  "</tidemark-facts>",
  "not ",
  "is ",
  "a is ",
  "no, ",
  "because ",
  "that ",
  "the ",
  "you ",
  "von ",
  '\\"',
  '{"',
  "[{",
  "x=",
  "x: ",
  "--x ",
  "-p",
  "://",
  "a://",
  "a:b@",
  "&sig=",
  "?a=",
  "eyJ",
  "-----BEGIN",
  "BEGIN ",
  "key",
  "pass",
  "token ",
  "password ",
  "%41",
  "/a",
  "../",
  "2026-",
  "12:",
];

/** What begins something that never ends, or ends only where nothing has begun. */
const OPENED: readonly (readonly [before: string, unit: string, after: string])[] = [
  ...[
    "password: ",
    "password of ",
    "the password for ",
    "://",
    "https://u:",
    "https://",
    "-----BEGIN PRIVATE KEY-----\n",
    "Authorization: Bearer ",
    "eyJ",
    "AccountKey=",
    "--password ",
    "curl -u ",
    "密码",
    "token ",
    "sk-",
    '"password\\":\\"',
    "<password>",
  ].flatMap((before) => ["a", "a ", "1a-"].map((unit) => [before, unit, "!"] as const)),
  ...[
    "<!--",
    "```\n",
    "`",
    '"',
    "'",
    "(",
    "[",
    "{",
    "**",
    "<",
    '<tidemark-summary fold="',
    "- [ ] ",
    "> ",
    "# ",
    "1. ",
    "“",
    "„",
    "「",
    "http://",
    "User: ",
    "No, ",
    "Error: ",
    "not ",
    "Traceback ",
    "$ ",
  ].flatMap((before) => ["a", " ", "a b "].map((unit) => [before, unit, ""] as const)),
  ...["A", "a", "1", " ", ".", "-", "漢", "Aa"].flatMap((unit) =>
    ["!", "\n", "\u0000", " x"].map((after) => ["", unit, after] as const),
  ),
];

/** Tokens in the order of a seed, again and again: what no list of ours thinks of. */
const mixed = (seed: number): Shape => {
  const dice = diceOf(seed);
  const unit = Array.from({ length: 2 + dice.below(6) }, () => dice.one(TOKENS)).join("");
  return shape("", unit, dice.chance(0.5) ? "" : dice.one(TOKENS));
};

/** One long line, as programs write them. */
export const ONE_LINE: readonly Shape[] = [
  '1042,ada@example.com,12.50,"Oslo, NO",2026-04-01T10:00:00Z,',
  '{"id":1042,"name":"ada","tags":["a","b"],"ok":true,"at":"2026-04-01"},',
  "2026-04-01T10:00:00.123Z INFO [web-1] GET /api/v1/items?id=1042 200 12ms ",
  "function a(b,c){return b.d(c)&&e[f]||'g'+`h`};",
  "INSERT INTO t VALUES(1042,'ada','2026-04-01');",
  "TG9yZW0gaXBzdW0gZG9sb3Igc2l0IGFtZXQ+Y29uc2VjdGV0dXIvYWRpcGlzY2luZw",
  "4f9a0c1e7b",
  "a|b\tc;d,",
  "a,b,c,d,,,",
  "([{<a>}])",
  "((([[[{{{",
  "\"a\" 'b' `c` ",
  '\\"a\\":\\"b\\",',
  "  \t  \t",
  "a=1&b=c2&token=x&",
  "4111 1111 1111 ",
  "key=a1b2 pass=x token: ",
  "/src/a/b.ts:12:3 ",
  "apple banana cherry ",
  "<a href='x' name=\"y\">b</a>",
  "(a",
  "mysql ",
]
  .map((unit) => shape("", unit, ""))
  .concat(shape("# a", " ", "x"), shape("", "a", " no more"), shape("", ".", "x"));

const PLAIN = [
  ...UNITS.map((unit) => shape("", unit, "")),
  ...OPENED.map((parts) => shape(...parts)),
];
export const SHAPES: readonly Shape[] = [
  ...PLAIN,
  ...ONE_LINE,
  ...Array.from({ length: 60 }, (_, at) => mixed(at + 1)),
];

/** A few of each kind, for where there is little time. */
export const TWENTY: readonly Shape[] = [
  ...[
    "a",
    "A",
    "0",
    " ",
    "\n",
    ".",
    "-",
    "漢",
    "aA",
    "a ",
    "A ",
    "a.",
    "- ",
    '{"',
    "<!--",
    "password ",
    "not ",
  ].map((unit) => shape("", unit, "")),
  shape("https://u:", "a", "!"),
  shape("the password for ", "a ", "!"),
  shape("", "A", "!"),
];
