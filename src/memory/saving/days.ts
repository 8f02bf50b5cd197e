import { phrases } from "../../core/base.ts";
import { dayIn } from "../../core/memory.ts";

const DAY = 86_400_000;
/** Words for a day, by how far it is from the day they are said on. */
const NEAR: Readonly<Record<string, number>> = {
  ...{ "the day before yesterday": -2, yesterday: -1, "last night": -1 },
  ...{ today: 0, tonight: 0, "this morning": 0, "this afternoon": 0, "this evening": 0 },
  ...{ tomorrow: 1, "the day after tomorrow": 2 },
};
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const WHICH = `(?:last|this|next) (?:${WEEKDAYS.join("|")})`;
const CLEAR = new RegExp(
  `\\b((?:on|by|until|since|from|before|after|for) )?(${Object.keys(NEAR).join("|")}|${WHICH})` +
    "\\b(?!['’]s)",
  "gi",
);
const RELATIVE = phrases(
  "\\b",
  `yesterday|today|tonight|tomorrow|${WHICH}`,
  "(?:last|this|next) (?:week|weekend|month|year|spring|summer|autumn|winter)",
  "(?:days?|weeks?|months?|years?) ago",
);
/** What is so each day is of no day. */
const HABIT = /\b(?:every|each|daily|always|never|whenever)\b/i;
const CALENDAR = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

interface SaidOn {
  readonly at: number;
  readonly zone?: string | undefined;
  /** It may have been said on an earlier day. */
  readonly isLatest: boolean;
}

/** A sentence with the days of the calendar that it means, or with the day it was said on. */
export function datedWords(content: string, { at, zone, isLatest }: SaidOn): string {
  if (HABIT.test(content) || !RELATIVE.test(content.replace(CLEAR, "today"))) return content;
  const noon = Date.parse(`${dayIn(at, zone)}T12:00:00Z`);
  const text = isLatest
    ? content
    : content.replace(CLEAR, (all, before: string = "", word) => {
        const days = daysTo(String(word).toLowerCase(), new Date(noon).getUTCDay());
        const on = all.startsWith(all.charAt(0).toUpperCase()) ? "On " : "on ";
        return days === undefined ? all : (before || on) + CALENDAR.format(noon + days * DAY);
      });
  if (!RELATIVE.test(text)) return text;
  const said = `(said ${isLatest ? "by " : ""}${CALENDAR.format(noon)})`;
  return text.replace(/[.!]?$/, (end) => ` ${said}${end}`);
}

/** Undefined for "next Friday" in the same week: some mean that one, some the one behind it. */
function daysTo(word: string, today: number): number | undefined {
  const near = NEAR[word];
  if (near !== undefined) return near;
  const [which, name = ""] = word.split(" ");
  const ahead = (WEEKDAYS.indexOf(name) - today + 7) % 7 || 7;
  if (which === "last") return ahead - 7 || -7;
  const isThisWeek = today > 0 && today + ahead <= 7;
  return which === "this" || !isThisWeek ? ahead : undefined;
}
