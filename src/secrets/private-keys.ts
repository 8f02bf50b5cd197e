import { type Secret } from "./span.ts";

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** Hand-typed and quoted keys lose a dash or two. */
const END = /-{3,5}END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?(?:-{3,5})?/;
const LONGEST = 20_000;

/** What stands between the lines of a key: line ends, also escaped, the marks of quoting and of joining strings. */
const BETWEEN = String.raw`(?:\\[nr]|[\s"'+,;>|#*\\])`;
/** The lines of a key, with the headers of an old form, as far as they go. */
const BLOCK = new RegExp(
  String.raw`^(?:${BETWEEN}*(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash): [^\n\\]{0,100}|=?[A-Za-z0-9+/]{16,}={0,2}))+(?:${BETWEEN}+[A-Za-z0-9+/]{1,15}={1,2})?`,
);
/** No key is shorter, in letters of base64: an Ed25519 key has 64. */
const SHORTEST = 44;

/** PuTTY writes its own form; one number of a JSON key is the secret one. */
const PUTTY =
  /Private-Lines: \d{1,4}(?:\\[nr]|\s){1,8}((?:[>\s]{0,20}[A-Za-z0-9+/]{8,200}={0,2}(?:\\[nr]|\s|$){1,8}){1,200})/g;
const JSON_KEY = /(?<=\\?["'](?:d|k)\\?["']\s{0,4}:\s{0,4})\\?["']([\w-]{32,1000})/g;

/** Keys of forms without a BEGIN. */
export function otherKeysIn(text: string): Secret[] {
  const shapes = [
    ...(text.includes("Private-Lines") ? [PUTTY] : []),
    ...(/["']kty\\?["']/.test(text) ? [JSON_KEY] : []),
  ];
  return shapes.flatMap((shape) =>
    Array.from(text.matchAll(shape), ({ 0: whole, 1: key = "", index }) => {
      const end = index + whole.length;
      return {
        start: end - key.length,
        end: end - (/(?:\\[nr]|\s)+$/.exec(key)?.[0].length ?? 0),
        kind: "private key",
      };
    }),
  );
}

/** Keys between their BEGIN and END; of one cut off, as far as its lines go. What holds no key ("...", "xxx", "YOUR KEY") is left. */
export function privateKeysIn(text: string): Secret[] {
  const found: Secret[] = [];
  for (const { 0: head, index } of text.matchAll(BEGIN)) {
    const body = index + head.length;
    const ahead = text.slice(body, body + LONGEST);
    // What begins a second time has not ended before.
    const next = ahead.indexOf("-----BEGIN ");
    const rest = next < 0 ? ahead : ahead.slice(0, next);
    const end = END.exec(rest);
    const inside = end === null ? (BLOCK.exec(rest)?.[0] ?? "") : rest.slice(0, end.index);
    if (lettersOf(inside) >= SHORTEST)
      found.push({
        start: index,
        end: body + inside.length + (end?.[0].length ?? 0),
        kind: "private key",
      });
  }
  return found;
}

const lettersOf = (body: string): number =>
  [...body.matchAll(/[A-Za-z0-9+/]{16,}/g)].reduce((sum, [run]) => sum + run.length, 0);
