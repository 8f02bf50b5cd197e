import { building } from "./building.ts";
import { finishing } from "./finishing.ts";
import { planning } from "./planning.ts";
import type { Chapter } from "./script.ts";

/** Ines builds a lamp for her aunt: told here, so that the demo needs neither a key nor a network. */
export const STORY: readonly Chapter[] = [...planning, ...building, ...finishing];

export const MODEL = "claude-sonnet-5-5";
export const WINDOW = 16_000;
export const SYSTEM =
  "You help Ines, who builds things in a boathouse at Port Sorrel. Use the tools; they work on her project. Say what you did in a sentence or two, and ask when something is unclear.";

/** Asked at the end. `expected` is only for judging; the model that answers sees the question and its request, nothing else. */
export const QUESTIONS: readonly { readonly question: string; readonly expected: RegExp }[] = [
  { question: "Who is the lamp a present for?", expected: /Odile/ },
  { question: "When is the lamp unveiled?", expected: /14 March/ },
  { question: "What is the budget for the lamp?", expected: /85 euro/ },
  { question: "What must the lamp never show?", expected: /\bred\b/ },
  { question: "Which tide station is for the harbour?", expected: /PS-0417/ },
  { question: "On which GPIO is the LED data line?", expected: /GPIO 21/ },
];
