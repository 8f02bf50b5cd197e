// Which category a memory is given when none is said: by the built-in words alone, and with members to learn from.
//   npm run bench -- categories
// Two kinds of labels: statements written for this bench, and the facts the extractive distiller takes from the shared
// transcripts with the category its rules gave them (TIDEMARK_DATA names another folder); there, each transcript is judged
// by what was learnt from all the others.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { anthropic } from "../src/dialect/anthropic/anthropic.ts";
import { extractive } from "../src/distil/extract/extractive.ts";
import { termsForCategory } from "../src/memory/categories/categories.ts";
import { GENERAL, nearest } from "../src/memory/categories/categories.ts";
import type { Message } from "../src/model/request.ts";
import type { CategoryWords } from "../src/model/store.ts";
import { queryTerms } from "../src/text/terms.ts";
import { record, round } from "./support.ts";
import { CATEGORISED } from "./support/categorised.ts";

interface Labelled {
  readonly text: string;
  readonly category: string;
  readonly from: string;
}

/** What a store would have counted of these members. */
function learnt(members: readonly Labelled[], terms: readonly string[]): CategoryWords[] {
  const found = new Map<string, { members: number; holding: number[] }>();
  for (const { text, category } of members) {
    const own = new Set(termsOf(text));
    const entry = found.get(category) ?? { members: 0, holding: terms.map(() => 0) };
    entry.members += 1;
    terms.forEach((term, at) => {
      if (own.has(term)) entry.holding[at] = (entry.holding[at] ?? 0) + 1;
    });
    found.set(category, entry);
  }
  return [...found].map(([category, entry]) => ({ category, ...entry }));
}
const cache = new Map<string, string[]>();
function termsOf(text: string): string[] {
  const found = cache.get(text) ?? queryTerms(text).map(({ term }) => term);
  cache.set(text, found);
  return found;
}

type Least = { share: number; voice: number };
function judge(
  statements: readonly Labelled[],
  knowing: (statement: Labelled) => readonly Labelled[],
  least?: Least,
) {
  let [given, right, named] = [0, 0, 0];
  const wrong: string[] = [];
  for (const statement of statements) {
    const terms = termsForCategory(statement.text);
    const category = nearest(terms, learnt(knowing(statement), terms), least);
    if (statement.category !== GENERAL) named += 1;
    if (category === GENERAL) continue;
    given += 1;
    if (category === statement.category) right += 1;
    else wrong.push(`${statement.category} → ${category}: ${statement.text.slice(0, 90)}`);
  }
  if (process.argv.includes("--show")) console.log(wrong.slice(0, 40).join("\n"));
  return {
    statements: statements.length,
    given,
    precision: round(right / Math.max(1, given)),
    recall: round(right / Math.max(1, named)),
  };
}

const written = CATEGORISED.map((entry) => ({ ...entry, from: "written" }));
const folder = process.env["TIDEMARK_DATA"] ?? "../shared/data/agents";
const taken: Labelled[] = [];
for (const file of readdirSync(folder).filter((name) => name.endsWith(".anthropic.json"))) {
  const { messages = [] } = JSON.parse(readFileSync(join(folder, file), "utf8")) as {
    messages?: Message[];
  };
  const { facts } = await extractive({
    dialect: anthropic,
    messages,
    factsFrom: 0,
    summaryTokens: 1,
    signal: new AbortController().signal,
  });
  for (const { content, category } of facts)
    taken.push({ text: content, category: category ?? GENERAL, from: file });
}
const locomo = JSON.parse(readFileSync("../shared/data/locomo/locomo-dev5.json", "utf8")) as {
  observation: Record<string, Record<string, [string, unknown][]>>;
}[];
/** Much that nobody put into a category. */
const crowd = locomo.flatMap(({ observation }) =>
  Object.values(observation).flatMap((session) =>
    Object.values(session).flatMap((list) =>
      list.map(([text]): Labelled => ({ text, category: GENERAL, from: "crowd" })),
    ),
  ),
);
const others = ({ from }: Labelled): Labelled[] => taken.filter((member) => member.from !== from);
const rest = (statement: Labelled): Labelled[] => written.filter((member) => member !== statement);

const sweep: Record<string, unknown> = {};
if (process.argv.includes("--sweep"))
  for (const share of [0.4, 0.5, 0.55, 0.6, 0.7, 0.8])
    for (const voice of [0.3, 0.5, 0.7, 1, 1.5])
      sweep[`share ${share}, voice ${voice}`] = [
        judge(written, () => [], { share, voice }),
        judge(written, (statement) => [...rest(statement), ...crowd], { share, voice }),
        judge(taken, others, { share, voice }),
      ]
        .map(({ precision, recall }) => `${precision} / ${recall}`)
        .join("   ");
record("categories", {
  "written, no members": judge(written, () => []),
  "written, the other statements as members": judge(written, rest),
  "written, the other statements and 1,210 observations in no category as members": judge(
    written,
    (statement) => [...rest(statement), ...crowd],
  ),
  "taken from transcripts, no members": judge(taken, () => []),
  "taken from transcripts, those of the others as members": judge(taken, others),
  ...(Object.keys(sweep).length > 0 ? { sweep } : {}),
});
