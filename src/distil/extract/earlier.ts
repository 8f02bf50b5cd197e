import { withoutFences } from "../../text/fence.ts";
import { CARRIED, type Group, OPEN, type Section, SECTIONS, TITLES, type Unit } from "./units.ts";

/** The summary before, taken apart so that its lines can compete for room again. */
export interface Earlier {
  readonly requests: { text: string; open: boolean }[];
  readonly units: Unit[];
  /** Its lines as they stand, lists of names aside, with what they most likely are. */
  readonly lines: { text: string; section: Section }[];
}

/** Headings of summaries that were written by others, by what they most likely hold. */
const HEADINGS: readonly (readonly [RegExp, Section | "open"])[] = [
  [/\b(?:open|pending|to-?do|remaining|outstanding|next steps?|unfinished|offen\w*|ausstehend\w*|zu erledigen|pendientes?|abiert[ao]s|en attente|à faire|ouvert\w*|in sospeso|apert[eio])\b|未完了|未完成|待办|待处理|下一步|后续/i, "open"],
  [/\b(?:ask|request|said|want|task|goal|intent|user)|请求|需求|目标|任务|用户/i, "asked"],
  [/\b(?:error|fail|problem|issue|bug)|错误|失败|问题/i, "failed"],
  [/\b(?:decision|decided|correct|preference|rule)|决定|更正|偏好|规则/i, "decided"],
  [/\b(?:done|action|complet|progress|files?|change)|完成|操作|进展|文件/i, "done"],
  [/\b(?:identif|path|names?|ids?|reference|key)|标识|路径|编号/i, "names"],
];
const OWN = new Map<string, Section>(Object.values(TITLES).flatMap((titles) => SECTIONS.map((section) => [titles[section], section] as const)));
const MOST_LINES = 2_000;

/** `last`: nothing came after it, so what stood at the end still does. */
export function readEarlier(previous: string, { last }: { last: boolean }): Earlier {
  const requests: { text: string; open: boolean }[] = [];
  const units: Unit[] = [];
  const lines: { text: string; section: Section }[] = [];
  const groups = new Map<string, Group>();
  let section: Section | "open" | "carried" = "noted";
  let own = false;
  let blank = false;
  let listed = false;
  withoutFences(previous)
    .split("\n", MOST_LINES)
    .forEach((line, at) => {
      const heading = /^\s{0,3}(?:#{1,6}\s+(.{1,120})|\*\*(.{1,120})\*\*:?\s*$|(.{1,60})[:：]\s*$)/.exec(line);
      if (heading !== null) {
        const title = (heading[1] ?? heading[2] ?? heading[3] ?? "").trim();
        own = OWN.has(title);
        listed = false;
        section = Object.values(CARRIED).includes(title) ? "carried" : OWN.get(title) ?? HEADINGS.find(([pattern]) => pattern.test(title))?.[1] ?? "noted";
        return;
      }
      const text = line.replace(/^\s{0,20}(?:[-*+•]|\d{1,3}[.)、])\s+/, "").trim();
      // A paragraph after a list is no longer part of it.
      if (text === line.trim() && text !== "" && blank && listed) section = "noted";
      listed ||= text !== line.trim();
      blank = text === "";
      if (text === "" || /^[（(].{0,40}(?:left out|从略).{0,10}[）)]$/.test(text)) return;
      // Wherever a model puts a line with the mark, it says that something waits.
      const marked = section === "asked" ? undefined : Object.values(OPEN).find((open) => text.startsWith(open));
      if (marked !== undefined) {
        requests.push({ text: text.slice(marked.length), open: true });
        return;
      }
      if (section === "open" || section === "asked") {
        if (section === "asked") lines.push({ text, section });
        const mark = Object.values(OPEN).find((open) => text.startsWith(open));
        requests.push({ text: mark === undefined ? text : text.slice(mark.length), open: section === "open" || mark !== undefined });
        return;
      }
      const place = section === "carried" ? "decided" : section === "state" && !last ? "noted" : section;
      const label = own && (section === "names" || section === "done") ? /^[^\s:][^:]{0,80}: (?=[^\s])/.exec(text)?.[0] : undefined;
      const items = label === undefined ? [] : text.slice(label.length).split(", ");
      if (label !== undefined && (section === "names" || items.every((item) => /^\S+(?: ×\d+)?$/.test(item)))) {
        let group = groups.get(place + label);
        if (group === undefined) {
          group = { section: place, order: at - 3e6, label, style: "list", size: 0 };
          groups.set(place + label, group);
        }
        for (const item of items) units.push({ group, order: group.size++, text: item, value: section === "done" ? 0.15 : 0.02 });
      } else {
        lines.push({ text, section: place });
        units.push({ group: { section: place, order: at - 3e6, label: "", style: "quote", size: 1 }, order: 0, text, value: section === "carried" ? 0.4 : 0.25 });
      }
    });
  return { requests, units, lines };
}
