/**
 * A stand-in for a model that knows nothing but what its request says: it looks for the sentence that shares most words
 * with the question and reads it out, the later of two equally good ones; where none shares enough it says so.
 */
export function readOut(request: Readonly<Record<string, unknown>>): string {
  const messages = Array.isArray(request["messages"]) ? (request["messages"] as unknown[]) : [];
  const said = messages.flatMap(textsOf);
  const recalled = said.filter(isRecalled);
  const question = said.findLast((text) => !isRecalled(text)) ?? "";
  const wanted = new Set(wordsOf(question));
  const others = said.filter((text) => text !== question && !isRecalled(text));
  const sentences = [...recalled, ...textsOf(request["system"]), ...others].flatMap(sentencesOf);
  const common = new Map<string, number>();
  for (const words of sentences.map((sentence) => new Set(wordsOf(sentence))))
    for (const word of words) common.set(word, (common.get(word) ?? 0) + 1);
  const weight = (word: string): number => 1 / (1 + Math.log(common.get(word) ?? 1));
  const all = [...wanted].reduce((sum, word) => sum + weight(word), 0);

  let best = { text: "", share: 0 };
  for (const text of sentences) {
    if (text.endsWith("?")) continue;
    const held = new Set(wordsOf(text));
    const share =
      [...wanted].reduce((sum, word) => sum + (held.has(word) ? weight(word) : 0), 0) / all;
    if (share >= best.share) best = { text, share };
  }
  return best.share >= ENOUGH ? best.text : UNKNOWN;
}

export const UNKNOWN = "I don't know.";
/** Share of the question, rare words counting more, that a sentence must hold to be an answer. */
const ENOUGH = 0.6;
const EMPTY = new Set(
  "when a an the is are was of on in at to for and or which what who how does do it its that this be by with must".split(
    " ",
  ),
);

/** What Tidemark put beside a message. */
const isRecalled = (text: string): boolean => text.startsWith("<tidemark-recall>");

const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+(?:-\p{N}+)?/gu) ?? [])
    .map((word) => word.replace(/(?<=\p{L}{3})s$/u, ""))
    .filter((word) => !EMPTY.has(word));

const sentencesOf = (text: string): string[] =>
  text
    .split(/\n+|(?<=[.!?])\s+/)
    .map((sentence) => sentence.trim().replace(/^(?:- )?(?:[\d-]+ )?\w+(?:, unverified)?: "/, ""))
    .filter((sentence) => sentence !== "" && !sentence.startsWith("<"));

/** All words in a system text, a message or a block, results of tools included. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value !== "object" || value === null) return [];
  if ("text" in value) return textsOf(value.text);
  return "content" in value ? textsOf(value.content) : [];
}
