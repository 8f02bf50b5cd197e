import { either } from "../base.ts";
import { isStopword } from "./terms.ts";

const DENIAL =
  /\b(?:not|no|never|none|nothing|nobody|neither|nor|without|cannot|\w+n['’]t)\b|n['’]t\b/gi;
const RUN = /[^\s"'`(),;!?]+/g;
const FIGURE = either(
  /[\d/@_]/i,
  /\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|hundred|thousand)\b/,
);
const NAME = /(?<=[^.!?\s]\s["'“(]?)\p{Lu}[\p{L}\p{N}-]*/gu;
const FIRST = /(?<=^|[.!?]\s)\p{Lu}[\p{L}\p{N}-]*/gu;
const WORD = /[\p{L}\p{N}-]+/gu;

/** How often something is denied. */
export const denials = (text: string): number => text.match(DENIAL)?.length ?? 0;

/** Names, numbers, paths and days: what no rewording may lose. */
const marksOf = (text: string): string[] =>
  [
    ...(text.match(RUN) ?? []).flatMap((run) =>
      FIGURE.test(run) ? run.replace(/[.:\]]{1,9}$/, "") : [],
    ),
    ...(text.match(NAME) ?? []),
    ...(text.match(FIRST) ?? []).filter((word) => !isStopword(word.toLowerCase())),
  ].map((one) => one.toLowerCase());

/** Does the first text hold each mark of the second? */
export function holdsMarks(stays: string, goes: string): boolean {
  const held = new Set([...marksOf(stays), ...(stays.toLowerCase().match(WORD) ?? [])]);
  return marksOf(goes).every((mark) => held.has(mark));
}
