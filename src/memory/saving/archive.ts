import { either } from "../../core/base.ts";
import { clip, head, tail } from "../../core/text/cut.ts";
import { identifiers } from "../../core/text/identifiers.ts";
import { sentences } from "../../core/text/sentences.ts";
import { estimateTokens } from "../../core/tokens/estimate.ts";

/** Shares of what makes a text dense, as SynthOrg's density classifier has them. */
const WEIGHTS = {
  code: 0.3,
  structure: 0.25,
  identifiers: 0.2,
  numbers: 0.1,
  lines: 0.15,
} as const;
/** From here on a text is dense: to put it in other words would lose it. */
const DENSE = 0.5;
const CODE = either(
  /^\s*(?:import|export|const|let|def|class|function|return|if|for|while|public|private|async)\b/,
  /[{}();[\]]\s*[,;]?\s*$/,
  /=>|\(\)|::|==|\w\([\w"'`]|\$\{|\w:\s*\w+[;,]$|^\s*[.<]\w|^\s*\|.*\|\s*$/,
);
const STRUCTURE = either(
  /^\s*(?:[-*+]|\d+[.)])\s/,
  /^\s*[\w."'-]+\s*[:=]\s*\S/,
  /\||\t|^\s*[<[{}]/,
  /^\s*(?:\d{1,4}[-.:/]\d|[A-Z][a-z]{2} +\d{1,2} \d\d:)|^[^\s,;]*(?:[,;][^\s,;]*){2,}$/,
  /^\s{2,}\S/,
);
/** Characters of a line of prose; a line of data is shorter. */
const SHORT = 120;
/** Key facts of a dense text, and what is shown of its start, middle and end. */
const [FACTS, SHOWN] = [20, 150];
const ABSTRACT_TOKENS = 200;

const share = (some: number, all: number): number => Math.min(1, all === 0 ? 0 : some / all);

/** How dense a text is, 0…1. */
export function densityOf(text: string): number {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const words = text.split(/\s+/).filter((word) => word !== "");
  const count = (pattern: RegExp): number => lines.filter((line) => pattern.test(line)).length;
  const parts = {
    code: share(2 * count(CODE), lines.length),
    structure: share(count(STRUCTURE), lines.length),
    identifiers: share(3 * identifiers(text).length, words.length),
    numbers: share(4 * words.filter((word) => /\d/.test(word)).length, words.length),
    lines:
      lines.length < 2
        ? 0
        : share(lines.filter(({ length }) => length < SHORT).length, lines.length),
  };
  return Object.entries(parts).reduce(
    (sum, [name, part]) => sum + WEIGHTS[name as keyof typeof WEIGHTS] * part,
    0,
  );
}

/** A group is dense by strict majority. */
export const isDense = (texts: readonly string[]): boolean =>
  2 * texts.filter((text) => densityOf(text) >= DENSE).length > texts.length;

/** An archived text leaves its first sentences, or its key facts and three places of it. */
export function abstractOf(text: string): string {
  if (isDense([text])) {
    const facts = [...new Set(identifiers(text).map((one) => one.text))].slice(0, FACTS);
    const middle = Math.floor((text.length - SHOWN) / 2);
    const places = [head(text, SHOWN), head(text.slice(middle), SHOWN), tail(text, SHOWN)];
    return `${facts.map((fact) => `- ${clip(fact, SHOWN)}`).join("\n")}\n${places.join("\n…\n")}`;
  }
  const kept: string[] = [];
  for (const { text: sentence } of sentences(text)) {
    if (estimateTokens([...kept, sentence].join(" ")) > ABSTRACT_TOKENS) break;
    kept.push(sentence);
  }
  return kept.join(" ") || clip(text, 4 * SHOWN);
}
