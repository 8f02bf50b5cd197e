import { emptyQueue } from "../compaction/journal/queue.ts";
import type { Viewed } from "../compaction/journal/views.ts";
import { breaths, defined } from "../core/base.ts";
import { retrieving, unreadBy } from "../core/errors-and-events.ts";
import { isOfGroup, tagged } from "../core/identity.ts";
import { PLACES } from "../core/memory-kinds.ts";
import { type ForgetTarget, type Hit, momentOf, type SearchOptions } from "../core/memory.ts";
import { clip } from "../core/text/cut.ts";
import { contentTerms, termSet } from "../core/text/terms.ts";
import { fuse } from "../memory/meaning/embeddings.ts";
import type { Memories } from "../memory/memories.ts";
import { excerpt } from "../memory/recalling/excerpt.ts";
import { byWords, mergeHits, MOST_USE, scoreOf } from "../memory/recalling/rank.ts";
import type { Fate } from "../memory/saving/forget-and-promote.ts";
import type { MemoryApi, MemoryPast } from "../session/options/tidemark-api.ts";
import type { Embedded, Ground, Kept, Ports, Who } from "../session/ports.ts";
import { conversationIn } from "../workspace/documents/conversation-pages.ts";
import type { ByMeaning, FileHit } from "../workspace/search/page-search.ts";
import { aboutEntity, changesOf } from "./entity.ts";
import { readTurn, type TurnSearch } from "./history-api.ts";
import { atBorder } from "./public-calls.ts";

/** Records may be over, and pages another's: so many times the hits asked for are looked at. */
const MORE = 3;
/** The source of what was found in files. */
const FILE_SOURCE = "file_index";
/** The most past turns that one answer shows. */
const IN_SIGHT = 12;

/** Trouble inside is told, and finds nothing. */
const gently = (core: Ground, where: string, work: Promise<Hit[]>): Promise<Hit[]> =>
  work.catch((thrown: unknown) => {
    core.emit({ type: "degraded", where, ...unreadBy(thrown) });
    return [];
  });

export type Searching = Ports & Embedded & Viewed & { readonly turns: TurnSearch };

type SearchAsking = SearchOptions & { besides?: (hit: Hit) => boolean };

/**
 * As `findAll`. Only what is answered counts as used, not what a better hit from elsewhere kept
 * out.
 */
export async function search(
  core: Searching,
  who: Who,
  query: string,
  options?: SearchAsking,
): Promise<Hit[]> {
  const hits = await findAll(core, who, query, options);
  void who.memories.used(hits);
  return hits;
}

/** Facts, files and past turns in one list. `besides`: hits that the asker has before it. */
export async function findAll(
  core: Searching,
  who: Who,
  query: string,
  { besides, limit = 10, shared = false, except, ...options }: SearchAsking = {},
): Promise<Hit[]> {
  const places = options.in ?? PLACES;
  const asked = { query, limit };
  const groups = shared ? { ...who, scopes: who.scopes.filter(isOfGroup) } : who;
  const more = { query, limit: besides === undefined ? limit : limit + IN_SIGHT };
  const [facts, files, found] = await Promise.all([
    places.includes("memory")
      ? who.memories.look(query, { limit, shared, ...defined({ except }) })
      : [],
    places.includes("files") ? gently(core, "search in files", inFiles(core, groups, asked)) : [],
    places.includes("history") && !shared
      ? gently(core, "search in history", core.turns.search(who, more))
      : [],
  ]);
  const turns = found.filter((hit) => besides?.(hit) !== true).slice(0, limit);
  const spoken = new Set(turns.map(({ source }) => source));
  const others = files.filter(({ ref = "" }) => !spoken.has(conversationIn(ref) ?? ""));
  return mergeHits([facts, others, turns], asked.limit);
}

async function inFiles(
  core: Searching,
  who: Who,
  { query, limit }: { query: string; limit: number },
): Promise<Hit[]> {
  const near = await byMeaning(core, who, query);
  await core.views.payIfLate();
  const found = await core.workspace.search(query, {
    ...{ scopes: who.scopes, limit: MORE * limit, near },
  });
  const standing = await Promise.all(
    found.map(
      async ({ scope, path }) =>
        (await isOwn(core, who, path)) && core.workspace.records.isFound(scope, path, core.now()),
    ),
  );
  return found
    .filter((_, at) => standing[at])
    .slice(0, limit)
    .map(asHit);
}

function asHit({ path, heading, text, score, why: by }: FileHit, index: number): Hit {
  const { words, meaning } = by ?? { words: score, meaning: 0 };
  // As a memory counts that was not used yet: files, turns and facts stand in one list.
  const why = { words, meaning, recency: 0, use: 1 / MOST_USE, importance: 0.5 };
  return {
    id: `${path}#${index}`,
    from: "files",
    content: text,
    text,
    score: scoreOf(score, { ...why, recency: 1 }),
    why,
    ref: path,
    source: FILE_SOURCE,
    ...(heading !== "" && { heading }),
  };
}

/** Undefined without an embedder, and where it does not answer. */
async function byMeaning(
  { embedding, store }: Kept & Embedded,
  { scopes }: Who,
  query: string,
): Promise<ByMeaning | undefined> {
  const { vectors } = store;
  const asked = await embedding?.meaning.ask(query, scopes);
  return (
    vectors &&
    asked && {
      nearest: (within, limit) =>
        vectors.nearest("pages", { scopes: within, vector: asked.vector, limit }),
      match: (words, cosine) => fuse(byWords(words), cosine, asked.judge),
    }
  );
}

