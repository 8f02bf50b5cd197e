import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sameness } from "../../src/memory/saving/same-and-category.ts";
import { fold } from "../../src/core/text/terms.ts";
import { chance } from "../../test/support/vectors.ts";

const FILE = join(import.meta.dirname, "../../../shared/data/locomo/locomo-dev5.json");

export interface Question {
  readonly question: string;
  readonly category: number;
  /** Ids of the turns that answer it. */
  readonly evidence: readonly string[];
}

export interface Conversation {
  readonly id: string;
  /** What an annotator noted of the turns, and of which. */
  readonly observations: readonly { readonly text: string; readonly turns: readonly string[] }[];
  readonly questions: readonly Question[];
}

const idsIn = (value: unknown): string[] =>
  [...JSON.stringify(value ?? "").matchAll(/D:?(\d+):(\d+)/g)].map(
    ([, session, turn]) => `D${Number(session)}:${Number(turn)}`,
  );

interface Raw {
  sample_id: string;
  observation: Record<string, Record<string, [string, unknown][]>>;
  qa: { question: string; category: number; evidence?: unknown }[];
}

/** LoCoMo's shared conversations (CC BY-NC: measured with, never shipped). */
export function conversations(): Conversation[] {
  const raw = JSON.parse(readFileSync(FILE, "utf8")) as Raw[];
  return raw.map(({ sample_id: id, observation, qa }) => ({
    id,
    observations: Object.values(observation)
      .flatMap((speakers) => Object.values(speakers).flat())
      .map(([text, turns]) => ({ text, turns: idsIn(turns) })),
    questions: qa.map(({ question, category, evidence }) => ({
      question,
      category,
      evidence: idsIn(evidence),
    })),
  }));
}

/** Real sentences first, then the same with three in ten of their long words swapped for others of the corpus. */
export function* manyFacts(count: number, seed = 1): Generator<string> {
  const texts = conversations().flatMap(({ observations }) => observations.map(({ text }) => text));
  const words = texts.flatMap((text) => text.match(/\p{L}{5,}/gu) ?? []);
  const random = chance(seed);
  const seen = new Set<string>();
  for (let at = 0; seen.size < count; at += 1) {
    const text = texts[at % texts.length] ?? "";
    const made =
      at < texts.length
        ? text
        : text.replace(/\p{L}{5,}/gu, (word) =>
            random() < 0.3 ? (words[Math.floor(random() * words.length)] ?? word) : word,
          );
    const same = sameness(made);
    if (seen.has(same)) continue;
    seen.add(same);
    yield made;
  }
}

/** A weak embedder in process: runs of three letters, hashed with a sign. */
export const LETTERS = {
  model: "letters-in-threes",
  dimensions: 384,
  embed: async (texts: readonly string[]) => texts.map((text) => letters(text)),
};

export function letters(text: string, dimensions = 384): Float32Array {
  const vector = new Float32Array(dimensions);
  const run = ` ${fold(text).replace(/[^\p{L}\p{N}]+/gu, " ")} `;
  for (let at = 0; at + 3 <= run.length; at += 1) {
    let hash = 2166136261;
    for (let index = at; index < at + 3; index += 1)
      hash = Math.imul(hash ^ run.charCodeAt(index), 16777619);
    const place = (hash >>> 0) % dimensions;
    vector[place] = (vector[place] ?? 0) + ((hash >>> 16) & 1 ? 1 : -1);
  }
  return vector;
}
