import type { Memories } from "../../memory/memories.ts";
import { degraded, isTidemarkError } from "../../model/errors.ts";
import type { Hit, Memory } from "../../model/memory.ts";
import type { Core, Who } from "../session/core.ts";

/** What a proposer made; what people and hosts write is theirs to end. */
export const PROPOSED = "proposer";
/** Fewer failures are chance; worth less than that is worth nothing. */
const LEAST_FAILURES = 3;
const LEAST_WORTH = 0.3;
/** What holds less of a task's words was told beside it, not of it: it has no part in how the task ends. */
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

/** The mean of a Beta distribution over what came of it, from one success and one failure: untried it is a half. */
const worthOf = ({ worked, failed }: Tried): number => (worked + 1) / (worked + failed + 2);

const keepsFailing = (tried: Tried): boolean =>
  tried.failed >= LEAST_FAILURES && worthOf(tried) < LEAST_WORTH;

/**
 * A task has ended that was offered these: what they are worth moves, and what keeps failing ends. Answers the keys of those that ended.
 * The counts stand among the tags. Trouble is told.
 */
export async function weigh(
  core: Core,
  who: Who,
  { offered, worked }: { offered: readonly Hit[]; worked: boolean },
): Promise<ReadonlySet<string>> {
  const ended = new Set<string>();
  const rights = await who.rights();
  for (const { memory, why } of offered) {
    const isOurs = memory?.kind === "procedure" && memory.source === PROPOSED;
    const isMeant = Math.max(why.words, why.meaning) >= LEAST_SHARE;
    if (!isOurs || !isMeant || !rights.may("change", memory.scope)) continue;
    try {
      const now = await counted(who.memories, memory.id, worked);
      if (now?.key === undefined || !keepsFailing(triedOf(now))) continue;
      const end = { content: "", supersedes: now.key, origin: "host" } as const;
      await who.memories.saveAll([end], now.scope, PROPOSED);
      ended.add(now.key);
    } catch (thrown) {
      core.emit(degraded("worth of a procedure", thrown));
    }
  }
  return ended;
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
