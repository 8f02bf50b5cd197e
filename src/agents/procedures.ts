import type { Models } from "../compaction/distilling/choose-distiller.ts";
import type { Reading } from "../compaction/distilling/short-session-read.ts";
import { degraded, isTidemarkError, TidemarkError } from "../core/errors-and-events.ts";
import type { Hit, Memory } from "../core/memory.ts";
import { NON_INFERABLE } from "../core/memory-kinds.ts";
import { digest } from "../core/text/cut.ts";
import { copies } from "../core/text/terms.ts";
import { isRefused } from "../memory/extracting/gate.ts";
import {
  type FailedTask,
  type Procedure,
  procedureIn,
  procedureText,
  proposalInstruction,
} from "../memory/extracting/procedure.ts";
import type { Memories } from "../memory/memories.ts";
import { maskedTexts } from "../memory/saving/commit.ts";
import { sameness } from "../memory/saving/same-and-category.ts";
import { type Ground, type Kept, type Who, workHome } from "../session/ports.ts";
import { isBudgetSpent, newMark } from "../session/own-calls.ts";
import { propose as proposed } from "./notes.ts";

/** The tool may end what a proposer made; procedures of people and hosts are theirs to end. */
export const PROPOSED = "proposer";
const TOKENS = 1_500;
const TEMPERATURE = 0.3;
const LEAST_CONFIDENCE = 0.5;
/** The importance of a procedure that has not been tried yet. */
const UNTRIED = 0.5;

const NO_PROCEDURES =
  "A task failed, and no model is there to find out what the next one should do " +
  "otherwise: the failure is remembered, and no procedure is made of it.";

/**
 * Asks a model, apart from the conversation that failed, what is to be learnt of it, and remembers
 * that as a procedure. Its words were made of a tool's, so they are trusted no more than those.
 * Trouble is told.
 */
export async function propose(
  core: Reading,
  who: Who,
  { session, ...task }: FailedTask & { session: string },
): Promise<void> {
  if (core.observes) return;
  const complete = core.models.completeFor(who);
  if (complete === undefined) return core.notice.say("no-procedures", NO_PROCEDURES);
  try {
    const procedure = await asked(core, complete, task, session);
    const isSure = procedure.confidence >= LEAST_CONFIDENCE;
    if (!isSure || isRefused(procedure.discovery)) return;
    const made = await remember(core, who, procedure);
    if (made !== undefined) await proposeSkill(core, who, made, task);
  } catch (thrown) {
    // The budget has told already that it is spent.
    if (!isBudgetSpent(thrown)) core.emit(degraded("procedure of a failed task", thrown));
  }
}

async function asked(
  core: Reading,
  complete: NonNullable<ReturnType<Models["completeFor"]>>,
  task: FailedTask,
  session: string,
): Promise<Procedure> {
  const text = proposalInstruction(maskedTexts(task), newMark());
  const how = { text, maxTokens: TOKENS, temperature: TEMPERATURE };
  const procedure = procedureIn(await core.models.apart(complete, { session }, how));
  if (procedure !== undefined) return procedure;
  throw new TidemarkError(
    "distil",
    "The model's answer on a failed task holds no JSON of the form asked for; nothing " +
      "was learnt of it.",
  );
}

/**
 * One that says the same is there already: it counts as said again, and keeps what it has proved to
 * be worth. Answers one that is new, as it was made.
 */
async function remember(
  { store }: Kept,
  who: Who,
  procedure: Procedure,
): Promise<Memory | undefined> {
  const scope = workHome(who);
  const key = `procedure/${sameness(procedure.discovery)}`;
  const standing = await who.memories.byKey(key, { scope });
  // One that has ended because it kept failing is no news.
  const [past] = await store.find({ scopes: [scope], key, past: true });
  if (standing === undefined && past !== undefined && keepsFailing(past.memory)) return undefined;
  const tags = new Set([NON_INFERABLE, ...procedure.tags.map((tag) => tag.toLowerCase())]);
  const saved = await who.byTool.save({
    content: standing?.content ?? procedureText(procedure),
    key,
    scope,
    category: "procedure",
    kind: "procedure",
    source: PROPOSED,
    tags: standing?.tags ?? [...tags],
    importance: standing?.importance ?? UNTRIED,
  });
  return standing === undefined && saved.version === 1 ? saved : undefined;
}

