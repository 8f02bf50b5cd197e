import { shown, unreadBy, retrieving, refuse } from "../../model/errors.ts";
import { NOTHING_KEPT } from "../../model/history.ts";
import type { Hit, RecallOptions, SearchOptions } from "../../model/memory.ts";
import { normalForm } from "../../text/cut.ts";
import { RANKING, scoreOf } from "../../memory/recalling/rank.ts";
import { fuse } from "../../memory/meaning/judging.ts";
import type { Memories } from "../../memory/memories.ts";
import { mergeHits } from "../../memory/recalling/hits.ts";
import type { ByMeaning, FileHit } from "../../workspace/search/page-search.ts";
import { conversationIn } from "../../workspace/documents/conversations.ts";
import type { Core, Who } from "../session/core.ts";
import { searchHistory } from "../turn/turn-index.ts";
import { checkWhole, wholeCharacters } from "../../model/checks.ts";
import { atBorder } from "./border.ts";
import { emptyQueue } from "../journal/watermark.ts";
import { deleteSpan, recallSpan, records, saveSpan, updateSpan } from "../runtime/tracing.ts";
import type { MemoryApi } from "../options/types.ts";

const PLACES = ["memory", "files", "history"] as const;

/** Lines of a log may turn out to be over: so many times the hits asked for are looked at. */
const MORE = 3;
/** The source of what was found in files. */
const FILE_SOURCE = "file_index";
/** So many turns that are found may be in sight. */
const IN_SIGHT = 12;

/** Trouble inside is told, and finds nothing. */
const gently = (core: Core, where: string, work: Promise<Hit[]>): Promise<Hit[]> =>
  work.catch((thrown: unknown) => {
    core.emit({ type: "degraded", where, ...unreadBy(thrown) });
    return [];
  });

type Asking = SearchOptions & { besides?: (hit: Hit) => boolean };

/** As `findAll`. Only what is answered counts as used, not what a better hit from elsewhere kept out. */
export async function search(
  core: Core,
  who: Who,
  query: string,
  options?: Asking,
): Promise<Hit[]> {
  const hits = await findAll(core, who, query, options);
  void who.memories.used(hits);
  return hits;
}

/** Facts, files and past turns in one list. `besides`: hits that the asker has before it. */
export async function findAll(
  core: Core,
  who: Who,
  query: string,
  { besides, limit = 10, ...options }: Asking = {},
): Promise<Hit[]> {
  if (typeof query !== "string") refuse(`search takes a text to look for, got ${shown(query)}.`);
  const places = options.in ?? PLACES;
  if (!Array.isArray(places) || places.some((place) => !PLACES.includes(place)))
    refuse(`search({ in }) takes a list of "memory", "files" and "history", got ${shown(places)}.`);
  const asked = { query, limit: checkWhole(limit, "search({ limit })", 1000) };
  const [facts, files, turns] = await Promise.all([
    places.includes("memory") ? who.memories.look(query, asked) : [],
    places.includes("files") ? gently(core, "search in files", inFiles(core, who, asked)) : [],
    places.includes("history")
      ? gently(core, "search in history", inHistory(core, who, asked, besides))
      : [],
  ]);
  tellNotKept(core, places, turns);
  const spoken = new Set(turns.map(({ source }) => source));
  const others = files.filter(
    (file) => !repeats(file, facts) && !spoken.has(conversationIn(file.ref ?? "") ?? ""),
  );
  return mergeHits([facts, others, turns], asked.limit);
}

/** MEMORY.md and the daily logs hold what memory holds: a fact that was found there is not found again in its file. */
function repeats(file: Hit, facts: readonly Hit[]): boolean {
  if (!/(?:^|\/)(?:MEMORY|memory\/[\d-]+)\.md$/.test(file.ref ?? "")) return false;
  const text = normalForm(file.text);
  return facts.some((fact) => text.includes(normalForm(fact.text)));
}

/** Of before, there may be some; to find nothing of what is not kept is no answer to a search for it alone. */
function tellNotKept(
  { history, notice }: Core,
  places: readonly string[],
  turns: readonly Hit[],
): void {
  if (history.keeps.keep !== "none" || turns.length > 0 || !places.includes("history")) return;
  if (places.every((place) => place === "history")) refuse(NOTHING_KEPT, "history");
  notice.say("history-not-kept", NOTHING_KEPT);
}

interface Asked {
  readonly query: string;
  readonly limit: number;
}

async function inHistory(
  core: Core,
  who: Who,
  { query, limit }: Asked,
  besides?: (hit: Hit) => boolean,
): Promise<Hit[]> {
  const asked = { query, limit: besides === undefined ? limit : limit + IN_SIGHT };
  const found = await searchHistory(core, who, asked);
  return found.filter((hit) => besides?.(hit) !== true).slice(0, limit);
}

