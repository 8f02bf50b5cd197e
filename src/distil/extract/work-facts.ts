import { contentWords } from "../../text/content-words.ts";
import { oneLine } from "../../text/cut.ts";
import { identifiers } from "../../text/identifiers.ts";
import { type Language } from "../../text/language.ts";
import { sentences } from "../../text/sentences.ts";
import { type Candidate, fitting, LONGEST_FACT } from "./candidate.ts";
import { concludesFirmly, explainsFailure, isExhaust, leansOnContext } from "./cues.ts";
import { failed, type Failure } from "./failures.ts";
import { commandOf, subjectOf, writes } from "./subject.ts";
import { type Step, type Transcript } from "./transcript.ts";
import { SPEAKERS } from "./user-facts.ts";

const WORDS: Readonly<Record<Language, { failed: string; later: string; changed: (folder: string) => string; more: (count: number) => string; repeated: string; times: (count: number) => string }>> = {
  en: { failed: "failed", later: "; it worked later with: ", changed: (folder) => `Files created or changed${folder === "" ? "" : ` in ${folder}`}: `, more: (count) => ` and ${count} more`, repeated: "Command that works here", times: (count) => `, ${count} times` },
  zh: { failed: "失败", later: "；后来成功：", changed: (folder) => `${folder === "" ? "" : `在 ${folder} 中`}已创建或修改的文件：`, more: (count) => ` 等另外 ${count} 个`, repeated: "可用的命令", times: (count) => `，${count} 次` },
};

const FROM_A_TURN = 2;

/** What the agent decided or found out, in its own words. */
export function agentFacts({ turns, language }: Transcript): Candidate[] {
  const found: Candidate[] = [];
  for (const turn of turns) {
    if (turn.speaker !== "assistant") continue;
    let taken = 0;
    for (const { text, code } of sentences(turn.text)) {
      if (taken >= FROM_A_TURN) break;
      if (code || text.length < 12 || /[?？]$/.test(text) || isExhaust(text)) continue;
      const named = identifiers(text).length > 0;
      const words = contentWords(text).length;
      const failure = explainsFailure(text);
      if (words < (failure ? 2 : 4) || (leansOnContext(text) && !named)) continue;
      if (!failure && !concludesFirmly(text)) continue;
      taken += 1;
      found.push({
        content: fitting(`${SPEAKERS[language].agent}${text}`),
        category: failure ? "mistake-pattern" : "decision",
        importance: 0.4 + (named ? 0.1 : 0),
        ...(failure ? { kind: "learning" as const } : {}),
        from: [turn.index],
      });
    }
  }
  return found;
}

/** An error that came once and was a mistyped path teaches nothing. */
const TRIVIAL = /does not exist|no such file|not been read|no matches|no files found|has been modified since|string to replace not found/i;

/** Errors of tools and what came right. */
export function failureFacts(failures: readonly Failure[], language: Language): Candidate[] {
  const { failed: word, later, times } = WORDS[language];
  return failures.flatMap(({ name, caption, error, steps, fixed, between }) => {
    if (error === "" || (TRIVIAL.test(error) && steps.length < 3)) return [];
    const cure = fixed === undefined ? "" : cured(steps.at(-1), fixed, between);
    const about = caption === "" ? "" : ` (${fitting(caption, 90)})`;
    const cites = steps.slice(-4).flatMap((step) => [step.index, step.answer?.index ?? step.index]);
    return [
      {
        content: fitting(`${name}${about} ${word}${steps.length > 1 ? times(steps.length) : ""}: ${error}${cure === "" ? "" : later + cure}`),
        category: steps.length > 1 || cure !== "" ? ("mistake-pattern" as const) : ("incident" as const),
        importance: Math.min(0.7, 0.35 + 0.08 * (steps.length - 1) + (cure === "" ? 0 : 0.12)),
        kind: "learning" as const,
        from: fixed === undefined ? cites : [...cites, fixed.index, fixed.answer?.index ?? fixed.index],
      },
    ];
  });
}

/** What was different when it worked: other arguments, else the files changed in between. */
function cured(before: Step | undefined, fixed: Step, between: readonly Step[]): string {
  const old = new Set(before?.leaves.map(({ key, value }) => `${key}=${value}`));
  const changed = fixed.leaves.filter(({ key, value }) => !old.has(`${key}=${value}`) && !/^description$/i.test(key));
  const files = [...new Set(between.filter(writes).map((step) => `${step.name} ${subjectOf(step) ?? ""}`.trim()))].join(", ");
  const other = changed.map(({ key, value }) => (key === "" || value.length > 60 ? oneLine(value) : `${key}=${oneLine(value)}`)).join(", ");
  return fitting(other !== "" ? other : files, 110);
}

const REPEATED = 3;

/** Files the tools changed from `factsFrom` on, and commands that keep working. */
export function workFacts({ turns, language }: Transcript, factsFrom: number): Candidate[] {
  const { repeated } = WORDS[language];
  const files = new Map<string, { count: number; index: number }>();
  const commands = new Map<string, { count: number; from: number[] }>();
  for (const step of turns.flatMap(({ steps }) => steps)) {
    if (step.answer === undefined || failed(step.answer)) continue;
    const subject = subjectOf(step);
    if (subject !== undefined && writes(step) && step.index >= factsFrom) files.set(subject, { count: (files.get(subject)?.count ?? 0) + 1, index: step.index });
    const command = commandOf(step);
    if (command === undefined || command.length > 120 || command.includes("\n")) continue;
    const known = commands.get(oneLine(command)) ?? { count: 0, from: [] };
    commands.set(oneLine(command), { count: known.count + 1, from: [...known.from, step.index, step.answer.index].slice(-6) });
  }
  const found: Candidate[] = filesFact([...files].sort(([, a], [, b]) => b.count - a.count || b.index - a.index), language);
  for (const [command, { count, from }] of commands)
    if (count >= REPEATED) found.push({ content: `${repeated}: ${command} (${count}×)`, category: "procedure", importance: 0.4, kind: "procedure", from });
  return found;
}

/** The files in one fact, the most worked on first, so that thirty of them are not thirty memories: the summary and the history have each. */
function filesFact(files: readonly (readonly [path: string, { readonly index: number }])[], language: Language): Candidate[] {
  if (files.length === 0) return [];
  const { changed, more } = WORDS[language];
  const folder = folderOf(files.map(([path]) => path));
  const head = changed(folder);
  const room = LONGEST_FACT - head.length - more(files.length).length;
  const named: string[] = [];
  for (const [path] of files) {
    const name = path.slice(folder.length);
    if (named.length > 0 && [...named, name].join(", ").length > room) break;
    named.push(name);
  }
  const rest = named.length < files.length ? more(files.length - named.length) : "";
  const told = fitting(`${head}${named.join(", ")}`, LONGEST_FACT - rest.length);
  return [{ content: told === "" ? "" : told + rest, category: "codebase-knowledge", importance: 0.45, from: files.slice(0, named.length).map(([, { index }]) => index) }];
}

/** The folder all of several paths lie in, with its last slash; of one path none. */
function folderOf([first = "", ...others]: readonly string[]): string {
  if (others.length === 0) return "";
  const parts = first.split("/");
  let folder = "";
  for (const part of parts.slice(0, -1)) {
    if (!others.every((path) => path.startsWith(`${folder}${part}/`))) break;
    folder += `${part}/`;
  }
  return folder.length > 3 ? folder : "";
}
