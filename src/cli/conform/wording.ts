import { type Dice } from "./dice.ts";
import { type Words } from "./words.ts";

/** One way to say a thing of a kind. "call" stands for a tool call with its input, and what it answered. */
export interface Said {
  readonly by: "user" | "assistant" | "call";
  readonly text: string;
  readonly question: string;
  readonly needs: readonly string[];
  readonly call?: {
    readonly name: string;
    readonly input: Readonly<Record<string, unknown>>;
    readonly answer: string;
    readonly failed: boolean;
  };
}
export type Wording = (words: Words, dice: Dice) => Said;

export const user = (text: string, question: string, ...needs: string[]): Said => ({
  by: "user",
  text,
  question,
  needs,
});
export const assistant = (text: string, question: string, ...needs: string[]): Said => ({
  by: "assistant",
  text,
  question,
  needs,
});

export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
export const DEEDS = [
  "repaint",
  "rename",
  "translate",
  "measure",
  "photograph",
  "reprint",
  "inspect",
  "relabel",
];
export const PAPERS = [
  "leaflet",
  "invoice",
  "checklist",
  "timetable",
  "postcard",
  "poster",
  "questionnaire",
  "receipt",
];
export const TRAITS = [
  "deadline",
  "opening hour",
  "price",
  "weight limit",
  "capacity",
  "floor area",
];
export const REASONS = [
  "the hinges rusted",
  "the supplier went bankrupt",
  "the battery drained overnight",
  "the driver leaked memory",
  "half of the rows came out twice",
  "the lock file was stale",
];
export const slug = (thing: string): string => thing.replace(/ /g, "-");
