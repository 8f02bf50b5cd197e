// Chooses the weights of src/memory/turn-weights.ts: fitted on four of LoCoMo's shared conversations, judged on the fifth, in
// turn; then each sign left out. The weights in the source are these, rounded by hand.
//   npm run bench -- recall-weights
import { inWeight, lookAt, spread } from "../src/memory/turns/order.ts";
import { judgeTurns } from "../src/memory/turns/turns.ts";
import { type Judged } from "../src/memory/turns/signs.ts";
import { SIGNS, TURN_WEIGHTS } from "../src/memory/turns/weights.ts";
import { openSqliteStore } from "../src/store/open-index.ts";
import { readLocomo, type Question } from "./support/locomo.ts";
import { type Answered, figures } from "./support/recall-figures.ts";
import { type Choice, fitWeights } from "./support/softmax.ts";
import { record, round } from "./support.ts";

/** Of each question's candidates so many take part: the others are never among the first ten. */
const CANDIDATES = 100;
/** Keeps weights small; between 1e-4 and 1e-2 nothing changes but the last digit. */
const RIDGE = 1e-3;

interface Asked extends Choice {
  readonly conversation: number;
  readonly question: Question;
  readonly list: boolean;
  readonly turns: readonly Judged[];
  readonly refs: readonly string[];
}

async function ask(): Promise<Asked[]> {
  const all: Asked[] = [];
  for (const [conversation, { turns, questions }] of readLocomo().entries()) {
    const store = openSqliteStore(":memory:");
    await store.turns.add(
      turns.map(({ ref, session, role, name, text, at }, position) => ({
        id: ref,
        session: String(session),
        root: "r",
        position,
        role,
        name,
        text,
        at,
        ref,
      })),
    );
    for (const question of questions) {
      const { judged, ...asked } = await judgeTurns(store.turns, question.text, "r");
      const best = inWeight(judged)
        .slice(0, CANDIDATES)
        .map(({ turn }) => turn)
        .sort((one, other) => one.stretch - other.stretch || one.place - other.place);
      const turnsAsked = await lookAt(store.turns, best, asked, "r");
      const refs = (await store.turns.turns("r", best)).map(({ id }) => id);
      const signs = turnsAsked.map((turn) => SIGNS.map((sign) => turn.signs[sign]));
      all.push({
        conversation,
        question,
        list: asked.question.list,
        turns: turnsAsked,
        refs,
        signs,
        right: question.evidence.map((id) => refs.indexOf(id)).filter((at) => at >= 0),
      });
    }
    await store.close();
  }
  return all;
}

const kept = (choice: Asked, columns: readonly number[]): Choice => ({
  right: choice.right,
  signs: choice.signs.map((row) => columns.map((column) => row[column] ?? 0)),
});

/** `apart`: where a list is asked for, other conversations have their say, as in the library. */
function answered(
  asked: Asked,
  weights: readonly number[],
  columns: readonly number[],
  { apart = true } = {},
): Answered {
  const ranked = asked.turns
    .map((turn, at) => ({
      turn,
      ref: asked.refs[at] ?? "",
      at,
      weight: columns.reduce(
        (sum, column, index) => sum + (weights[index] ?? 0) * (asked.signs[at]?.[column] ?? 0),
        0,
      ),
    }))
    .sort((one, other) => other.weight - one.weight || one.at - other.at);
  const found = (apart && asked.list ? spread(ranked) : ranked)
    .slice(0, 10)
    .map(({ ref }) => ({ ref, text: "" }));
  return { question: asked.question, found, ms: 0 };
}

function brief(answers: readonly Answered[]) {
  const {
    "categories 1-4": ordinary,
    adversarial,
    "multi-hop": multi,
    "open-domain": open,
    temporal,
    "single-hop": single,
  } = figures(answers);
  return {
    "rec@10": ordinary["rec@10"],
    "any@10": ordinary["any@10"],
    "nDCG@10": ordinary["nDCG@10"],
    "adversarial rec@10": adversarial["rec@10"],
    "rec@10 of multi-hop, temporal, open-domain, single-hop": [multi, temporal, open, single].map(
      (category) => category["rec@10"],
    ),
  };
}

const asked = await ask();
const folds = [...new Set(asked.map(({ conversation }) => conversation))];

/** Weights for each conversation from the others, and what they find in it. */
function leaveOneOut(columns: readonly number[], options?: { apart: boolean }) {
  const weights = folds.map((fold) =>
    fitWeights(
      asked
        .filter(({ conversation }) => conversation !== fold)
        .map((choice) => kept(choice, columns)),
      RIDGE,
    ),
  );
  return {
    weights,
    answers: asked.map((choice) =>
      answered(choice, weights[choice.conversation] ?? [], columns, options),
    ),
  };
}

const every = SIGNS.map((_, at) => at);
const all = leaveOneOut(every);
const fittedTo = (at: number) => {
  const values = all.weights.map((weights) => weights[at] ?? 0);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    fitted: round(mean),
    "from-to": [round(Math.min(...values)), round(Math.max(...values))],
  };
};
record("recall-weights", {
  data: "../shared/data/locomo/locomo-dev5.json (CC BY-NC): only these rounded weights leave it",
  method: `softmax over ${CANDIDATES} candidates a question, adversarial ones too, ridge ${RIDGE}, Newton; each conversation judged by weights of the other four`,
  "left out, all signs": brief(all.answers),
  "left out, lists not spread over conversations": brief(
    leaveOneOut(every, { apart: false }).answers,
  ),
  "each conversation left out": Object.fromEntries(
    folds.map((fold) => [
      readLocomo()[fold]?.id,
      brief(all.answers.filter((_, at) => asked[at]?.conversation === fold)),
    ]),
  ),
  "rounded by hand": brief(
    asked.map((choice) =>
      answered(
        choice,
        SIGNS.map((sign) => TURN_WEIGHTS[sign]),
        every,
      ),
    ),
  ),
  signs: Object.fromEntries(
    SIGNS.map((sign, at) => [
      sign,
      {
        rounded: TURN_WEIGHTS[sign],
        ...fittedTo(at),
        "without it, left out": brief(leaveOneOut(every.filter((column) => column !== at)).answers),
      },
    ]),
  ),
});
