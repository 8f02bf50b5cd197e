import { type Hit, type Why } from "../../model/memory.ts";
import { type Io } from "../io.ts";
import { bar } from "./bar.ts";

const COLUMNS = 20;
const INDENT = 7;
const PARTS: readonly (readonly [keyof Why, string])[] = [
  ["words", "words of the question it holds"],
  ["meaning", "nearness of meaning"],
  ["recency", "how lately it was said"],
  ["use", "how often it was needed"],
  ["importance", "how much it matters"],
];

/** A bar for each part of a hit's score. What does not count there is left out: files and turns neither age nor wear. */
export function explainLines({ from, why }: Hit, { paint }: Pick<Io, "paint">): string[] {
  const counted = PARTS.filter(([part]) => (from === "memory" ? part !== "meaning" || why.meaning > 0 : part === "words" || (part === "meaning" && why.meaning > 0)));
  const wide = Math.max(...PARTS.map(([part]) => part.length));
  return counted.map(([part, says]) => `${" ".repeat(INDENT)}${part.padEnd(wide)} ${paint.cyan(bar(why[part], COLUMNS))} ${why[part].toFixed(2)}  ${paint.dim(says)}`);
}
