import { oneLine } from "../../text/one-line.ts";
import { fitting } from "./candidate.ts";
import { type Step } from "./transcript.ts";

const PATH_KEYS =
  /^(?:(?:absolute_?|relative_?|target_?|notebook_?)?(?:file|path|file_?path|file_?name|notebook)|dir|directory|folder)$/i;
const COMMAND_KEYS = /^(?:command|cmd|script|code|expression|sql)$/i;
const ASK_KEYS =
  /^(?:query|pattern|url|uri|prompt|question|search|q|thought|text|message|title|subject|description)$/i;
const WRITERS =
  /(?:^|[_-]|\b)(?:write|edit|create|insert|append|replace|patch|update|save|move|rename|delete|remove|multiedit|put|set|add|book|cancel|send|submit|str_replace)/i;
const PLANNERS = /^(?:think|todo_?write|todo_?read|plan|thought)$/i;

/** Does the tool's name say that it changes something? */
export const writes = ({ name, leaves }: Step): boolean =>
  (WRITERS.test(name) ||
    WRITERS.test(name.replace(/([a-z])([A-Z])/g, "$1_$2")) ||
    (/edit|str_replace/i.test(name) &&
      leaves.some(
        ({ key, value }) => key === "command" && /^(?:create|str_replace|insert)$/.test(value),
      ))) &&
  !PLANNERS.test(name);

/** The path the call is about, whole. */
export const subjectOf = ({ leaves }: Step): string | undefined =>
  leaves.find(
    ({ key, value }) =>
      PATH_KEYS.test(key) && value.length > 0 && value.length <= 300 && !value.includes("\n"),
  )?.value;

/** The shell command or program text. */
export const commandOf = ({ leaves }: Step): string | undefined =>
  leaves.find(({ key, value }) => COMMAND_KEYS.test(key) && value.trim() !== "")?.value;

/** What the call was about, on one line. */
export function captionOf(step: Step, most = 160): string {
  const ask =
    step.leaves.length <= 3 ? step.leaves.find(({ key }) => ASK_KEYS.test(key))?.value : undefined;
  const said =
    commandOf(step) ??
    ask ??
    step.leaves
      .flatMap(({ key, value }) => (value === "" ? [] : [key === "" ? value : `${key}=${value}`]))
      .join(", ");
  return subjectOf(step) ?? fitting(oneLine(said), most);
}
