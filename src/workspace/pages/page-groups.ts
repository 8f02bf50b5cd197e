import { type Memory } from "../../model/memory.ts";

/** The headings of MEMORY.md, and the words in a category that put a memory under each; the last takes the rest. */
export const GROUPS: readonly (readonly [heading: string, words: RegExp])[] = [
  [
    "You",
    /^(?:core|you|user|self|me)$|identit|person|profile|contact|famil|health|allerg|biograph|birthday|relationship/,
  ],
  [
    "Rules and preferences",
    /rule|prefer|principle|polic|procedure|correction|convention|style|best-practice|instruction|constraint|like/,
  ],
  ["Decisions", /decision|decided|choice/],
  [
    "Where work stands",
    /open|request|outcome|status|task|progress|todo|plan|deadline|daily|work-state|next/,
  ],
  ["What went wrong", /fail|incident|mistake|error|dead-?end|bug|wrong|trap|pitfall|problem/],
  ["Worth knowing", /(?:)/],
];

/** One word of a category each, so that what is written under a heading stands there again. */
const CATEGORIES: Readonly<Record<string, string>> = {
  you: "identity",
  "rules and preferences": "rule",
  decisions: "decision",
  "where work stands": "status",
  "what went wrong": "failed-approach",
};

const STATE = /^conversation\/.*\/(?:open-request|outcome)$/;

export function groupOf({ category, key = "" }: Pick<Memory, "category" | "key">): string {
  if (STATE.test(key)) return "Where work stands";
  const word = category.toLowerCase();
  return GROUPS.find(([, words]) => words.test(word))?.[0] ?? "Worth knowing";
}

/** The category of what a person writes under a heading; undefined where the heading says nothing. */
export const categoryUnder = (heading: string | undefined): string | undefined =>
  CATEGORIES[heading?.toLowerCase() ?? ""];
