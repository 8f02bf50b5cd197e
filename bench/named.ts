// Which stored fact is meant by the words of a distiller's `supersedes`: right, wrong and none, by how it was worded.
//   npm run bench -- named
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { canonical } from "../src/memory/sameness/canonical.ts";
import { named } from "../src/memory/saving/planned-store.ts";
import { createMemories } from "../src/memory/memories.ts";
import { RANKING } from "../src/memory/recalling/rank.ts";
import type { Scope } from "../src/model/identity.ts";
import { rightsOf } from "../src/model/rights.ts";
import { openSqliteStore } from "../src/store/open-index.ts";
import { isStopword } from "../src/text/terms.ts";
import { queryTerms } from "../src/text/terms.ts";
import { record } from "./support.ts";
import { type Context, EDITS, REWORDINGS } from "./support/fact-pairs.ts";

const file = join(process.env["TIDEMARK_DATA"] ?? "../shared/data/locomo", "locomo-dev5.json");
const conversations = JSON.parse(readFileSync(file, "utf8")) as {
  conversation: { speaker_a: string; speaker_b: string };
  observation: Record<string, Record<string, [string, unknown][]>>;
}[];
const scope: Scope = "agent:bench";
const firstWords = (fact: string, share: number): string => {
  const words = fact.split(" ");
  return words.slice(0, Math.max(3, Math.ceil(words.length * share))).join(" ");
};
type Way = (fact: string, context: Context) => string | undefined;
/** Words that mean the stored fact. */
const MEANT: Record<string, Way> = {
  "two thirds of its words": (fact) => firstWords(fact, 0.67),
  "half of its words": (fact) => firstWords(fact, 0.5),
  "a part left out": (fact, context) => EDITS["a part left out"]?.(fact, context),
  "other words for a part": (fact, context) => REWORDINGS["other words for it"]?.(fact, context),
};
/** Words that mean a fact that is not stored. */
const FOREIGN: Record<string, Way> = Object.fromEntries(
  [
    "another person",
    "another name",
    "another number",
    "another month or day",
    "another thing",
    "negated",
  ].map((name) => [name, (fact: string, context: Context) => EDITS[name]?.(fact, context)]),
);

const tally: Record<string, { words: number; right: number; wrong: number }> = {};
const now = Date.UTC(2026, 0, 1);
for (const { conversation, observation } of conversations) {
  const store = openSqliteStore(":memory:");
  let made = 0;
  const memories = createMemories({
    store,
    scopes: [scope],
    home: scope,
    now: () => now,
    newId: () => `m${(made += 1)}`,
    journal: async () => {},
    listen: () => {},
    countTokens: (text) => text.length / 4,
    rights: async () => rightsOf({ agent: "bench" }),
    origin: "host",
    lifetimes: {},
    ranking: RANKING,
    mask: async () => (text) => text,
    alone: (work) => work(),
  });
  const facts = Object.values(observation).flatMap((session) =>
    Object.values(session).flatMap((list) => list.map(([text]) => text)),
  );
  for (const fact of facts) await memories.save(fact);
  const nouns = facts
    .flatMap((fact) => fact.match(/\b[a-z]{5,}\b/g) ?? [])
    .filter((word) => !isStopword(word));
  let state = 3;
  const context: Context = {
    speakers: [conversation.speaker_a, conversation.speaker_b],
    nouns,
    pick: (count) => (state = (state * 48_271) % 2_147_483_647) % count,
  };
  const meant = async (words: string): Promise<string | undefined> => {
    const terms = queryTerms(words).map(({ term }) => term);
    return named(
      words,
      await store.candidates({
        scopes: [scope],
        now,
        limit: 20,
        terms: terms.map((term) => ({ term, weight: 1 })),
      }),
    )?.memory.content;
  };
  for (const fact of facts)
    for (const [name, way] of [...Object.entries(MEANT), ...Object.entries(FOREIGN)]) {
      const words = way(fact, context);
      if (words === undefined || words === fact) continue;
      const row = (tally[name] ??= { words: 0, right: 0, wrong: 0 });
      const found = await meant(words);
      row.words += 1;
      const expected =
        name in MEANT ? fact : facts.find((other) => canonical(other) === canonical(words));
      if (found === expected) row.right += 1;
      else if (found !== undefined) {
        row.wrong += 1;
        if (process.argv.includes("--show")) console.log(`${name}\n  ${words}\n  ${found}`);
      }
    }
}
record("named", tally);
