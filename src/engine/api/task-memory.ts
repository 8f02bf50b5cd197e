import type { Scope } from "../../model/identity.ts";
import type { Memory } from "../../model/memory.ts";
import { clip, normalForm, oneLine } from "../../text/cut.ts";
import { digest } from "../../text/hash.ts";
import { refusalOf } from "../../distil/check/gate.ts";
import { errorLine } from "../../distil/extract/transcript.ts";
import type { Mask } from "../../secrets/mask.ts";
import { errorClass } from "../../workspace/pages/error-class.ts";
import type { TaskInput } from "../options/knowledge-api.ts";
import type { Who } from "../session/core.ts";

/** Characters of a task's words, of its result and of its error in a memory; history has them whole. */
const ASKED = 300;
const RESULT = 500;
const ERROR = 300;

/** Characters of a description, of notes and of a result. */
export const LONGEST = 100_000;

/** A task as it was given, checked; its id may be one that was made for it. */
export type GivenTask = Required<Pick<TaskInput, "description" | "id">> & TaskInput;

/** The memory that says a task is open. */
export const openKey = (id: string): string => `conversation/task:${id}/open-request`;

/** How a task ended: its result as text, "" for none, or the words of its error. */
export interface Ending {
  readonly failed: boolean;
  readonly words: string;
}

export interface Remembered {
  readonly who: Who;
  readonly given: GivenTask;
  readonly mask: Mask;
}

/** The one memory that says the task is open, and which agent's it is. */
export const saveOpen = (task: Remembered, author: Scope): Promise<Memory> =>
  task.who.byAgent.save({
    content: `Open request: ${asked(task)}`,
    key: openKey(task.given.id),
    scope: task.who.learns,
    category: "open-request",
    kind: "record",
    importance: 0.8,
    source: sourceOf(task),
    tags: [author],
  });

/**
 * One memory for how a task ends and one for how it fails, by its words: the same task over and over leaves two at most. An error's
 * words may be a tool's, so that memory is trusted no more than a tool. A result that may not be remembered is in history alone.
 * `open` ends in the same step; false, and nothing remembered, where it has ended before.
 */
export async function saveEnding(
  task: Remembered,
  { failed, words }: Ending,
  open: Memory,
): Promise<boolean> {
  const { who, mask, given } = task;
  const said = mask(clip(words, LONGEST));
  const told = failed ? errorLine(said) : oneLine(said);
  const isTold = told !== "" && (failed || refusalOf(told, []) === undefined);
  const tail = isTold ? ` — ${clip(told, failed ? ERROR : RESULT)}` : "";
  const content = `${failed ? `Failed (${errorClass(told)})` : "Done"}: ${asked(task)}${tail}`;
  const key = `${sourceOf(task)}/${failed ? "failure" : "outcome"}`;
  const standing = given.repeat ? await who.memories.byKey(key) : undefined;
  if (standing?.content === content) return who.byAgent.conclude(open);
  return (failed ? who.byTool : who.byAgent).conclude(open, {
    content,
    key,
    scope: who.learns,
    category: failed ? "failed-approach" : "outcome",
    kind: "episode",
    importance: 0.7,
    source: "task_completion",
  });
}

/** One for the same words: what is forgotten under it takes along what led to it. */
const sourceOf = ({ given }: Remembered): string =>
  `task/${digest(normalForm(given.description)).slice(0, 16)}`;

/** Masked before it is cut: of half a secret nothing tells that it is one. */
const asked = ({ given, mask }: Remembered): string =>
  clip(oneLine(mask(given.description)), ASKED);
