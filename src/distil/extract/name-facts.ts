import { type Candidate, fitting } from "./candidate.ts";
import { type Entry, isReference, type Ledger } from "./ledger.ts";
import { captionOf, writes } from "./subject.ts";
import { worth } from "./worth.ts";

const MOST = 12;

/** Ids, addresses and numbers that the conversation worked with, each with what it is. */
/** `said`: what the user's own facts say already. */
export function nameFacts(ledger: Ledger, { length, said }: { length: number; said: string }): Candidate[] {
  return [...ledger.values()]
    .filter((entry) => worksWith(entry) && !said.includes(entry.text))
    .map((entry) => ({ entry, value: worth(entry, length) }))
    .sort((a, b) => b.value - a.value || a.entry.first - b.entry.first)
    .slice(0, MOST)
    .map(({ entry, value }) => {
      const caption = entry.source === undefined ? "" : captionOf(entry.source, 80);
      const origin = entry.source === undefined ? "" : ` (${entry.source.name}${caption === "" || caption.includes(entry.text) ? "" : ` ${caption}`})`;
      return {
        content: fitting(`${entry.label !== undefined && isReference(entry.label) ? `${entry.label}: ` : entry.kind === "url" ? "URL: " : ""}${entry.text}${origin}`),
        category: "core" as const,
        importance: Math.min(0.55, 0.3 + 0.25 * value),
        from: [...new Set([entry.first, ...(entry.used >= 0 ? [entry.used] : [])])],
      };
    });
}

/** Worked with, not merely shown; a label says what it is, or its form does. */
function worksWith({ kind, label, user, called, said, old, source }: Entry): boolean {
  if (old) return false;
  // What a call brought into being is its result, used again or not.
  if (source !== undefined && writes(source) && label !== undefined && isReference(label) && called === 0) return true;
  if (user + called === 0 || user + called + said < 2) return false;
  if (kind === "url" || kind === "email") return true;
  return (kind === "id" || kind === "hash" || kind === "number" || kind === "version") && label !== undefined && isReference(label);
}
