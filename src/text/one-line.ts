import { remembering } from "../base/cache.ts";
import { withoutUnseen } from "./unseen.ts";

/** The text on one line: control characters and unseen marks gone, white space single, well-formed. */
export const oneLine = (text: string): string =>
  withoutUnseen(text)
    .replace(/\p{Cs}/gu, "\ufffd")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();

/** A given name, as part of a line of ours: it cannot end the brackets it stands in, nor pass for what stands beside it. */
export const label = (text: string): string => clip(oneLine(text).replace(/[()[\]{},]/g, "_"), 200);

/** At most `max` characters, never half of a surrogate pair, ending in "…" when something is gone. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max < 1) return "";
  return `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Two texts that say the same in the same words have the same normal form. Remembered: a fold asks it of every fact there is room for. */
export const normalForm = remembering((text: string): string =>
  oneLine(text)
    .normalize("NFKC")
    .toLowerCase()
    .replace(/<\s*!\s*-\s*-/g, "<!--")
    .replace(/\s+/g, " ")
    .replace(/(?<![\s.!。])[\s.!。]+$/u, ""),
);