async function inFiles(core: Core, who: Who, { query, limit }: Asked): Promise<Hit[]> {
  const near = await byMeaning(core, who, query);
  const found = await core.workspace.search(query, {
    ...{ scopes: who.scopes, limit: MORE * limit, near },
  });
  const standing = await Promise.all(found.map((hit) => stands(core, who, hit)));
  return found
    .filter((_, at) => standing[at])
    .slice(0, limit)
    .map(asHit);
}

function asHit({ path, heading, text, score, why: by }: FileHit, index: number): Hit {
  const { words, meaning } = by ?? { words: score, meaning: 0 };
  // As a memory counts that was not used yet: files, turns and facts stand in one list.
  const why = { words, meaning, recency: 0, use: 1 / RANKING.mostUse, importance: 0.5 };
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
  { embedding, store }: Core,
  { scopes }: Who,
  query: string,
): Promise<ByMeaning | undefined> {
  const { pages } = store.vectors;
  const asked = await (pages && embedding?.meaning.ask(query, scopes));
  return (
    pages &&
    asked && {
      nearest: (within, limit) => pages.nearest({ scopes: within, vector: asked.vector, limit }),
      match: (words, cosine) => fuse(words, cosine, asked.judge),
    }
  );
}

/** A line of the daily log is found as long as it says what the memory says: what is superseded or over is found nowhere. */
async function stands(
  core: Core,
  who: Who,
  { memory: line, text, scope, path }: FileHit,
): Promise<boolean> {
  if (line === undefined)
    return (
      (await isOwn(core, who, path)) && core.workspace.records.isFound(scope, path, core.now())
    );
  const memory = await who.memories.get(line.id);
  if (memory === undefined || (memory.expiresAt !== undefined && memory.expiresAt <= core.now()))
    return false;
  // A person may have reworded the newest line, which is not in the store yet.
  return (
    line.at >= memory.updatedAt ||
    normalForm(memory.content).includes(normalForm(text.replace(/^\(unverified\) /, "")))
  );
}

/** An id of a conversation as it is made here. */
const MADE_HERE = /^[0-9a-z]{12}[0-9a-f]{10}$/;

/** The page of a conversation is found by the identity that had it, though others read the same folder. */
async function isOwn({ history }: Core, { root }: Who, path: string): Promise<boolean> {
  const id = conversationIn(path);
  if (id === undefined) return true;
  const session = await history.session(id);
  return session === undefined ? !MADE_HERE.test(id) : session.root === root;
}

/** Memory as the host sees it. Reading never rejects for trouble inside: it answers what it can and tells the listener. */
export function memoryApi(
  core: Core,
  open: (options?: { pages?: boolean }) => Promise<Who>,
  promote: MemoryApi["promote"],
): MemoryApi {
  const { spans } = core;
  // A page that a person edits meanwhile is compared when it is written: so both edits are kept.
  const writing = <T>(
    span: typeof saveSpan,
    work: (memories: Memories) => Promise<T>,
  ): Promise<T> => spans.run(span, async () => work((await open({ pages: false })).memories));

  const finding = (find: (who: Who) => Promise<Hit[]>): Promise<Hit[]> =>
    spans.run(recallSpan, async (tell) => {
      const hits = await find(await open());
      tell(() => records(hits.length));
      return hits;
    });

  return atBorder(core, "memory.", {
    save: (input) => writing(saveSpan, (memories) => memories.save(input)),
    recall: (query, options) =>
      finding(({ memories }) => memories.recall(query, checkNarrowing("recall", options))),
    search: (query, options) => finding((who) => search(core, who, query, options)),
    get: async (id, options) => retrieving((await open()).memories.get(id, options)),
    list: async (options) =>
      retrieving((await open()).memories.list(checkNarrowing("list", options))),
    update: (id, patch, options) =>
      writing(updateSpan, (memories) => memories.update(id, patch, options)),
    promote: (id, options) => spans.run(updateSpan, () => promote(id, options)),
    inject: (input) => writing(saveSpan, (memories) => memories.inject(input)),
    undo: async (id) => (await open()).memories.undo(id),
    forget: (target) =>
      spans.run(deleteSpan, async (tell) => {
        const who = await open();
        const count = await who.memories.forget(target);
        if (count > 0) await emptyQueue(core, who);
        tell(() => records(count));
        return count;
      }),
  });
}

/** What a store would be asked to compare with must be text. */
function checkNarrowing<Asked extends Pick<RecallOptions, "category" | "kind" | "scope">>(
  method: string,
  options: Asked | undefined,
): Asked | undefined {
  for (const name of ["category", "kind", "scope"] as const) {
    const value: unknown = options?.[name];
    if (value === undefined) continue;
    if (typeof value !== "string")
      refuse(`${method}({ ${name} }) must be a text, got ${shown(value)}.`);
    wholeCharacters(value, `${method}({ ${name} })`);
  }
  return options;
}
