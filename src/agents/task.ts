import type { EventLog } from "../compaction/journal/log-and-conversation-pages.ts";
import { reasonOf, refuse, shown } from "../core/errors-and-events.ts";
import { agentScope, type Identity, type Scope } from "../core/identity.ts";
import { type Hit, type Memory, minuteOf } from "../core/memory.ts";
import { mask } from "../core/secrets/mask.ts";
import { clip, digest, normalForm, oneLine } from "../core/text/cut.ts";
import { isRefused } from "../memory/extracting/gate.ts";
import type { FailedTask } from "../memory/extracting/procedure.ts";
import { errorLine } from "../memory/extracting/transcript.ts";
import type { Memories } from "../memory/memories.ts";
import { type Who, workHome } from "../session/ports.ts";
import type { Task, TaskInput } from "../session/options/knowledge-api.ts";
import { errorClass } from "../workspace/pages/learnings.ts";
import { atBorder, checkOpen } from "./public-calls.ts";
import { briefFor, taskConversation } from "./brief.ts";
import { type Archiving, conversationsOf } from "./history-api.ts";
import type { Searching } from "./memory-api.ts";
import { propose, weigh } from "./procedures.ts";

/**
 * Characters of a task's words, of its result and of its error in a memory; history has them whole.
 */
const ASKED = 300;
const RESULT = 500;
const ERROR = 300;

/** Characters of a description, of notes and of a result. */
const LONGEST_WORDS = 100_000;

/** A task as it was given, checked; its id may be one that was made for it. */
type GivenTask = Required<Pick<TaskInput, "description" | "id">> & TaskInput;

/** The memory that says a task is open. */
const openKey = (id: string): string => `conversation/task:${id}/open-request`;

/** How a task ended: its result as text, "" for none, or the words of its error. */
interface Ending {
  readonly failed: boolean;
  readonly words: string;
}

type Tasking = Archiving & Searching & { readonly log: EventLog };

interface Begun {
  readonly core: Tasking;
  readonly who: Who;
  readonly given: GivenTask;
  readonly notes: string[];
  readonly offered: readonly Hit[];
}

/**
 * A task under way: it begins with what is known of it, and its words, notes and result become a
 * conversation that a search finds. What is open stands in one memory until it ends, so that the
 * next process knows of a task that this one left.
 */
export async function beginTask(
  core: Tasking,
  who: Who,
  identity: Identity,
  input: TaskInput,
): Promise<Task> {
  const given = { ...input, id: input.id ?? core.newId() };
  const { id, description, notes, tokens } = given;
  if (mask(openKey(id)) !== openKey(id))
    refuse("The id of the task holds what looks like a secret. Choose another id.");
  const author = agentScope(identity);
  const left = await who.memories.byKey(openKey(id), { scope: who.home });
  if (left !== undefined && !left.tags.includes(author))
    refuse(
      `The task ${shown(id)} is another agent's and still open: give this one an id of its own.`,
    );
  const known = await briefFor(core, who, description, {
    tokens,
    besides: ({ memory }) => memory?.key === openKey(id),
  });
  const begun: Begun = {
    core,
    who,
    given,
    notes: notes === undefined ? [] : [notes],
    offered: known.hits,
  };
  await tell(begun, given.from === "tool" ? "tool" : "user", description);
  if (notes !== undefined) await tell(begun, "assistant", notes);
  const standing = left ?? (await saveOpen(begun, author));
  noteTask(core, standing, left === undefined ? "began" : "went on");
  // Another process, or this one, began it and did not end it. Nothing says how far it came.
  const goesOn = left && `This task was begun on ${minuteOf(left.at)} UTC and has not ended.`;
  const end = async (ending: Ending): Promise<boolean> => {
    checkOpen(core);
    return endTask(begun, ending, standing.id);
  };
  return {
    id,
    brief: left === undefined ? known : { ...known, text: `${goesOn}\n\n${known.text}`.trimEnd() },
    ...atBorder(core, "task.", {
      async note(text: string) {
        checkOpen(core);
        begun.notes.push(text);
        await tell(begun, "assistant", text);
      },
      done: async (result?: unknown) => end({ failed: false, words: resultOf(result) }),
      failed: async (error: unknown) => end({ failed: true, words: reasonOf(error) }),
    }),
  };
}

/**
 * In the daily log a task has the id of its open request, which stands there too: its own may be
 * words.
 */
