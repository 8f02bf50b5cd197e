import { sentences } from "../text/sentences.ts";
import { corrects } from "./extract/cues.ts";
import { type Keepsake } from "./extract/keepsake.ts";
import { WHOLE } from "./extract/statements.ts";
import { Statement, supersedes, Written } from "./survive.ts";

/**
 * The summary without what a correction beside it has replaced: a model that read the correction in one distilling and copies the
 * line in the next would tell both. What was said anew since the correction stays, and of a paragraph all other sentences do.
 */
export function withoutReplaced(summary: string, keepsakes: readonly Keepsake[]): string {
  const lines = summary.split("\n").map((line) => {
    const bullet = /^\s*(?:[-*+]|\d+\.)\s+/.exec(line)?.[0] ?? "";
    const text = line.slice(bullet.length);
    return { line, bullet, units: text.length <= WHOLE || /^#/.test(text) ? [text] : sentences(text).map((one) => one.text) };
  });
  const corrections = lines.flatMap(({ units }) => units.filter((unit) => corrects(unit.replace(/^[^:：\s]{1,8}[:：]\s?/, "")))).map((unit) => new Statement(unit));
  if (corrections.length === 0) return summary;
  const saidNow = new Written(keepsakes.filter(({ earlier }) => !earlier).map(({ text }) => text));
  const stays = (text: string): boolean => {
    const statement = new Statement(text);
    const replaced = corrections.some((correction) => correction.text !== text && supersedes(correction, statement, "correction"));
    return !replaced || corrections.some((correction) => correction.text === text) || /^#/.test(text) || saidNow.says({ text, kind: "said" });
  };
  return lines
    .flatMap(({ line, bullet, units }) => {
      const kept = units.filter(stays);
      return kept.length === units.length ? [line] : kept.length === 0 ? [] : [bullet + kept.join(" ")];
    })
    .join("\n");
}
