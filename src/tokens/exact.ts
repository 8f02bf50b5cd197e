import { breathe } from "../base/async.ts";

/** The part of js-tiktoken we call. */
interface Encoder {
  encode(text: string, allowedSpecial: string[], disallowedSpecial: string[]): number[];
}

let encoder: Promise<Encoder> | undefined;

/**
 * 2.3 MB of ranks and about half a second: only where it is asked for. A failed import may be tried
 * again.
 */
function load(): Promise<Encoder> {
  encoder ??= Promise.all([import("js-tiktoken/lite"), import("js-tiktoken/ranks/o200k_base")])
    .then(([{ Tiktoken }, ranks]) => new Tiktoken(ranks.default))
    .catch((error: unknown) => {
      encoder = undefined;
      throw error;
    });
  return encoder;
}

/**
 * What is encoded before others get a turn (2 ms of English, at worst 150 ms of unbroken Chinese),
 * up to a letter before a space: there a token always ends.
 */
const BREATH = /[^]{4096,8192}?[a-z](?= )|[^]{1,8192}/giu;

/**
 * The longest unbroken runs that go to the encoder whole: js-tiktoken takes time in the square of a
 * run. 10 KB of one character cost it 5 s, in slices like these milliseconds.
 */
const RUN = new RegExp(
  String.raw`((?:(?![a-z])[\p{L}\p{M}]){85}|[\p{L}\p{M}]{128}` +
    String.raw`|[^\x00-\x7f\s\p{L}\p{N}]{64}|[^\s\p{L}\p{N}]{128}|\s{256})`,
  "iu",
);

/**
 * Tokens of `text` in o200k_base. What looks like a special token ("<|endoftext|>") is counted as
 * the text it is. Unbroken runs are encoded in slices, which moves the count by at most 0.2 % and
 * makes the time linear.
 */
export async function exactTokens(text: string): Promise<number> {
  const from = await load();
  let [sum, last, tokens] = [0, "", 0];
  for (const stretch of text.match(BREATH) ?? []) {
    for (const slice of stretch.split(RUN)) {
      // The same slice again (a repeated character) costs nothing.
      if (slice === "") continue;
      if (slice !== last) tokens = from.encode(slice, [], []).length;
      last = slice;
      sum += tokens;
    }
    await breathe();
  }
  return sum;
}
