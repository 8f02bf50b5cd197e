import { contentWords } from "../../text/content-words.ts";
import { terms } from "../../text/terms.ts";
import { type Keepsake } from "./keepsake.ts";

/** Fewer statements than this have no routine. */
const ROUTINE = 12;
/** A word in more statements than this is what the talk is made of. */
const OFTEN = 2;
/** What is left of the value of a statement that is all routine. */
const LEAST = 0.4;

/**
 * The fiftieth "my order has not arrived" tells less than the one line about something else: plain statements and names are worth
 * as much as their words are rare among what was said. Numbers and ids are always rare and say nothing here.
 */
export function byNovelty(keepsakes: readonly Keepsake[]): Keepsake[] {
  const plain = keepsakes.filter(isPlain);
  const words = new Map<string, ReadonlySet<string>>();
  for (const { text } of plain) if (!words.has(text)) words.set(text, new Set(contentWords(text).flatMap((word) => (/\d|[/_\\]/.test(word) ? [] : terms(word)))));
  if (words.size < ROUTINE) return [...keepsakes];
  const often = new Map<string, number>();
  for (const own of words.values()) for (const word of own) often.set(word, (often.get(word) ?? 0) + 1);
  return keepsakes.map((keepsake) => {
    const own = isPlain(keepsake) ? [...(words.get(keepsake.text) ?? [])] : [];
    if (own.length === 0) return keepsake;
    const rare = own.filter((word) => (often.get(word) ?? 0) <= OFTEN).length / own.length;
    return { ...keepsake, value: keepsake.value * (LEAST + (1 - LEAST) * rare) };
  });
}

const isPlain = ({ kind }: Keepsake): boolean => kind === "said" || kind === "name";