const noteTask = (
  core: Tasking,
  { id, scope }: Memory,
  did: "began" | "went on" | "ended" | "failed",
): void => core.log.note(scope, { at: core.now(), what: "task", id, did });

/**
 * History first, then in one step what is remembered of it and the end of the open request: a
 * process that dies in between leaves the task open, and ending it again changes nothing that was
 * written. False: another was faster, and its ending stands.
 */
async function endTask(begun: Begun, ending: Ending, request: string): Promise<boolean> {
  const { core, who } = begun;
  const open = await who.memories.get(request);
  if (open === undefined) return false;
  const { failed, words } = ending;
  const told = clip(failed ? `Failed: ${words}` : words, LONGEST_WORDS);
  if (told !== "") await tell(begun, failed ? "tool" : "assistant", told);
  if (!(await saveEnding(begun, ending, open))) return false;
  noteTask(core, open, failed ? "failed" : "ended");
  await weigh(core, who, { offered: begun.offered, worked: !failed });
  const [session] = await core.store.sessions({
    root: who.root,
    label: taskConversation(begun.given.id),
  });
  if (session === undefined) return true;
  // Read in the next pause, however short it was.
  if (core.models.asksAtRest(who)) await core.rests.queue(session.id, { anyway: true });
  if (failed)
    core.background.run(propose(core, who, { session: session.id, ...failureOf(begun, words) }));
  return true;
}

/** A failed task as another model hears of it. */
const failureOf = ({ given, notes }: Begun, words: string): FailedTask => ({
  description: given.description,
  error: errorLine(mask(clip(words, LONGEST_WORDS))),
  notes,
});

/** Adds a message to the task's conversation; one that stands there already is not told again. */
async function tell({ core, who, given: { id } }: Begun, role: string, text: string) {
  const ref = digest(role, text).slice(0, 12);
  await conversationsOf(core, who).import({
    id: taskConversation(id),
    messages: [{ role, text, ref }],
    learn: false,
  });
}

/** A result as text; "" for none, and for what cannot be written. */
function resultOf(result: unknown): string {
  if (typeof result === "string") return result;
  try {
    return JSON.stringify(result) ?? "";
  } catch {
    return "";
  }
}

/** A stranger's words are trusted no more than a tool's. */
const memoriesFor = ({ who, given }: Begun, failed = false): Memories =>
  failed || given.from === "tool" ? who.byTool : who.byAgent;

/** The one memory that says the task is open, and which agent's it is. */
const saveOpen = (task: Begun, author: Scope): Promise<Memory> =>
  memoriesFor(task).save({
    content: `Open request: ${asked(task)}`,
    key: openKey(task.given.id),
    scope: task.who.home,
    category: "open-request",
    kind: "record",
    importance: 0.8,
    source: sourceOf(task),
    tags: [author],
  });

/**
 * One memory for how a task ends and one for how it fails, by its words: the same task over and
 * over leaves two at most. An error's words may be a tool's, so that memory is trusted no more than
 * a tool. A result that may not be remembered is in history alone.
 * `open` ends in the same step; false, and nothing remembered, where it has ended before.
 */
async function saveEnding(task: Begun, { failed, words }: Ending, open: Memory): Promise<boolean> {
  const { who, given } = task;
  const said = mask(clip(words, LONGEST_WORDS));
  const told = failed ? errorLine(said) : oneLine(said);
  const isTold = told !== "" && (failed || !isRefused(told));
  const tail = isTold ? ` — ${clip(told, failed ? ERROR : RESULT)}` : "";
  const content = `${failed ? `Failed (${errorClass(told)})` : "Done"}: ${asked(task)}${tail}`;
  const key = `${sourceOf(task)}/${failed ? "failure" : "outcome"}`;
  const scope = workHome(who);
  const standing = given.repeat ? await who.memories.byKey(key, { scope }) : undefined;
  if (standing?.content === content) return who.memories.conclude(open);
  return memoriesFor(task, failed).conclude(open, {
    content,
    key,
    scope,
    category: failed ? "failed-approach" : "outcome",
    kind: "episode",
    importance: 0.7,
    source: "task_completion",
  });
}

/** One for the same words: what is forgotten under it takes along what led to it. */
const sourceOf = ({ given }: Begun): string =>
  `task/${digest(normalForm(given.description)).slice(0, 16)}`;

/** Masked before it is cut: of half a secret nothing tells that it is one. */
const asked = ({ given }: Begun): string => clip(oneLine(mask(given.description)), ASKED);
