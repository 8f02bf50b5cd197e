import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { asText, type Dict, dictIn, isDict } from "../../core/base.ts";
import { type Internals, internalsFor } from "../../session/options/internals.ts";
import type { Tidemark } from "../../session/options/tidemark-api.ts";
import { recallText, standingIn } from "../../session/recalled-text.ts";
import { recallOptions } from "../../tidemark/turn/recall.ts";
import { answering, questionsOf } from "../../tidemark/turn/recall-question.ts";
import { branchesOf, saidOn } from "./branches.ts";
import { logIn } from "./logs.ts";

/** The hooks that are answered, and seconds that an answer may take. */
export const HOOKS = { SessionStart: 10, UserPromptSubmit: 10, PreCompact: 60, Stop: 60 } as const;
export type HookEvent = keyof typeof HOOKS;

/** A text for the agent's context; nothing where there is nothing to say. */
export interface HookAnswer {
  readonly hookSpecificOutput?: {
    readonly hookEventName: "SessionStart" | "UserPromptSubmit";
    readonly additionalContext: string;
  };
}

/** Prompts that no person wrote. */
const WRITTEN: readonly unknown[] = [undefined, "user", "sdk"];
/** Hits asked of each question; the tokens decide how many of them are shown. */
const HITS = 12;

/**
 * Answers a hook of Claude Code's or Codex's by what it was called with: with what is known, or by
 * reading what was said. `opens`: nothing was told in this session before.
 */
export async function answerHook(
  tidemark: Tidemark,
  event: HookEvent,
  input: Dict,
  opens = event === "SessionStart",
): Promise<HookAnswer> {
  const home = internalsFor(tidemark, "a hook");
  // A sub-agent is asked by its agent, and no person.
  if (home.off || home.options.mode === "observe" || input.agent_id !== undefined) return {};
  const log = asText(input.transcript_path);
  if (event === "PreCompact" || event === "Stop") {
    await readLog(tidemark, log, input);
    return {};
  }
  const seen = sinceCut(await readFile(log, "utf8").catch(() => ""));
  const standing = opens ? await home.standing() : "";
  const recalled =
    event === "UserPromptSubmit" ? await recalledFor(tidemark, home, input, seen) : "";
  const told = [standing, recalled].filter((text) => text !== "" && !isIn(seen, text)).join("\n\n");
  if (told === "") return {};
  return { hookSpecificOutput: { hookEventName: event, additionalContext: told } };
}

/** The end of a log: what was told behind the last cut the model sees, or has not seen for long. */
const sinceCut = (log: string): string =>
  log.slice(Math.max(0, log.lastIndexOf(CUT), log.length - SEEN));
const CUT = '"compact_boundary"';
const SEEN = 1_000_000;

/** Is a text in a log, as JSON has it? */
const isIn = (log: string, text: string): boolean =>
  log.includes(JSON.stringify(text).slice(1, -1));

/** Memory's answer to a prompt, without what the session was told. */
async function recalledFor(
  { memory }: Tidemark,
  { options }: Internals,
  { prompt, source }: Dict,
  seen: string,
): Promise<string> {
  const asked = recallOptions({ options, observes: false });
  if (asked === undefined || !WRITTEN.includes(source)) return "";
  const found = await Promise.all(
    questionsOf(asText(prompt)).map(async (question) =>
      (await memory.recall(question, { limit: HITS })).filter(answering(question, asked.minScore)),
    ),
  );
  const standing = standingIn([seen.replaceAll("\\n", "\n").replaceAll('\\"', '"')], () => "");
  const best = found.flat().sort((one, other) => other.score - one.score);
  const facts = [...new Map(best.map((hit) => [hit.id, hit.memory])).values()]
    .filter((fact) => fact !== undefined)
    .filter((fact) => !standing(fact));
  return recallText(facts, asked.tokens, undefined, { zone: options.zone })?.text ?? "";
}

/** Takes in what people and the model have said in a session; what is known of it stays. */
async function readLog({ history }: Tidemark, path: string, input: Dict): Promise<void> {
  const text = await writtenLog(path, input);
  const log = logIn(text.split("\n").map(dictIn).filter(isDict));
  if (log === undefined) throw new Error(`${path} is no log of Claude Code's or Codex's`);
  const [said = []] = branchesOf(log.nodes, log.leaf);
  await history.import({ id: log.id, messages: saidOn(said) });
}

/**
 * An agent writes its log, the first line too, a little behind what it says: ms, and how often it
 * is waited so long.
 */
const BEHIND = { ms: 100, times: 10 } as const;

/** The log with the last words of the turn that ends, where it is told of them. */
async function writtenLog(
  path: string,
  { prompt_id: prompt, last_assistant_message: last }: Dict,
): Promise<string> {
  for (let left: number = BEHIND.times; ; left -= 1) {
    const log = await readFile(path, "utf8").catch((thrown: unknown) => {
      if (left === 0) throw thrown;
      return "";
    });
    const from = log.indexOf(asText(prompt));
    if (left === 0 || last === undefined || (from >= 0 && isIn(log.slice(from), asText(last))))
      return log;
    await pause(BEHIND.ms);
  }
}
