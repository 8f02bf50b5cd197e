export type Language = "en" | "zh";

/** Enough of a text to know its language by. */
const SAMPLE = 20_000;

/** Chinese when a fifth of the letters are Han and next to none are Japanese kana; else English. */
export function languageOf(text: string): Language {
  let han = 0;
  let kana = 0;
  let latin = 0;
  const end = Math.min(text.length, SAMPLE);
  for (let at = 0; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0x4e00 && code <= 0x9fff) han += 1;
    else if (code >= 0x3040 && code <= 0x30ff) kana += 1;
    else if ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) latin += 1;
  }
  // A Han character says about as much as four Latin letters.
  return han * 4 > latin && han > kana * 4 ? "zh" : "en";
}
