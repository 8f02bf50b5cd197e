import { troubleOf } from "../../model/errors.ts";
import { isDict } from "../../base/guards.ts";
import { type KeptValue, type Store } from "../../model/store.ts";
import { type Workspace } from "../../workspace/workspace.ts";
import { type Core } from "../session/context.ts";
import { allValues } from "../../memory/saving/values.ts";

/** How often each memory was used, as of the last close or tidy: the journal tells what is remembered, not how often it is read. */
export async function checkpointUses(store: Store, workspace: Workspace): Promise<void> {
  await keepUses(await allValues(store), workspace);
}

async function keepUses(values: readonly KeptValue[], workspace: Workspace): Promise<void> {
  const used = values.filter(({ stored, until }) => until === undefined && stored.memory.uses > 0);
  await workspace.keep(
    "uses",
    JSON.stringify(
      Object.fromEntries(
        used.map(({ stored: { memory, usedAt } }) => [memory.id, [memory.uses, usedAt ?? 0]]),
      ),
    ),
  );
}

/** More memories than this are not read through at close; tidy does it. */
const AT_CLOSE = 5_000;

/** What the next process should know of the files. Only a convenience: without it more is read. */
export async function leaveFiles({
  store,
  workspace,
  emit,
  off,
}: Pick<Core, "store" | "workspace" | "emit" | "off">): Promise<void> {
  if (off || workspace.root === undefined) return;
  try {
    const values = await allValues(store, undefined, AT_CLOSE);
    if (values.length < AT_CLOSE) await keepUses(values, workspace);
    await workspace.journal.settle();
  } catch (thrown) {
    emit({ type: "degraded", where: "close", ...troubleOf(thrown) });
  }
}

export async function readUses(
  workspace: Workspace,
): Promise<Map<string, { uses: number; usedAt: number }>> {
  try {
    const held: unknown = JSON.parse((await workspace.kept("uses")) ?? "{}");
    return new Map(
      Object.entries(isDict(held) ? held : {}).flatMap(([id, pair]) => {
        const [uses, usedAt]: unknown[] = Array.isArray(pair) ? pair : [];
        return typeof uses === "number" &&
          typeof usedAt === "number" &&
          Number.isInteger(uses) &&
          uses > 0
          ? [[id, { uses, usedAt }] as const]
          : [];
      }),
    );
  } catch {
    return new Map();
  }
}
