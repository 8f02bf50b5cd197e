import { reasonOf, refuse, shown } from "../../model/errors.ts";
import { agentScope, type Identity } from "../../model/identity.ts";
import { type Hit, type Memory } from "../../model/memory.ts";
import { digest } from "../../text/hash.ts";
import { clip } from "../../text/cut.ts";
import { type FailedTask } from "../../distil/task/proposal.ts";
import { errorLine } from "../../distil/extract/failures.ts";
import { type Mask } from "../../secrets/mask.ts";
import { queueNow } from "../background/at-rest.ts";
import { noteEvents } from "../journal/log-events.ts";
import { propose } from "../background/propose.ts";
import { weigh } from "../background/worth.ts";
import { type Brief, type Task } from "../options/task-types.ts";
import { type Core, type Who } from "../session/core.ts";
import { taskConversation } from "../session/request.ts";
import { atBorder, checkOpen } from "./border.ts";
import { conversationsOf } from "./history.ts";
import { briefFor } from "./brief.ts";
import { checkTask, checkText, type GivenTask, LONGEST, openKey } from "./task-input.ts";
import { type Ending, resultOf, saveEnding, saveOpen } from "./task-memory.ts";

interface Begun {
  readonly core: Core;
  readonly who: Who;
  readonly given: GivenTask;
  readonly mask: Mask;
  readonly notes: string[];
  /** What its brief held. */
  readonly offered: readonly Hit[];
  /** How often each tool had answered when it began. */
  readonly called: ReadonlyMap<string, number>;
}

/**
 * A task under way: it begins with what is known of it, and its words, notes and result become a conversation that a search finds.
 * What is open stands in one memory until it ends, so that the next process knows of a task that this one left.
 */
export async function beginTask(
  core: Core,
  who: Who,
  identity: Identity,
  input: unknown,
): Promise<Task> {
  const mask = await core.mask();
  const given = checkTask(input, { newId: core.newId, mask });
  const { id, description, notes, tokens } = given;
  const author = agentScope(identity);
  const left = await who.memories.byKey(openKey(id));
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
    mask,
    notes: notes === undefined ? [] : [notes],
    offered: known.hits,
    called: core.process.called.get(who.root) ?? new Map<string, number>(),
  };
  await tell(begun, "user", description);
  if (notes !== undefined) await tell(begun, "assistant", notes);
  const standing = left ?? (await saveOpen(begun, author));
  noteTask(core, standing, left === undefined ? "began" : "went on");
  let ended: Promise<boolean> | undefined;
  const end = (ending: Ending): Promise<boolean> => {
    if (ended !== undefined) return ended.then(() => false);
    checkOpen(core);
    // What did not end may be ended again.
    ended = endTask(begun, ending, standing.id).catch((thrown: unknown) => {
      ended = undefined;
      throw thrown;
    });
    return ended;
  };
  return {
    id,
    brief: left === undefined ? known : goingOn(known, left),
    ...atBorder(core, "task.", {
      async note(text: string) {
        checkOpen(core);
        begun.notes.push(checkText(text, "note"));
        await tell(begun, "assistant", text);
      },
      done: async (result?: unknown) => end({ result }),
      failed: async (error: unknown) => end({ error }),
    }),
  };
}

/** In the daily log a task has the id of its open request, which stands there too: its own may be words. */
const noteTask = (
  core: Core,
  { id, scope }: Memory,
  did: "began" | "went on" | "ended" | "failed",
): void => noteEvents(core, scope, { at: core.now(), what: "task", id, did });

/** Another process, or this one, began the task and did not end it. Nothing is said of how far it came. */
function goingOn(known: Brief, { at }: Memory): Brief {
  const line = `This task was begun on ${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC and has not ended.`;
  return { ...known, text: [line, known.text].filter((part) => part !== "").join("\n\n") };
}

/**
 * History first, then in one step what is remembered of it and the end of the open request: a process that dies in between leaves the
 * task open, and ending it again changes nothing that was written. False: another was faster, and its ending stands.
 */
async function endTask(begun: Begun, ending: Ending, request: string): Promise<boolean> {
  const { core, who } = begun;
  const open = await who.memories.get(request);
  if (open === undefined) return false;
  const words = clip(
    "error" in ending ? `Failed: ${reasonOf(ending.error)}` : resultOf(ending.result),
    LONGEST,
  );
  if (words !== "") await tell(begun, "error" in ending ? "tool" : "assistant", words);
  if (!(await saveEnding(begun, ending, open))) return false;
  noteTask(core, open, "error" in ending ? "failed" : "ended");
  const ended = await weigh(core, who, {
    offered: begun.offered,
    worked: !("error" in ending),
  });
  const session = await sessionOf(begun);
  if (session === undefined) return true;
  await queueNow(core, who, session);
  if ("error" in ending)
    core.background.run(propose(core, who, { session, ended, ...failureOf(begun, ending.error) }));
  return true;
}

/** A failed task as another model hears of it. */
function failureOf({ core, who, given, mask, notes, called }: Begun, error: unknown): FailedTask {
  const calls = [...(core.process.called.get(who.root) ?? [])].flatMap(([tool, times]) => {
    const since = times - (called.get(tool) ?? 0);
    return since > 0 ? [[tool, since] as const] : [];
  });
  return {
    description: given.description,
    error: errorLine(mask(clip(reasonOf(error), LONGEST))),
    calls: new Map(calls),
    notes,
  };
}

/** Adds a message to the task's conversation, where words are kept at all; one that stands there already is not told again. */
async function tell({ core, who, given: { id } }: Begun, role: string, text: string) {
  if (core.history.keeps.keep === "none") return;
  const ref = digest(role, text).slice(0, 12);
  await conversationsOf(core, who).import({
    id: taskConversation(id),
    messages: [{ role, text, ref }],
  });
}

async function sessionOf({ core, who, given: { id } }: Begun): Promise<string | undefined> {
  const [session] = await core.history.sessions(who.root, taskConversation(id));
  return session?.id;
}
