import { refuse, shown } from "../core/errors-and-events.ts";
import type { Act } from "../core/identity.ts";
import { type Moment, momentOf } from "../core/memory.ts";
import { categoryName } from "../core/memory-kinds.ts";
import { mask } from "../core/secrets/mask.ts";
import type { Ground, Kept, Who } from "../session/ports.ts";
import type { RecordPatch, RecordsApi } from "../session/options/knowledge-api.ts";
import {
  momentText,
  type RecordChange,
  type StoredRecord,
} from "../workspace/documents/records.ts";
import { allowed } from "./notes.ts";
import { atBorder } from "./public-calls.ts";

/** Records as the host, the command line and an agent's tools see them. */
export function recordsApi(core: Ground & Kept, open: () => Promise<Who>): RecordsApi {
  const { records } = core.workspace;

  const all = async ({ scopes }: Who): Promise<StoredRecord[]> =>
    (await Promise.all(scopes.map((scope) => records.all(scope)))).flat();

  /** By its id, or by its place; undefined where there is none. */
  const find = async (who: Who, id: string): Promise<StoredRecord | undefined> =>
    (await all(who)).find((one) => one.id === id || one.path === id);

  /** Answers what the work makes of one that may be acted on so, with no other change meanwhile. */
  async function acting<T>(
    id: string,
    act: Act,
    work: (record: StoredRecord | undefined) => Promise<T>,
  ): Promise<T> {
    const who = await open();
    return core.workspace.alone(async () => {
      const record = await find(who, id);
      if (record !== undefined) await allowed(who, record.scope, act);
      return work(record);
    });
  }

  const change = (id: string, given: RecordChange & { category?: string }) =>
    acting(id, "change", async (record) =>
      records.change(record ?? refuse(`There is no record ${shown(id)}.`, "not-found"), {
        ...given,
        id: core.newId(),
        at: core.now(),
      }),
    );

  return atBorder(core, "records.", {
    async add(input) {
      const given = await changeOf(core, input);
      const { category, content, name, scope } = input;
      const who = await open();
      return records.add(await allowed(who, scope ?? who.home, "add"), {
        ...given,
        id: core.newId(),
        at: core.now(),
        category: mask(categoryOf(category)),
        name: name && mask(name.replace(/\.md$/i, "")),
        content: given.content ?? content,
      });
    },
    update: async (id, patch) => change(id, await changeOf(core, patch)),
    reclassify: async (id, category) => change(id, { category: mask(categoryOf(category)) }),
    archive: (id) => change(id, { archived: true }),
    restore: (id) => change(id, { archived: null }),
    delete: (id) =>
      acting(id, "forget", async (record) => {
        if (record !== undefined) await records.remove(record);
        return record !== undefined;
      }),
    async list({ category, archived = false, scope, limit = 100 } = {}) {
      const of = category && categoryOf(category);
      const now = core.now();
      return (await all(await open()))
        .filter(
          (record) =>
            record.archived === archived &&
            (archived || (record.until ?? Infinity) > now) &&
            (of === undefined || categoryName(record.category) === of) &&
            (scope === undefined || record.scope === scope),
        )
        .sort((one, other) => (other.updated ?? 0) - (one.updated ?? 0))
        .slice(0, limit);
    },
    get: async (id) => find(await open(), id),
  });
}

const categoryOf = (given: string): string => categoryName(given.trim().toLowerCase());

async function changeOf(core: Ground, given: RecordPatch): Promise<RecordChange> {
  const { content, aliases, keywords, source, until }: RecordPatch = given;
  const words = (some: readonly string[] | undefined): string[] | undefined =>
    some && [...new Set(some.map((word) => mask(word.trim())))];
  return {
    content: content && mask(content.toWellFormed()),
    source: source && mask(source),
    aliases: words(aliases),
    keywords: words(keywords),
    until: until === undefined || until === null ? until : endOf(until, core.now()),
  };
}

function endOf(until: Moment, now: number): string {
  const at = momentOf(until);
  if (at > now) return momentText(at);
  refuse(
    `until must lie ahead, got ${new Date(at).toISOString()}: delete or archive what is over.`,
  );
}
