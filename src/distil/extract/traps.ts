import { sentences } from "../../text/sentences.ts";
import { meanings } from "../cues/read.ts";
import { type Candidate, fitting } from "./candidate.ts";
import { failed } from "./failures.ts";
import { isQuestion, leans, specifics, telling } from "./specific.ts";
import { writes } from "./subject.ts";
import { type Transcript } from "./transcript.ts";

/** Why something failed, in the words of the worker who found out: said behind a failure, with the names of things. */
export function traps({ turns }: Transcript): Candidate[] {
  const answers = turns.flatMap(({ steps }) => steps.flatMap(({ answer }) => (answer === undefined ? [] : [answer])));
  const broken = new Set(answers.filter(failed).map(({ index }) => index));
  return turns.flatMap((turn) => {
    if (turn.speaker !== "assistant") return [];
    const next = turns[turn.index + 1];
    const confirmed = next?.speaker === "user" && meanings(next.own).has("confirms");
    if (!confirmed && !turn.steps.some(writes) && ![1, 2, 3].some((back) => broken.has(turn.index - back))) return [];
    const said = sentences(turn.text).filter(({ code }) => !code).map(({ text }) => text);
    const at = said.findIndex((text) => isCause(text) && !(leans(text) && telling(text) < 6));
    if (at < 0) return [];
    return [{
      content: fitting(`Agent: ${said[at] ?? ""}`),
      category: "mistake-pattern" as const,
      kind: "learning" as const,
      importance: 0.5 + 0.03 * specifics(said[at] ?? ""),
      origin: "agent" as const,
      from: [turn.index],
    }];
  });
}

const isCause = (text: string): boolean =>
  !isQuestion(text) && text.length > 40 && /[.:;!)\]`*。！]$/u.test(text) && !/:$/.test(text) && telling(text) > 4 && specifics(text) > 0 && meanings(text).has("because");

/** "AskUserQuestion", "ask_user", "ask_followup_question"; not "Task". */
const ASKS_USER = /^ask(?=[A-Z_]|$)|_ask(?:_|$)|user_?input|clarify/i;

/** What the user answered to a question that a tool asked: a decision, though it comes as a tool's result. */
export function answered({ turns }: Transcript): Candidate[] {
  return turns.flatMap(({ steps }) =>
    steps.flatMap(({ name, answer }) => {
      if (answer === undefined || answer.failed || !ASKS_USER.test(name)) return [];
      return [...answer.text.slice(0, 4_000).matchAll(/"([^"\n]{3,300})"\s?[=:]\s?"([^"\n]{1,300})"/g)].map(([, question = "", reply = ""]) => ({
        content: fitting(`User decided: ${question} → ${reply}`),
        category: "decision" as const,
        importance: 0.65,
        origin: "tool" as const,
        from: [answer.index],
      }));
    }),
  );
}
