import { type Language } from "../../text/language.ts";

/** The sections of a summary, in the order they are read. */
export const SECTIONS = ["asked", "decided", "failed", "done", "noted", "names", "state"] as const;
export type Section = (typeof SECTIONS)[number];

export const TITLES: Readonly<Record<Language, Readonly<Record<Section, string>>>> = {
  en: {
    asked: "What the user asked and said",
    decided: "Decisions and corrections",
    failed: "Errors and failed approaches",
    done: "Done",
    noted: "Along the way",
    names: "Identifiers",
    state: "Where it stands",
  },
  zh: {
    asked: "用户的请求与说明",
    decided: "决定与更正",
    failed: "错误与失败的尝试",
    done: "已完成的操作",
    noted: "过程要点",
    names: "标识符",
    state: "当前状态",
  },
};

export const OPEN: Readonly<Record<Language, string>> = { en: "[open] ", zh: "[未完成] " };
/** The part of a summary that code wrote, because the model that wrote the rest had left it out. */
export const CARRIED: Readonly<Record<Language, string>> = { en: "Carried over", zh: "承前保留" };
export const LEFT_OUT: Readonly<Record<Language, (count: number) => string>> = {
  en: (count) => `(${count} earlier ${count === 1 ? "request" : "requests"} left out)`,
  zh: (count) => `（另有 ${count} 条较早的请求从略）`,
};

/** The smallest piece the summary takes or leaves. */
export interface Unit {
  /** Units of one group stand on one line. */
  readonly group: Group;
  /** Place within the group; neighbours that follow each other need no sign of a gap. */
  readonly order: number;
  readonly text: string;
  /** What it is worth beside the identifiers it holds. */
  readonly value: number;
  /** For the rest of a sentence the unit before it began: what stood between them, a space or nothing. */
  readonly continues?: string;
}

export interface Group {
  readonly section: Section;
  readonly order: number;
  readonly label: string;
  /** "quote" marks gaps with an ellipsis, "list" joins by commas, "arrow" by arrows. */
  readonly style: "quote" | "list" | "arrow";
  /** How many units there are, so that a quote that stops early says so. */
  size: number;
}
