import { inOrder } from "../base/patterns.ts";
import { ending, type Find, type Form, foundBy, type Secret, isMachine } from "./values.ts";

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** Hand-typed and quoted keys lose a dash or two. */
const END = /-{3,5}END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?(?:-{3,5})?/;
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
  ["private key", /(?<=\\?["'](?:d|k)\\?["']\s{0,4}:\s{0,4})\\?["']([\w-]{32,1000})/g],
];
export const otherKeysIn = foundBy(OTHERS, /Private-Lines|kty/);

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
const BREAK = /(?<=[\w+/=.-]{4})(?:\\?\r?\n|\\n)[ \t>|#*]{0,40}(?=[\w+/=.-]{6})/g;
/** So far on both sides of a break a token may reach. */
const REACH = 400;
const LAST_RUN = /(?<![\w+/=.:-])[\w+/=.:-]+$/;
const FIRST_RUN = /^[\w+/=.:-]+/;
/** No token is shorter. */
const LEAST_WRAPPED = 20;

/** Tokens that the end of a line breaks: each break is read as if it were none. */
export function brokenIn(text: string, find: Find): Secret[] {
  const found: Secret[] = [];
  for (const { 0: gap, index } of text.matchAll(BREAK)) {
    const behind = index + gap.length;
    const before = LAST_RUN.exec(text.slice(Math.max(0, index - REACH), index))?.[0] ?? "";
    const after = FIRST_RUN.exec(text.slice(behind, behind + REACH))?.[0] ?? "";
    const joined = before + after;
    // A break between two words of prose joins no token.
    if (!/\d/.test(joined) || joined.length < LEAST_WRAPPED) continue;
    // A token that is whole before the break goes on only in what is no word.
    const isWhole = find(before).some(({ end }) => end === before.length);
    if (isWhole && !isMachine(after, 12)) continue;
    for (const { start, end, kind } of find(joined))
      if (start < before.length && end > before.length)
        found.push({
          start: index - before.length + start,
          end: behind + end - before.length,
          kind,
        });
  }
  return found;
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
