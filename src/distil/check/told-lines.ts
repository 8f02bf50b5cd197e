import { type Origin, ORIGINS } from "../../model/origin.ts";
import { contentWords } from "../../text/content-words.ts";
import { remembering } from "../../base/cache.ts";
import { terms } from "../../text/terms.ts";

/** The words of content in a text, and which of them are no guess: figures, names, identifiers. */
export interface Words {
  readonly all: ReadonlySet<string>;
  readonly marks: ReadonlySet<string>;
}

/** What a report of somebody's words has of its own, and days, which a distiller works out. */
const REPORTING = new Set(
  (
    "user users assistant agent said says say tells told asked asks mentioned stated noted 用户 助手 " +
    "january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday"
  )
    .split(" ")
    .flatMap((word) => terms(word)),
);
const DAYS = /\b\d{4}-\d\d-\d\d\b/g;
/** A run of letters is looked at from its beginning only: from each of them it would take its length squared. */
const CAPITAL =
  /(?<=[\p{Ll}\p{N},;:)(] )\p{Lu}[\p{L}\p{N}'’-]*|(?<!\p{L})\p{L}*\p{Ll}\p{Lu}[\p{L}\p{N}]*|\p{Lu}{2,}/gu;

/** "HX-4471", "HX 4471" and "HX4471" are one name: letters and figures are told apart. */
const pieces = (word: string): string[] =>
  terms(/\p{N}/u.test(word) ? (word.match(/\p{L}+|\p{N}+/gu) ?? []).join(" ") : word);

export const wordsOf = remembering((text: string): Words => {
  const all = new Set(
    contentWords(text)
      .flatMap(pieces)
      .filter((word) => !REPORTING.has(word)),
  );
  const names = (text.match(CAPITAL) ?? []).flatMap(contentWords).flatMap(pieces);
  const figures = contentWords(text.replace(DAYS, " "))
    .flatMap(pieces)
    .filter((word) => /\p{N}/u.test(word));
  return { all, marks: new Set([...names, ...figures].filter((word) => all.has(word))) };
});

/** A line of what a request held from memory, and whose word that was. */
interface ToldLine {
  readonly text: string;
  readonly origin: Origin;
}

/** The lines of a text of ours. Each memory ends in a bracket that says where it is from; lines without one are of the `other` origin, or frame. */
export function toldLines(text: string, other?: Origin): ToldLine[] {
  return text.split("\n").flatMap((raw) => {
    const line = raw.replace(/^[\s\-*+#>]+/, "").trim();
    if (line === "" || /^<\/?tidemark-[^>]*>$/.test(line)) return [];
    const mark = /\(([^()]*)\)$/.exec(line);
    const said = mark?.[1] ?? "";
    const named = ORIGINS.findLast((origin) =>
      new RegExp(`(?:^|, )from ${origin}(?:,|$)`).test(said),
    );
    if (named === undefined) return other === undefined ? [] : [{ text: line, origin: other }];
    return [
      {
        text: line
          .slice(0, mark?.index)
          .replace(/^\[[^\]]*\] /, "")
          .trimEnd(),
        origin: named,
      },
    ];
  });
}
