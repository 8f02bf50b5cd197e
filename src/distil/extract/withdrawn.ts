import { sentences } from "../../text/sentences.ts";
import { withdraws } from "./cues.ts";
import { stems } from "./request-words.ts";
import { type Asked } from "./settling.ts";

/** Who takes something back says less of it than who reports on it. */
const ABOUT = 0.34;
const LEAST = 2;

/** Does the user take the request back, in words about it? */
export const isWithdrawn = (said: string, { words }: Pick<Asked, "words">): boolean =>
  sentences(said.slice(0, 2_000)).some(({ text, code }) => {
    if (code || !withdraws(text)) return false;
    const own = stems(text);
    return [...words].filter((word) => own.has(word)).length >= Math.min(words.size, Math.max(LEAST, words.size * ABOUT));
  });
