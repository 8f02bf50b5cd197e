import { defined } from "../base/guards.ts";
import { type Scope } from "../model/identity.ts";
import { withoutFences } from "../text/fence.ts";
import { normalForm } from "../text/cut.ts";
import { queryTerms } from "../text/terms.ts";
import { FileIndex } from "./file-index.ts";
import { type Folder, type Listed } from "./folder.ts";
import { folderOf } from "./paths.ts";
import { takingTurns } from "./turns.ts";

export interface WorkspaceFile {
  /** From the root of the workspace. */
  readonly path: string;
  readonly text: string;
  readonly scope: Scope;
}

export interface FileHit {
  readonly path: string;
  readonly heading: string;
  readonly text: string;
  /** How much of the question the piece meets, 0…1; unrelated files do not move it. */
  readonly score: number;
  readonly scope: Scope;
  /** Set on a line of the daily log: whose memory it is, and as of when. It may have another value by now. */
  readonly memory?: { readonly id: string; readonly at: number };
}

/** HEARTBEAT.md is for the machine that wakes the agent, and folders of other names are not ours. */
const SEARCHED = [
  "SOUL.md",
  "USER.md",
  "AGENTS.md",
  "MEMORY.md",
  "learnings",
  "memory",
  "records",
  "conversations",
];
export const FILE_BOUND = 200_000;
/** A log grows at its end, a text starts at its beginning. */
const keepOf = (path: string): "start" | "end" =>
  /^(?:memory|learnings)\//.test(path) ? "end" : "start";

export async function listScope(
  folder: Folder,
  scope: Scope,
  tell: (error: unknown) => void,
): Promise<Listed[]> {
  const found: Listed[] = [];
  for (const under of SEARCHED) {
    try {
      for (const listed of await folder.list(folderOf(scope), under)) found.push(listed);
    } catch (error) {
      tell(error);
    }
  }
  return found;
}

export const readListed = (folder: Folder, { place }: Listed): Promise<string | undefined> =>
  folder.read(place, { characters: FILE_BOUND, keep: keepOf(place.path) });

/** A term counts by its rarity among so many pieces. A fixed number: with the real one, unrelated files would move scores. */
const AMONG = 10_000;
/** A word that was not written may be a synonym of one that was, so it weighs half; half a function word weighs nothing. */
const weight = (pieces: number, loose: boolean): number => {
  if (pieces > 0) return Math.log(1 + AMONG / (1 + pieces));
  return loose ? 0 : Math.log(1 + AMONG) / 2;
};
/** Part of a word, or of a path: less sure than the word itself. */
const SUBSTRING = 0.5;
const SUBSTRING_CHARACTERS = { least: 3, most: 1_000 } as const;
/** A question longer than this is a document. */
const LONGEST_QUERY = 4_000;
const asked = (query: string) =>
  queryTerms(withoutFences(query.slice(0, LONGEST_QUERY)).replace(/<\/?tidemark-[^>]*>?/gi, " "));
/** Less of the question than this is chance. */
const LEAST = 0.25;
/** Scopes whose index stays in memory; the one asked longest ago makes room. */
const KEPT_SCOPES = 64;

export function fileSearch(folder: Folder, tell: (error: unknown) => void) {
  const indexes = new Map<Scope, FileIndex>();
  const inTurn = takingTurns();

  const refreshed = (scope: Scope): Promise<FileIndex> =>
    inTurn(scope, async () => {
      const index = indexes.get(scope) ?? new FileIndex();
      indexes.delete(scope);
      indexes.set(scope, index);
      for (const oldest of indexes.keys()) if (indexes.size > KEPT_SCOPES) indexes.delete(oldest);
      await index.refresh(await listScope(folder, scope, tell), (file) =>
        readListed(folder, file).catch((error: unknown) => {
          tell(error);
          return undefined;
        }),
      );
      return index;
    });

  return async (query: string, scopes: readonly Scope[], limit: number): Promise<FileHit[]> => {
    const question = asked(query);
    if (question.length === 0 || limit < 1) return [];
    const terms = question.map(({ term }) => term);
    const indexed = await Promise.all(
      [...new Set(scopes)].map(async (scope) => ({ scope, index: await refreshed(scope) })),
    );
    const found = indexed.flatMap(({ scope, index }) =>
      index.find(terms).map((piece) => ({ ...piece, scope })),
    );
    const weights = new Map(
      question.map(({ term, loose }) => [
        term,
        weight(found.filter(({ met }) => met.has(term)).length, loose),
      ]),
    );
    const whole = [...weights.values()].reduce((sum, part) => sum + part, 0);
    const byWords = found
      .map((piece) => ({
        ...piece,
        score:
          [...piece.met].reduce((sum, [term, worth]) => sum + worth * (weights.get(term) ?? 0), 0) /
          whole,
      }))
      .filter(({ score }) => score >= LEAST)
      .sort((a, b) => b.score - a.score || b.density - a.density || (a.path < b.path ? -1 : 1));
    const part = query.trim().toLowerCase();
    const isPart =
      byWords.length === 0 &&
      part.length >= SUBSTRING_CHARACTERS.least &&
      part.length <= SUBSTRING_CHARACTERS.most;
    const scored = isPart
      ? indexed.flatMap(({ scope, index }) =>
          index.containing(part).map((piece) => ({ ...piece, scope, score: SUBSTRING })),
        )
      : byWords;
    const seen = new Set<string>();
    const hits: FileHit[] = [];
    // What stands in MEMORY.md stands in the daily log too: once is enough.
    for (const { path, heading, text, score, scope, memory } of scored) {
      const said = normalForm(text.replace(/^[-*+] /, ""));
      if (seen.has(said)) continue;
      seen.add(said);
      hits.push({ path, heading, text, score, scope, ...defined({ memory }) });
      if (hits.length >= limit) break;
    }
    return hits;
  };
}
