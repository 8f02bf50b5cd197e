import { retrieving, shown, TidemarkError } from "../../model/errors.ts";
import { type Hit } from "../../model/memory.ts";
import { wholeCharacters } from "../../model/checks.ts";
import { atBorder } from "./border.ts";
import { type Core } from "../session/context.ts";
import { type Who } from "../session/who.ts";
import { gently, search } from "./search.ts";
import { emptyQueue } from "../journal/owed.ts";
import { noteEarlier } from "../background/catch-up.ts";
import { deleteSpan, recallSpan, records, saveSpan, updateSpan } from "../runtime/tracing.ts";
import { type MemoryApi } from "../options/types.ts";

/** Memory as the host sees it. Reading never rejects for trouble inside: it answers what it can and tells the listener. */
export function memoryApi(
  core: Core,
  open: (options?: { pages?: boolean }) => Promise<Who>,
): MemoryApi {
  // A page that a person edits meanwhile is compared when it is written: so both edits are kept.
  const toWrite = () => open({ pages: false });

  async function recall(
    who: Who,
    query: string,
    options: Parameters<MemoryApi["recall"]>[1],
  ): Promise<Hit[]> {
    await gently(core, "notes", noteEarlier(core, who), undefined);
    return who.memories.recall(query, options);
  }

  const counted = (find: () => Promise<Hit[]>): Promise<Hit[]> =>
    core.spans.run(recallSpan, async (tell) => {
      const hits = await find();
      tell(() => records(hits.length));
      return hits;
    });

  return atBorder(core, "memory.", {
    save: (input) => core.spans.run(saveSpan, async () => (await toWrite()).memories.save(input)),
    recall: (query, options) =>
      counted(async () => recall(await open(), query, checkNarrowing("recall", options))),
    search: (query, options) => counted(async () => search(core, await open(), query, options)),
    get: async (id) => retrieving((await open()).memories.get(id)),
    list: async (options) =>
      retrieving((await open()).memories.list(checkNarrowing("list", options))),
    update: (id, patch, options) =>
      core.spans.run(updateSpan, async () => (await toWrite()).memories.update(id, patch, options)),
    undo: async (id) => (await open()).memories.undo(id),
    forget: (target) =>
      core.spans.run(deleteSpan, async (tell) => {
        const who = await open();
        const count = await who.memories.forget(target);
        if (count > 0) await emptyQueue(core, who);
        tell(() => records(count));
        return count;
      }),
  });
}

/** What a store would be asked to compare with must be text. */
function checkNarrowing<Asked extends { category?: string; kind?: string; scope?: string }>(
  method: string,
  options: Asked | undefined,
): Asked | undefined {
  for (const name of ["category", "kind", "scope"] as const) {
    const value: unknown = options?.[name];
    if (value === undefined) continue;
    if (typeof value !== "string")
      throw new TidemarkError(
        "config",
        `${method}({ ${name} }) must be a text, got ${shown(value)}.`,
      );
    wholeCharacters(value, `${method}({ ${name} })`);
  }
  return options;
}
