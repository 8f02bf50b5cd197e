import { HISTORY_STEPS } from "../../src/store/history/schema.ts";
import { openDatabase, type Connection, type Steps } from "../../src/store/sqlite/database.ts";
import { INDEX_STEPS as ALL_STEPS } from "../../src/store/index-steps.ts";
import { digest } from "../../src/text/hash.ts";

export const INDEX_STEPS: Steps = ALL_STEPS.filter(([name]) => !name.startsWith("pages-"));
export { HISTORY_STEPS };

const named = (...names: string[]): Steps => INDEX_STEPS.filter(([name]) => names.includes(name));

/** The search index as each earlier Tidemark left it: which steps it had made. A new step adds the version before it. */
export const INDEX_VERSIONS: Readonly<Record<string, Steps>> = {
  "0.1.0": named("001-memory", "002-turns"),
  "with vectors": named("001-memory", "002-turns", "vectors-1"),
  "with categories": named("001-memory", "002-turns", "003-categories", "vectors-1"),
  "with sorted categories": named(
    "001-memory",
    "002-turns",
    "003-categories",
    "004-sorted",
    "vectors-1",
  ),
  "with stretches of turns": named(
    "001-memory",
    "002-turns",
    "003-categories",
    "004-sorted",
    "vectors-1",
    "turns-2-stretches",
  ),
  "with smaller pages of words": INDEX_STEPS.filter(([name]) => name !== "turns-3-openings"),
  "with openings": INDEX_STEPS,
};
const past = (...names: string[]): Steps => HISTORY_STEPS.filter(([name]) => names.includes(name));
export const HISTORY_VERSIONS: Readonly<Record<string, Steps>> = {
  "0.1.0": past("001-history"),
  "with undo": past("001-history", "history-2-undo"),
  "with sums": past("001-history", "history-2-undo", "history-3-spent"),
  "with ways of keeping": past(
    "001-history",
    "history-2-undo",
    "history-3-spent",
    "history-4-keeping",
  ),
  "with forms": HISTORY_STEPS.filter(([name]) => name !== "history-6-few-of-many"),
  "with few of many": HISTORY_STEPS,
};

const AT = Date.UTC(2026, 4, 8, 12);
const has = (steps: Steps, name: string): boolean => steps.some(([step]) => step === name);

/** Ada's memories as that version wrote them, by statements of its own: "lives in" changed once, the tea expired. */
export function writeOldIndex(path: string, steps: Steps): void {
  const database = openDatabase(path, steps, "store");
  const memory = (
    row: number,
    id: string,
    {
      content,
      terms,
      version = 1,
      category = "general",
      key = null as string | null,
      to = null as number | null,
      expires = null as number | null,
    }: {
      content: string;
      terms: string;
      version?: number;
      category?: string;
      key?: string | null;
      to?: number | null;
      expires?: number | null;
    },
  ): void => {
    database
      .prepare(
        `insert into memory (row, id, version, scope, key, content, same, terms, kind, category, importance, source, origin, tags, at, updated_at, stated_at, expires_at, uses, used_at, valid_from, valid_to)
         values (?, ?, ?, 1, ?, ?, ?, ?, 'fact', ?, 0.5, 'manual', 'host', '["old"]', ${AT}, ${AT}, ${AT}, ?, 3, ${AT}, ?, ?)`,
      )
      .run(
        row,
        id,
        version,
        key,
        content,
        `digest of ${content}`,
        terms,
        category,
        expires,
        AT + (version - 1) * 1000,
        to,
      );
    database.prepare("insert into memory_index (rowid, terms) values (?, ?)").run(
      row,
      terms
        .split(" ")
        .map((term) => `${to === null ? "1" : "1p"}_${term}`)
        .join(" "),
    );
  };
  database.prepare("insert into scope (number, name, memories) values (1, 'user:ada', 3)").run();
  memory(1, "city", {
    content: "Ada lives in Porto",
    terms: "ada live in porto",
    key: "city",
    to: AT + 1000,
  });
  memory(2, "city", {
    content: "Ada lives in Lisbon",
    terms: "ada live in lisbon",
    key: "city",
    version: 2,
  });
  memory(3, "bread", {
    content: "Sourdough starter wants rye flour",
    terms: "sourdough starter want rye flour",
    category: "baking",
  });
  memory(4, "tea", { content: "Tea at four", terms: "tea at four", expires: AT + 1 });
  if (has(steps, "003-categories")) {
    database.exec("insert into category_members values (1, 'general', 2), (1, 'baking', 1)");
    for (const term of ["sourdough", "starter", "rye", "flour"])
      database.prepare("insert into category_term values (1, ?, 'baking', 1)").run(term);
  }
  if (has(steps, "turns-2-stretches")) {
    // What the turns were is in history, from which this part is built anew.
  } else
    database.exec(
      `insert into root (number, name, turns) values (1, 'ada', 1); insert into turn (root, id, session, position, role, text, at, terms) values (1, 't1', 's1', 0, 'user', 'A greyhound', ${AT}, 'greyhound'); insert into cursor values ('history', 1)`,
    );
  database.close();
}

/** One conversation of two messages, as that version wrote it. */
export function writeOldHistory(
  path: string,
  steps: Steps,
  { root, state }: { root: string; state: string },
): void {
  const database: Connection = openDatabase(path, steps, "history");
  for (const [index, [role, content]] of [
    ["user", "My cat is called Whiskerino."],
    ["assistant", "What a name!"],
  ].entries()) {
    database
      .prepare("insert into body (id, hash, json) values (?, ?, ?)")
      .run(index + 1, digest(JSON.stringify({ role, content })), JSON.stringify({ role, content }));
    database
      .prepare(
        "insert into entry (session, position, chain, content, skeleton, role, reply, head, at, body) values ('s1', ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      )
      .run(
        index,
        `chain${index}`,
        `content${index}`,
        `skeleton${index}`,
        role,
        index,
        (content ?? "").slice(0, 20),
        AT + index,
        index + 1,
      );
  }
  database
    .prepare(
      "insert into session (id, root, imported, at, updated_at, confirmed, watermark, noted, length, state, revision) values ('s1', ?, 0, ?, ?, 2, 0, 0, 2, ?, 1)",
    )
    .run(root, AT, AT + 1, state);
  database.close();
}

export const OLD_AT = AT;
