import type { Memory } from "../../model/memory.ts";
import { contentTerms } from "../../text/terms.ts";

/** A wish is a remark; what is longer was mostly written by another person. */
const LONGEST_WISH = 500;

const VERBS = "forget(?:ting)?|delet(?:e|ing)|remov(?:e|ing)|eras(?:e|ing)|unlearn|wipe|discard";
const WISH = new RegExp(`\\b(?:${VERBS})\\b`, "gi");
const NEGATED = new RegExp(`\\b(?:don['’]?t|do not|never)\\s+(?:${VERBS})`, "gi");
/** "Don't remember that" is one, too. */
const UNREMEMBERED = /(?:don['’]?t|do not|stop|no longer)\s+(?:remember|keep|stor|sav)\w*/giu;

/** Words that name nothing. */
const EMPTY =
  "please everything all memory memories remember remembered fact note thing stuff saved know";
const NOTHING = new Set(contentTerms(EMPTY).terms);

/** Do these words of a user's ask that this memory be forgotten: by what it is about, or "that"? */
export function asksToForget(said: string, memory: Pick<Memory, "content" | "key">): boolean {
  if (said.length > LONGEST_WISH) return false;
  const wishes = said.replace(NEGATED, " ");
  const rest = wishes.replace(WISH, " ").replace(UNREMEMBERED, " ");
  if (rest === wishes) return false;
  const named = contentTerms(rest).terms.filter((term) => !NOTHING.has(term));
  const about = new Set(contentTerms(`${memory.content} ${memory.key ?? ""}`).terms);
  return named.length === 0 || named.some((term) => about.has(term));
}
