// How much of the evidence stands in a brief of 1,000 tokens, headings, sources and scores counted: LoCoMo's shared five; and how
// long a brief takes among 10,000 facts, 10,000 turns, 1,000 records and 1,000 notes.
//   npm run bench -- brief
// "own" is the time without what the process waited for a processor that other work had, "clock" the time with it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTidemark } from "../src/index.ts";
import { importConversation, readLocomo } from "./support/locomo.ts";
import { stopwatch } from "./support/own-time.ts";
import { median, percentile, record, round } from "./support.ts";

const TOKENS = 1_000;
const MANY = 10_000;
const PAGES = 1_000;
const ROUNDS = 5;

interface Took {
  readonly ms: number;
  readonly own: number;
}

/** How long briefs for the questions take, in a workspace on disk that holds so much: all of them, and then again. */
async function amongMany(questions: readonly string[], said: readonly string[]): Promise<Took[][]> {
  const root = mkdtempSync(join(tmpdir(), "bench-brief-"));
  const folder = join(root, "workspace");
  for (const under of ["notes", "records/decision"]) {
    mkdirSync(join(folder, under), { recursive: true });
    for (let at = 0; at < PAGES; at += 1)
      writeFileSync(
        join(folder, under, `p${at}.md`),
        `# Page ${at}\n\n${said[at % said.length]}\n`,
      );
  }
  const tidemark = await openTidemark({ workspace: folder, listen: false, distil: "extractive" });
  for (let from = 0; from < MANY; from += 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        tidemark.memory.save(`${said[((from + at) * 7) % said.length]} (${from + at})`),
      ),
    );
  for (let from = 0; from < MANY; from += 500)
    await tidemark.history.import({
      id: `talk-${from}`,
      messages: Array.from({ length: 500 }, (_, at) => ({
        role: at % 2 === 0 ? "user" : "assistant",
        text: `${said[(from + at) % said.length]} (${from + at})`,
      })),
    });
  await tidemark.brief("where the lighthouse stands");
  const rounds: Took[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const took: Took[] = [];
    for (const question of questions) {
      const watch = stopwatch();
      await tidemark.brief(question, { tokens: TOKENS });
      took.push(watch());
    }
    rounds.push(took);
  }
  await tidemark.close();
  rmSync(root, { recursive: true, force: true });
  return rounds;
}

/** The median of what each round says. */
const spread = (rounds: readonly (readonly Took[])[]) => {
  const of = (which: keyof Took, share: number): number =>
    median(
      rounds.map((took) =>
        percentile(
          took.map((one) => one[which]),
          share,
        ),
      ),
    );
  return {
    own: { p50: of("own", 0.5), p95: of("own", 0.95) },
    clock: { p50: of("ms", 0.5), p95: of("ms", 0.95) },
  };
};

const conversations = readLocomo();
let [found, wanted, most] = [0, 0, 0];
const took: Took[] = [];
for (const conversation of conversations) {
  const tidemark = await openTidemark({ workspace: false, listen: false });
  await importConversation(tidemark, conversation);
  for (const { text, evidence, category } of conversation.questions) {
    if (category === 5 || evidence.length === 0) continue;
    const watch = stopwatch();
    const brief = await tidemark.brief(text, { tokens: TOKENS });
    took.push(watch());
    const refs = new Set(brief.hits.map(({ ref }) => ref));
    most = Math.max(most, brief.tokens);
    wanted += 1;
    found += evidence.filter((ref) => refs.has(ref)).length / evidence.length;
  }
  await tidemark.close();
}
const questions = conversations.flatMap((one) => one.questions.map(({ text }) => text));
const many = await amongMany(
  questions.filter((_, at) => at % 5 === 0),
  conversations.flatMap((one) => one.turns.map(({ text }) => text)),
);
record("brief", {
  "among 10,000 facts, 10,000 turns, 1,000 records, 1,000 notes": {
    briefs: many.flat().length,
    ms: spread(many),
  },
  locomo: {
    questions: wanted,
    "evidence in the brief, %": round((100 * found) / wanted),
    "most tokens of a brief": most,
    ms: spread([took]),
  },
});
