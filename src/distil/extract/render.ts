import { type Language } from "../../text/language.ts";
import { type Group, SECTIONS, TITLES, type Unit } from "./units.ts";

export const titleLine = (section: (typeof SECTIONS)[number], language: Language): string => `## ${TITLES[language][section]}`;

/** The chosen units as Markdown: sections, one line a group, everything in the order it happened. */
export function render(units: readonly Unit[], language: Language): string {
  const groups = new Map<Group, Unit[]>();
  for (const unit of units) {
    const line = groups.get(unit.group);
    if (line === undefined) groups.set(unit.group, [unit]);
    else line.push(unit);
  }
  const ordered = [...groups].sort(([a], [b]) => a.order - b.order);
  return SECTIONS.flatMap((section) => {
    const lines = ordered.filter(([group]) => group.section === section).map(([group, line]) => `- ${group.label}${joined(group, line)}`);
    return lines.length === 0 ? [] : [`${titleLine(section, language)}\n${lines.join("\n")}`];
  }).join("\n");
}

function joined({ style, size }: Group, line: Unit[]): string {
  line.sort((a, b) => a.order - b.order);
  if (style !== "quote") return line.map(({ text }) => text).join(style === "list" ? ", " : " → ");
  let text = "";
  let next = 0;
  for (const unit of line) {
    if (text === "") text = unit.order > 0 ? "… " : "";
    else text += unit.order > next ? " … " : joint(text, unit);
    text += unit.text;
    next = unit.order + 1;
  }
  return next < size ? `${text} …` : text;
}

/** A line that ended without a mark (a list item, a line of code) is set off from the next. */
function joint(before: string, { text, continues }: Unit): string {
  if (continues !== undefined) return continues;
  if (/[。！？，；：]$/.test(before)) return "";
  return /[.!?,;:…]["'”’)\]]*$/.test(before) || /^[-*+]|^\d+[.)]/.test(text) ? " " : " / ";
}
