// What a user would build in an afternoon, over the same texts: one document a turn, "[date] Speaker: text".
import Database from "better-sqlite3";
import MiniSearch from "minisearch";
import { ENGLISH_STOPWORDS } from "../../src/core/text/terms.ts";
import type { Conversation } from "./locomo.ts";

/** Row numbers of the turns found, best first. */
export type Find = (question: string, limit: number) => number[];

export const documentOf = ({ date, name, text }: Conversation["turns"][number]): string =>
  `[${date}] ${name}: ${text}`;
const wordsOf = (question: string): string[] =>
  question.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];

/** FTS5 as it comes: OR of the question's words. */
const bareFts = ({ turns }: Conversation): Find => ftsOver(turns.map(documentOf), { bare: true });
const plainFts = ({ turns }: Conversation): Find => ftsOver(turns.map(documentOf));

/** Baseline C: FTS5 with porter, OR of the question's words, stop words out; `bare`: neither. */
export function ftsOver(documents: readonly string[], { bare = false } = {}): Find {
  const database = new Database(":memory:");
  const tokenize = bare ? "unicode61" : "porter unicode61";
  database.exec(`create virtual table turn using fts5 (text, tokenize = '${tokenize}')`);
  const insert = database.prepare("insert into turn (rowid, text) values (?, ?)");
  documents.forEach((text, at) => insert.run(at + 1, text));
  const search = database
    .prepare("select rowid from turn where turn match ? order by bm25(turn), rowid limit ?")
    .pluck();
  return (question, limit) => {
    const words = wordsOf(question)
      .filter((word) => bare || !ENGLISH_STOPWORDS.has(word))
      .map((word) => `"${word.replace(/'s$/, "").replaceAll("'", " ")}"`);
    return words.length === 0
      ? []
      : (search.all(words.join(" OR "), limit) as number[]).map((row) => row - 1);
  };
}

function minisearchDefaults({ turns }: Conversation): Find {
  const index = new MiniSearch({ fields: ["text"] });
  index.addAll(turns.map((turn, id) => ({ id, text: documentOf(turn) })));
  return (question, limit) =>
    index
      .search(question)
      .slice(0, limit)
      .map(({ id }) => id as number);
}

export const BASELINES: Readonly<Record<string, (conversation: Conversation) => Find>> = {
  "plain FTS5 (porter, stop words out)": plainFts,
  "FTS5 as it comes": bareFts,
  "minisearch defaults": minisearchDefaults,
};
