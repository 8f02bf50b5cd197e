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
    const letter = code | 0x20;
    if (letter >= 0x61 && letter <= 0x7a) return LETTER;
    return code >= 0x30 && code <= 0x39 ? DIGIT : MARK;
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
 * that counts stay exact; parts longer than `most` are also cut, between a letter and the space after it.
 */
export function* sliceRuns(text: string, most = Infinity): Generator<string> {
  let start = 0;
  let run = 0;
  let kind = -1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const now = kindOf(code);
    // A letter before a space always ends a token, so this cut costs nothing.
    const free = at - start >= most && now === SPACE && kind === LETTER && code === 0x20;
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
