import { digest } from "../../text/hash.ts";
import { canonical } from "./canonical.ts";

/**
 * What says the same in other letters has one digest. A text of signs only has no words to compare, so it is its own.
 * "-5 °C" and "5 °C" are two facts.
 */
export const sameness = (content: string): string => digest(canonical(content) || content.trim());