/**
 * A procedure that was just made waits to be accepted as a skill, if one is wanted. A skill is read
 * as an instruction, so none may hold words of a tool: what stands on those of the error is
 * remembered, marked as it is, and not proposed. Only one that is new is looked at: of an older one
 * it is not known any more which error it was made of.
 */
async function proposeSkill(
  core: Reading,
  who: Who,
  { id, content, scope }: Memory,
  { error, description }: Pick<FailedTask, "error" | "description">,
): Promise<void> {
  if (core.skills === undefined || copies(content, error, description)) return;
  const words = digest(content);
  await proposed(core, who, { kind: "skill", memory: id, to: scope, words });
}

/** Fewer failures are chance; worth less than that is worth nothing. */
const LEAST_FAILURES = 3;
const LEAST_WORTH = 0.3;
/**
 * What holds less of a task's words was told beside it, not of it: it has no part in how the task
 * ends.
 */
const LEAST_SHARE = 0.55;
/** Many tasks may end at once; one of them wins each round. */
const TRIES = 50;

/** How often a task that was offered a procedure went well and ill. */
interface Tried {
  readonly worked: number;
  readonly failed: number;
}

const count = (tags: readonly string[], name: string): number =>
  Number(
    tags.find((tag) => new RegExp(`^${name}:\\d{1,9}$`).test(tag))?.slice(name.length + 1) ?? 0,
  );

const triedOf = ({ tags }: Pick<Memory, "tags">): Tried => ({
  worked: count(tags, "worked"),
  failed: count(tags, "failed"),
});

/**
 * The mean of a Beta distribution over what came of it, from one success and one failure: untried
 * it is a half.
 */
const worthOf = ({ worked, failed }: Tried): number => (worked + 1) / (worked + failed + 2);

function keepsFailing(memory: Pick<Memory, "tags">): boolean {
  const tried = triedOf(memory);
  return tried.failed >= LEAST_FAILURES && worthOf(tried) < LEAST_WORTH;
}

/**
 * A task has ended that was offered these: what they are worth moves, and what keeps failing ends.
 * The counts stand among the tags. Trouble is told.
 */
export async function weigh(
  core: Ground,
  who: Who,
  { offered, worked }: { offered: readonly Hit[]; worked: boolean },
): Promise<void> {
  const rights = await who.rights();
  for (const { memory, why } of offered) {
    const isOurs = memory?.kind === "procedure" && memory.source === PROPOSED;
    const isMeant = Math.max(why.words, why.meaning) >= LEAST_SHARE;
    if (!isOurs || !isMeant || !rights.may("change", memory.scope)) continue;
    try {
      const now = await counted(who.memories, memory.id, worked);
      if (now?.key === undefined || !keepsFailing(now)) continue;
      const end = { content: "", supersedes: now.key, origin: "host" } as const;
      await who.memories.saveAll([end], now.scope, PROPOSED);
    } catch (thrown) {
      core.emit(degraded("worth of a procedure", thrown));
    }
  }
}

/** The procedure with one more outcome; undefined where it is gone. */
async function counted(
  memories: Memories,
  id: string,
  worked: boolean,
  tries = TRIES,
): Promise<Memory | undefined> {
  const memory = await memories.get(id);
  if (memory === undefined) return undefined;
  const before = triedOf(memory);
  const tried = {
    worked: before.worked + (worked ? 1 : 0),
    failed: before.failed + (worked ? 0 : 1),
  };
  const tags = memory.tags.filter((tag) => !/^(?:worked|failed):\d+$/.test(tag));
  try {
    return await memories.update(
      id,
      {
        tags: [`worked:${tried.worked}`, `failed:${tried.failed}`, ...tags],
        importance: worthOf(tried),
      },
      { version: memory.version },
    );
  } catch (thrown) {
    if (tries > 1 && isTidemarkError(thrown) && thrown.code === "conflict")
      return counted(memories, id, worked, tries - 1);
    throw thrown;
  }
}
