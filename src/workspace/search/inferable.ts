import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { breaths, sharing } from "../../core/base.ts";
import { denials, holdsMarks } from "../../core/text/identifiers.ts";
import { sentences } from "../../core/text/sentences.ts";
import { termSet } from "../../core/text/terms.ts";
import { piecesOf } from "../documents/chunks.ts";
import { FILE_BOUND } from "./page-rows.ts";

/** Share of a memory's words that a passage holds which says it. */
const SAID = 0.8;
const DOCUMENT = /^(?!(?:.*[\\/])?(?:\.|node_modules[\\/])).*\.(?:md|mdx|txt|rst|adoc)$/i;
/** Files that are read of a folder, and characters of all folders. */
const [FILES, CHARACTERS] = [2_000, 8_000_000];
/** ms for which folders are taken to be as they were. */
const LOOKED = 10_000;

/** Does a passage say this: most of its words, each name, number and path, and what it denies? */
export function isSaidIn(passage: string, content: string, held = termSet(passage)): boolean {
  const terms = termSet(content);
  const shared = (text: string): number => termSet(text).intersection(terms).size;
  if (terms.size === 0 || held.intersection(terms).size < SAID * terms.size) return false;
  const said = sentences(passage).map(({ text }) => text);
  const [nearest = ""] = said.sort((one, other) => shared(other) - shared(one));
  return holdsMarks(passage, content) && denials(nearest) > 0 === denials(content) > 0;
}

/** What the documents of folders say, read anew when one of them has changed. */
export function createInferable(folders: readonly string[], now: () => number) {
  let holding: Passages = new Map();
  let [stamp, looked] = ["", -Infinity];
  const look = sharing(async () => {
    if (now() - looked < LOOKED) return;
    looked = now();
    const paths: string[] = [];
    for (const folder of folders) {
      const names = await readdir(folder, { recursive: true });
      const meant = names.filter((name) => DOCUMENT.test(name)).slice(0, FILES);
      paths.push(...meant.map((name) => join(folder, name)));
    }
    const stats = await Promise.all(paths.map((path) => stat(path)));
    const next = stats.map(({ mtimeMs, size }, at) => `${paths[at]} ${mtimeMs} ${size}`).join();
    if (next === stamp) return;
    holding = await read(paths);
    stamp = next;
  });
  return {
    look,
    says(content: string): boolean {
      const terms = termSet(content);
      // One of its rarest words stands in each passage that holds so many of them.
      return [...terms]
        .map((term) => [...(holding.get(term) ?? [])])
        .sort((one, other) => one.length - other.length)
        .slice(0, Math.floor((1 - SAID) * terms.size) + 1)
        .some((passages) =>
          passages.some(({ text, terms: held }) => isSaidIn(text, content, held)),
        );
    },
  };
}

/** The passages that hold a word, by word. */
type Passages = Map<string, Set<{ readonly text: string; readonly terms: Set<string> }>>;

async function read(paths: readonly string[]): Promise<Passages> {
  const pause = breaths();
  const holding: Passages = new Map();
  let left = CHARACTERS;
  for (const path of paths) {
    const text = (await readFile(path, "utf8")).slice(0, Math.min(left, FILE_BOUND));
    left -= text.length;
    for (const { heading, text: said } of piecesOf(text)) {
      const whole = `${heading}\n\n${said}`;
      const passage = { text: whole, terms: termSet(whole) };
      for (const term of passage.terms)
        holding.set(term, (holding.get(term) ?? new Set()).add(passage));
      await pause();
    }
  }
  return holding;
}
