import { meanings } from "../cues/languages.ts";
import { type Candidate, fitting, spoken, writes } from "./candidate.ts";
import { broke } from "./failures.ts";
import { leans, specifics, telling } from "./specific.ts";
import type { Turn } from "./transcript.ts";

/** Why something failed, in the words of the worker who found out: said behind a failure, with the names of things. */
export const traps = (turns: readonly Turn[]): Candidate[] =>
  turns.flatMap((turn, at) => {
    const isBehindFailure = turns
      .slice(Math.max(0, at - 4), at)
      .some(({ steps }) => steps.some(broke));
    if (turn.speaker !== "assistant" || (!isBehindFailure && !turn.steps.some(writes))) return [];
    const cause = spoken(turn.text).find(
      (text) => isCause(text) && !(leans(text) && telling(text) < 6),
    );
    if (cause === undefined) return [];
    return [
      {
        content: fitting(`Agent: ${cause}`),
        category: "mistake-pattern",
        kind: "learning",
        importance: 0.5 + 0.03 * specifics(cause),
        origin: "agent",
        from: [turn.index],
      },
    ];
  });

const isCause = (text: string): boolean =>
  text.length > 40 &&
  /[.;!)\]`*。！]$/u.test(text) &&
  telling(text) > 4 &&
  specifics(text) > 0 &&
  meanings(text).has("because");

/** "AskUserQuestion", "ask_user", "ask_followup_question"; not "Task". */
const ASKS_USER = /^ask(?=[A-Z_]|$)|_ask(?:_|$)|user_?input|clarify/i;
const ANSWERS = /"([^"\n]{3,300})"\s?[=:]\s?"([^"\n]{1,300})"/g;

/** What the user answered to a question that a tool asked: a decision, though it comes as a tool's result. */
export const answered = (turns: readonly Turn[]): Candidate[] =>
  turns.flatMap(({ steps }) =>
    steps.flatMap(({ name, answer }) => {
      const pairs =
        answer === undefined || answer.failed || !ASKS_USER.test(name)
          ? []
          : answer.text.slice(0, 4_000).matchAll(ANSWERS);
      return [...pairs].map(([, question = "", reply = ""]): Candidate => ({
        content: fitting(`User decided: ${question} → ${reply}`),
        category: "decision",
        importance: 0.65,
        origin: "tool",
        from: [answer?.index ?? 0],
      }));
    }),
  );
