import { breathe } from "../base/async.ts";
import { isDigit, isLetter } from "./scripts.ts";

/** The part of js-tiktoken we call. */
interface Encoder {
  encode(text: string, allowedSpecial: string[], disallowedSpecial: string[]): number[];
}

let encoder: Promise<Encoder> | undefined;

/** 2.3 MB of ranks and about half a second: only where it is asked for. A failed import may be tried again. */
function load(): Promise<Encoder> {
  encoder ??= Promise.all([import("js-tiktoken/lite"), import("js-tiktoken/ranks/o200k_base")])
    .then(([{ Tiktoken }, ranks]) => new Tiktoken(ranks.default))
    .catch((error: unknown) => {
      encoder = undefined;
      throw error;
    });
  return encoder;
}

/** Characters encoded before others get a turn: 2 ms of English, at worst 150 ms of unbroken Chinese. */
const BREATH = 4_096;

/**
 * Tokens of `text` in o200k_base. What looks like a special token ("<|endoftext|>") is counted as the text it is.
 * Unbroken runs are encoded in slices, which moves the count by at most 0.2 % and makes the time linear.
 */
export async function exactTokens(text: string): Promise<number> {
  const from = await load();
  let [sum, breath, last, tokens] = [0, 0, "", 0];
  for (const slice of sliceRuns(text)) {
    // The same slice again (a repeated character) costs nothing.
    if (slice !== last) tokens = from.encode(slice, [], []).length;
    last = slice;
    sum += tokens;
    breath += slice.length;
    if (breath >= BREATH) {
      breath = 0;
      await breathe();
    }
  }
  return sum;
}

/**
 * Longest unbroken run, in bytes of UTF-8, that goes to the encoder whole. js-tiktoken takes time in the square of a
 * run: 10 KB of one character costs it 5 s, in slices of 256 it costs milliseconds.
 */
const RUN = 256;

const SPACE = 0;
const DIGIT = 1;
const MARK = 2;
const LETTER = 3;

/** ASCII by kind; everything above is held to be letters, but for blocks that hold none. */
function kindOf(code: number): number {
  if (code <= 0x20) return SPACE;
  if (code < 0x80) {
    if (isLetter(code)) return LETTER;
    return isDigit(code) ? DIGIT : MARK;
  }
  // 、。「」 and their wide kin end a run of Chinese; 々〆〇 (3005–3007) do not.
  if (
    (code >= 0x3001 && code <= 0x3003) ||
    (code >= 0x3008 && code <= 0x3011) ||
    (code >= 0xff01 && code <= 0xff0f) ||
    (code >= 0xff1a && code <= 0xff20)
  )
    return MARK;
  return LETTER;
}

const bytesOf = (code: number): number => {
  if (code < 0x80) return 1;
  return code < 0x800 ? 2 : 3;
};
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/**
 * `text` in parts that end where a run of one kind has grown too long. Without such a run the text is one part, so
 * that counts stay exact; parts longer than `BREATH` are also cut, between a letter and the space after it.
 */
function* sliceRuns(text: string): Generator<string> {
  let start = 0;
  let run = 0;
  let kind = -1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const now = kindOf(code);
    // A letter before a space always ends a token, so this cut costs nothing.
    const free = at - start >= BREATH && kind === LETTER && code === 0x20;
    if (free || (now === kind && run >= RUN && now !== DIGIT && !isLowSurrogate(code))) {
      yield text.slice(start, at);
      start = at;
      run = 0;
    }
    run = now === kind ? run + bytesOf(code) : bytesOf(code);
    kind = now;
  }
  if (start < text.length) yield text.slice(start);
}
