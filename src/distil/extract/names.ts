import { type Entry, type Ledger } from "./ledger.ts";
import { captionOf, subjectOf } from "./subject.ts";
import { type Step } from "./transcript.ts";
import { type Group, type Unit } from "./units.ts";

/** Names worth a place of their own, under the call they came from. */
const MOST = 4_000;

export function nameUnits(ledger: Ledger, rank: (entry: Entry) => number): Unit[] {
  const best = [...ledger.values()]
    .map((entry) => ({ entry, value: rank(entry) }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value || a.entry.first - b.entry.first)
    .slice(0, MOST);
  const groups = new Map<Step | undefined, Group>();
  return best.map(({ entry }) => {
    let group = groups.get(entry.source);
    if (group === undefined) {
      group = { section: "names", order: entry.source?.index ?? -1, label: entry.source === undefined ? "" : labelOf(entry.source), style: "list", size: 0 };
      groups.set(entry.source, group);
    }
    group.size += 1;
    return { group, order: entry.first * 10_000 + group.size, text: labelled(entry), value: 0 };
  });
}

/** The file's own name is enough: its path stands under "Done" when it matters. */
function labelOf(step: Step): string {
  const subject = subjectOf(step);
  const short = subject === undefined ? captionOf(step, 60) : (subject.split(/[\\/]/).findLast((part) => part !== "") ?? subject);
  return `${step.name}${short === "" ? "" : ` ${short}`}: `;
}

/** "HATHAV" says nothing, "reservation_id=HATHAV" does; "credit_card_4421486" explains itself. */
function labelled({ text, label, kind }: Entry): string {
  if (label === undefined || /^(?:id|value|text|name|type|data|content|key|path|file|url|command|file_?path)$/i.test(label)) return text;
  const opaque = kind === "number" || kind === "hash" || (kind === "id" && !/[a-z]{3}/.test(text));
  return opaque ? `${label}=${text}` : text;
}
