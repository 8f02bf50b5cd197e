// What a user would build in an afternoon, over the same texts: one document a turn, "[date] Speaker: text".
import Database from "better-sqlite3";
import MiniSearch from "minisearch";
import { ENGLISH_STOPWORDS } from "../../src/text/content-words.ts";
import { type Conversation } from "./locomo.ts";

/** Row numbers of the turns found, best first. */
export type Find = (question: string, limit: number) => number[];

export const documentOf = ({ date, name, text }: Conversation["turns"][number]): string =>
  `[${date}] ${name}: ${text}`;
const wordsOf = (question: string): string[] =>
  question.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];

export const plainFts = ({ turns }: Conversation): Find => ftsOver(turns.map(documentOf));

/** Baseline C: FTS5 with porter, OR of the question's words, stop words out. */
export function ftsOver(documents: readonly string[]): Find {
  const database = new Database(":memory:");
  database.exec("create virtual table turn using fts5 (text, tokenize = 'porter unicode61')");
  const insert = database.prepare("insert into turn (rowid, text) values (?, ?)");
  documents.forEach((text, at) => insert.run(at + 1, text));
  const search = database
    .prepare("select rowid from turn where turn match ? order by bm25(turn), rowid limit ?")
    .pluck();
  return (question, limit) => {
    const words = wordsOf(question)
      .filter((word) => !ENGLISH_STOPWORDS.has(word))
      .map((word) => `"${word.replace(/'s$/, "").replaceAll("'", " ")}"`);
    return words.length === 0
      ? []
      : (search.all(words.join(" OR "), limit) as number[]).map((row) => row - 1);
  };
}

export function minisearchDefaults({ turns }: Conversation): Find {
  const index = new MiniSearch({ fields: ["text"] });
  index.addAll(turns.map((turn, id) => ({ id, text: documentOf(turn) })));
  return (question, limit) =>
    index
      .search(question)
      .slice(0, limit)
      .map(({ id }) => id as number);
}