/** An id of a conversation as it is made here. */
const MADE_HERE = /^[0-9a-z]{12}[0-9a-f]{10}$/;

/**
 * The page of a conversation is found by the identity that had it, though others read the same
 * folder.
 */
async function isOwn({ store }: Kept, { root }: Who, path: string): Promise<boolean> {
  const id = conversationIn(path);
  if (id === undefined) return true;
  const [session] = await store.sessions({ ids: [id] });
  return session === undefined ? !MADE_HERE.test(id) : session.root === root;
}

/**
 * Memory as the host sees it. Reading never rejects for trouble inside: it answers what it can and
 * tells the listener.
 */
export function memoryApi(
  core: Searching,
  open: (options?: { pages?: boolean }) => Promise<Who>,
  promote: MemoryApi["promote"],
): MemoryApi {
  const { spans } = core;
  // A page that a person edits meanwhile is compared when it is written: so both edits are kept.
  const writing = <T>(operation: string, work: (memories: Memories) => Promise<T>): Promise<T> => {
    const done = spans.run(operation, {}, async () =>
      work((await open({ pages: false })).memories),
    );
    // A close waits for what its caller does not.
    core.background.run(done.catch(() => undefined));
    return done;
  };

  const takeOut = (
    target: ForgetTarget,
    fateOf: () => Fate,
    { version }: { version?: number } = {},
  ): Promise<number> =>
    spans.run("delete_memory", {}, async (tell) => {
      const who = await open();
      const { count } = await who.memories.forget(target, fateOf, version);
      if (count > 0) await emptyQueue(core, who);
      tell({ "gen_ai.memory.record.count": count });
      return count;
    });

  const finding = (find: (who: Who) => Promise<Hit[]>): Promise<Hit[]> =>
    spans.run("search_memory", {}, async (tell) => {
      const hits = await find(await open());
      tell({ "gen_ai.memory.record.count": hits.length });
      return hits;
    });

  return atBorder(core, "memory.", {
    save: (input) => writing("upsert_memory", (memories) => memories.save(input)),
    recall: (query, options) => finding(({ memories }) => memories.recall(query, options)),
    search: (query, options) => finding((who) => search(core, who, query, options)),
    get: async (id, options) => retrieving((await open()).memories.get(id, options)),
    list: async (options) => retrieving((await open()).memories.list(options)),
    past: async (id) => retrieving(pastOf(core, await open(), String(id))),
    about: async (entity, { asOf = core.now() } = {}) =>
      retrieving(aboutEntity(await open(), entity, momentOf(asOf, "asOf"))),
    changes: async (entity, { since } = {}) =>
      retrieving(changesOf(await open(), entity, { since, zone: core.options.zone })),
    page: async (options) => retrieving((await open()).memories.page(options)),
    categories: async () => retrieving((await open()).memories.categories()),
    update: (id, patch, options) =>
      writing("update_memory", (memories) => memories.update(id, patch, options)),
    promote: (id, options) => spans.run("update_memory", {}, () => promote(id, options)),
    publish: (id, { to }) =>
      writing("upsert_memory", (memories) => memories.publish(String(id), to)),
    async retract(id, { reason } = {}) {
      const { memories, scopes } = await open();
      const ended = tagged({ "ended-by": scopes[0], "ended-for": reason });
      return memories.retract(String(id), scopes, ended);
    },
    inject: (input) => writing("upsert_memory", (memories) => memories.inject(input)),
    restore: async (id) => (await open()).memories.restore(id),
    undo: async (id) => (await open()).memories.undo(id),
    end: async (id, options) => (await takeOut(String(id), () => "over", options)) > 0,
    forget: (target, options) => takeOut(target, () => "gone", options),
  });
}

/** Messages of a conversation that are looked into, the latest, and those that are shown of all. */
const [LOOKED, QUOTED] = [1_000, 5];
/** Characters of a message. */
const SHOWN = 300;

/** Where a memory came from; undefined where the identity does not see it. */
async function pastOf(
  { store }: Pick<Kept, "store">,
  { memories, root }: Who,
  id: string,
): Promise<MemoryPast | undefined> {
  const values = await memories.past(id);
  if (values.length === 0) return undefined;
  const terms = new Set(values.flatMap(({ memory }) => contentTerms(memory.content).terms));
  const pause = breaths();
  const found = [];
  for (const { session = "", first, last } of await store.learnt({ root, memory: id })) {
    const from = Math.max(first, last - LOOKED);
    for (const [offset, { body, ...row }] of (await store.bodies(session, from, last)).entries()) {
      const { speaker: role = row.role, text } = readTurn(body);
      const shared = termSet(text).intersection(terms).size;
      const place = { conversation: session, position: from + offset, at: row.at };
      found.push({ shared, text, said: { ...place, role } });
      await pause();
    }
  }
  const most = Math.max(1, ...found.map(({ shared }) => shared));
  const telling = found.filter(({ shared }) => shared > most / 2);
  // A branch holds the messages of the conversation it began with: the earlier one is named.
  const once = new Map(telling.map((one) => [`${one.said.at} ${one.text}`, one]));
  const said = [...once.values()]
    .sort((one, other) => other.shared - one.shared || one.said.at - other.said.at)
    .slice(0, QUOTED)
    .map(({ text, said }) => ({ ...said, text: clip(excerpt(text, terms, SHOWN), SHOWN) }));
  const turns = (await store.ended?.({ root, memory: id, order: "latest", limit: 100 })) ?? [];
  return { values, said, turns };
}
