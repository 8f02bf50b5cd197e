import { type Estimate, HITS, recalled, rowsOf } from "../eval/arms.ts";
import { EMBEDDERS, embeddersOf } from "../eval/embedders.ts";
import { madialQuizzes, ownQuiz } from "../eval/questions.ts";
import type { Verb } from "../input/flags.ts";
import { withWorkspace } from "../input/workspace-of-verb.ts";
import { paint, plain, table } from "../render/layout.ts";
import { count } from "../render/numbers.ts";

/** Fewer questions tell nothing. */
const LEAST_QUESTIONS = 20;

/** How well questions find what answers them: by words alone, as it is, and with embedders. */
export const evaluate: Verb = {
  says: "how well questions find memories: by words, as it is, with embedders",
  flags: {
    questions: { takes: "FILE", says: "dialogues in MADial-Bench's form, in place of your own" },
    ...EMBEDDERS,
  },
  examples: [
    "tidemark eval",
    "tidemark eval --embedder http://localhost:11434/v1 --model bge-m3",
    "tidemark eval --questions dialogue.jsonl",
  ],
  async run(given, io) {
    const file = given.text("questions");
    const embedders = embeddersOf(given, io);
    const quizzes =
      file === undefined
        ? [await withWorkspace(given, io, ownQuiz, { embed: false })]
        : madialQuizzes(file);
    const questions = quizzes.flatMap((quiz) => quiz.questions).length;
    if (questions < LEAST_QUESTIONS) {
      const line =
        `Too little to judge by: ${count(questions, "question")} whose reply used a memory, and ` +
        `${LEAST_QUESTIONS} are needed; go on talking, or name a file with --questions.`;
      return { found: { questions }, lines: [line] };
    }
    const arms = new Map([
      // By places among words, which know no age and no use.
      ["words alone", await recalled(quizzes, false, "rrf")],
      ["ours", await recalled(quizzes, false)],
    ]);
    for (const one of embedders) arms.set(one.model ?? "", await recalled(quizzes, one));
    const rows = rowsOf(arms);
    const cells = rows.map(({ type, way, questions: asked, ...one }) =>
      [type, way, String(asked), within(one.recall), within(one.reciprocal)].map(plain),
    );
    const head = ["type", "way", "questions", `R@${HITS}`, "MRR"].map(paint.dim);
    return { found: { questions, rows }, lines: [table([head, ...cells]), "", NOTE] };
  },
};

const NOTE =
  `R@${HITS}: the share of what was wanted among ${HITS} hits, in percent; MRR: 100 ÷ the place ` +
  "of the first; in brackets where it lies 95 times of 100.";

const points = (value = 0): string => (100 * value).toFixed(1);
const within = ({ mean, low, high }: Estimate): string =>
  `${points(mean)} (${points(low)} to ${points(high)})`;
