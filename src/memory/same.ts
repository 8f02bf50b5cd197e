import { digest } from "../text/hash.ts";

/**
 * What says the same in other letters has one digest: case, width, white space and the final stop aside. Signs inside
 * stay: "-5 °C" and "5 °C" are two facts.
 */
export const sameness = (content: string): string =>
  digest(content.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ").trim().replace(/[\s.!。]+$/u, ""));
