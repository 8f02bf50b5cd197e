import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readTurn } from "../../agents/history-api.ts";
import { asDict, asText, type Dict, dicts } from "../../core/base.ts";
import { typeOf } from "../../core/memory-types.ts";
import { termSet } from "../../core/text/terms.ts";
import type { Tidemark } from "../../session/options/tidemark-api.ts";
import { Failure } from "../input/flags.ts";

interface Known {
  readonly id: string;
  readonly text: string;
  readonly type: string;
  readonly at: number;
}
/** A question, the ids of what answers it, and of which type that is. */
export interface QuizQuestion {
  readonly text: string;
  readonly wanted: readonly string[];
  readonly type: string;
}
/** What one person knows, and what is asked of it. */
export interface Quiz {
  readonly facts: readonly Known[];
  readonly questions: readonly QuizQuestion[];
}

/** A memory was used where a reply says so much of it that the question did not say. */
const SAID = 0.5;

/**
 * The questions of the identity's turns, each with the memories that it was shown and that the
 * reply spoke of. What was not shown was not used: this favours what is in use.
 */
export async function ownQuiz({ memory, history }: Tidemark): Promise<Quiz> {
  const facts = (await memory.list({ limit: 100_000 })).map((one): Known => {
    return { ...one, text: one.content, type: typeOf(one) };
  });
  const questions: QuizQuestion[] = [];
  for (const { id: conversation } of await history.list()) {
    const { messages, places = [] } = await history.read({ conversation, from: 0 });
    const said = messages.map((message, at) => ({ ...places[at], ...readTurn(message) }));
    for (const { at, told, recalled } of await history.turns(conversation, { limit: 10_000 })) {
      const end = said.findLastIndex((one) => one.role === "assistant" && Number(one.at) <= at);
      const before = said.slice(0, Math.max(0, end));
      const text = before.findLast((one) => (one.speaker ?? one.role) === "user")?.text ?? "";
      const shown = [...told, ...recalled.map(({ id }) => id)];
      const used = facts.filter((fact) => {
        const own = termSet(fact.text).difference(termSet(text));
        const again = own.intersection(termSet(said[end]?.text ?? "")).size;
        return shown.includes(fact.id) && again > 0 && again >= SAID * own.size;
      });
      questions.push(...asked(text, used));
    }
  }
  return { facts, questions };
}

const asked = (text: string, answers: readonly Known[]): QuizQuestion[] =>
  answers.slice(0, 1).map(({ type }) => ({ text, type, wanted: answers.map(({ id }) => id) }));

const SPOKEN = /^<(?!Assistant|BOD)\w+>: "?([^]*?)"?\s*$/;

/**
 * A file in the form of MADial-Bench's dialogues, its memory.jsonl beside it: events stand there
 * person by person, the ids of each in order. The question is the person's last message before the
 * turn that should remember.
 */
export function madialQuizzes(file: string): Quiz[] {
  const people: Known[][] = [];
  for (const [id, event] of linesIn(join(dirname(file), "memory.jsonl")).flatMap(Object.entries)) {
    const { event: text, scene, time } = asDict(event);
    if (!(Number(id) > Number(people.at(-1)?.at(-1)?.id))) people.push([]);
    const at = Date.parse(`${asText(time)}Z`) || 0;
    people.at(-1)?.push({ id, text: asText(text), type: asText(scene), at });
  }
  const dialogues = linesIn(file);
  return people.map((facts, person) => ({
    facts,
    questions: dialogues.flatMap((one) => {
      const [lines, turns, ids] = ["dialogue", "test-turn", "relevant-id"].map((name) =>
        [one[name]].flat(),
      );
      const before = lines?.slice(0, Number(turns?.[0])) ?? [];
      const text = before.flatMap((line) => SPOKEN.exec(asText(line))?.[1] ?? []).at(-1) ?? "";
      const answers = facts.filter(({ id }) => ids?.includes(Number(id)));
      return one["user-id"] === person + 1 ? asked(text, answers) : [];
    }),
  }));
}

function linesIn(file: string): Dict[] {
  try {
    const lines = readFileSync(file, "utf8").trim().split("\n");
    return dicts(lines.map((line): unknown => JSON.parse(line)));
  } catch {
    throw new Failure(
      `${file} cannot be read: name a dialogue.jsonl with memory.jsonl beside it, a JSON object ` +
        "in each line.",
    );
  }
}
