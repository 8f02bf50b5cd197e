// Labelled messages: what a careful colleague would write down of each, and which clauses say it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Clause,
  clausesOf,
  featuresOf,
  tokensOf,
} from "../../src/memory/extracting/clauses.ts";
import { heard } from "../../src/memory/extracting/frames.ts";
import { goesOn } from "../../src/memory/extracting/statements.ts";

/** One line of `bench/said/NAME.jsonl`; `keep`: words of `text`, and of what kind they are. */
export interface Labelled {
  readonly before?: readonly string[];
  readonly text: string;
  readonly keep: readonly (readonly [said: string, kind: Kind])[];
}
export type Kind = "wish" | "need" | "taste" | "self" | "world" | "change";

export const readLabelled = (name: string): Labelled[] =>
  readFileSync(join(import.meta.dirname, "../said", `${name}.jsonl`), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Labelled);

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Does the clause say the words that are marked, or stand for the most part in them? */
function says(clause: string, marked: string): boolean {
  const [words, said] = [wordsIn(clause), wordsIn(marked)];
  const [has, wanted] = [new Set(words), new Set(said)];
  const covered = said.filter((word) => has.has(word)).length / said.length;
  const inside = words.filter((word) => wanted.has(word)).length / words.length;
  return (
    (covered >= 0.6 && clause.toLowerCase().includes(said[0] ?? "")) ||
    (inside >= 0.8 && words.length >= 0.4 * said.length)
  );
}

/** Of several kinds the one that is told longest. */
const FIRST: readonly Kind[] = ["wish", "need"];
function kindOf(clause: string, { keep }: Labelled): Kind | undefined {
  const kinds = keep.filter(([said]) => says(clause, said)).map(([, kind]) => kind);
  return FIRST.find((kind) => kinds.includes(kind)) ?? kinds[0];
}

/** A message with its clauses, and of what kind each is. */
export interface Read {
  readonly label: Labelled;
  readonly earlier: readonly string[];
  readonly clauses: readonly Clause[];
  readonly kinds: readonly (Kind | undefined)[];
}

export function reading(label: Labelled): Read {
  const text = heard(label.text).own;
  const clauses = clausesOf(text);
  const kinds = clauses.map((clause) => kindOf(clause.text, label));
  const earlier = (label.before ?? []).filter(goesOn).map((said) => heard(said).own);
  return { label, earlier, clauses, kinds };
}

export const featuresIn = (read: Read, words: ReadonlySet<string>): Set<string>[] =>
  featuresOf(read.clauses, read.earlier, (word) => words.has(word));

/** A provider's name says nothing of what is worth keeping. */
const NOT_READ = /anthropic|openai|claude|gpt|gemini|[|`\\]/;

/** The words that so many of the messages hold. */
export function commonWords(messages: readonly Read[], least: number): Set<string> {
  const found = new Map<string, number>();
  for (const { earlier, clauses } of messages) {
    const words = [...earlier, ...clauses.map(({ text }) => text)].flatMap((text) =>
      tokensOf(text).map(({ word }) => word),
    );
    for (const word of new Set(words)) found.set(word, (found.get(word) ?? 0) + 1);
  }
  return new Set(
    [...found].flatMap(([word, times]) => (times >= least && !NOT_READ.test(word) ? word : [])),
  );
}
