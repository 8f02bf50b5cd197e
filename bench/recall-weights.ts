// Chooses the weights of src/memory/turn-weights.ts: fitted on four of LoCoMo's shared conversations, judged on the fifth, in
// turn; then each sign left out. The weights in the source are these, rounded by hand.
//   npm run bench -- recall-weights
import { judgeTurns, rarities } from "../src/memory/turns.ts";
import { SIGNS, TURN_WEIGHTS, weighted } from "../src/memory/turn-weights.ts";
import { openSqliteStore } from "../src/store/sqlite.ts";
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
  readonly refs: readonly string[];
}

async function ask(): Promise<Asked[]> {
  const all: Asked[] = [];
  for (const [conversation, { turns, questions }] of readLocomo().entries()) {
    const store = openSqliteStore(":memory:");
    await store.turns.add(turns.map(({ ref, session, role, name, text, at }, position) => ({ id: ref, session: String(session), root: "r", position, role, name, text, at, ref })));
    for (const question of questions) {
      const judged = (await judgeTurns(store.turns, question.text, "r"))
        .map((turn) => ({ turn, weight: weighted(turn.signs) }))
        .sort((one, other) => other.weight - one.weight)
        .slice(0, CANDIDATES)
        .map(({ turn }) => turn)
        .sort((one, other) => one.stretch - other.stretch || one.place - other.place);
      const rarity = await rarities(store.turns, judged, "r");
      const refs = (await store.turns.turns("r", judged)).map(({ id }) => id);
      const signs = judged.map((turn, at) => SIGNS.map((sign) => (sign === "rarity" ? (rarity[at] ?? 0) : turn.signs[sign])));
      all.push({ conversation, question, refs, signs, right: question.evidence.map((id) => refs.indexOf(id)).filter((at) => at >= 0) });
    }
    await store.close();
  }
  return all;
}

const kept = (choice: Asked, columns: readonly number[]): Choice => ({ right: choice.right, signs: choice.signs.map((row) => columns.map((column) => row[column] ?? 0)) });

function answered(asked: Asked, weights: readonly number[], columns: readonly number[]): Answered {
  const found = asked.signs
    .map((row, at) => ({ at, score: columns.reduce((sum, column, index) => sum + (weights[index] ?? 0) * (row[column] ?? 0), 0) }))
    .sort((one, other) => other.score - one.score || one.at - other.at)
    .slice(0, 10)
    .map(({ at }) => ({ ref: asked.refs[at] ?? "", text: "" }));
  return { question: asked.question, found, ms: 0 };
}

function brief(answers: readonly Answered[]) {
  const { "categories 1-4": ordinary, adversarial } = figures(answers);
  return { "rec@10": ordinary["rec@10"], "any@10": ordinary["any@10"], "nDCG@10": ordinary["nDCG@10"], "adversarial rec@10": adversarial["rec@10"] };
}

const asked = await ask();
const folds = [...new Set(asked.map(({ conversation }) => conversation))];

/** Weights for each conversation from the others, and what they find in it. */
function leaveOneOut(columns: readonly number[]) {
  const weights = folds.map((fold) => fitWeights(asked.filter(({ conversation }) => conversation !== fold).map((choice) => kept(choice, columns)), RIDGE));
  return { weights, answers: asked.map((choice) => answered(choice, weights[choice.conversation] ?? [], columns)) };
}

const every = SIGNS.map((_, at) => at);
const all = leaveOneOut(every);
const spread = (at: number) => {
  const values = all.weights.map((weights) => weights[at] ?? 0);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { fitted: round(mean), "from-to": [round(Math.min(...values)), round(Math.max(...values))] };
};
record("recall-weights", {
  data: "../shared/data/locomo/locomo-dev5.json (CC BY-NC): only these rounded weights leave it",
  method: `softmax over ${CANDIDATES} candidates a question, adversarial ones too, ridge ${RIDGE}, Newton; each conversation judged by weights of the other four`,
  "left out, all signs": brief(all.answers),
  "each conversation left out": Object.fromEntries(folds.map((fold) => [readLocomo()[fold]?.id, brief(all.answers.filter((_, at) => asked[at]?.conversation === fold))])),
  "rounded by hand": brief(asked.map((choice) => answered(choice, SIGNS.map((sign) => TURN_WEIGHTS[sign]), every))),
  signs: Object.fromEntries(
    SIGNS.map((sign, at) => [sign, { rounded: TURN_WEIGHTS[sign], ...spread(at), "without it, left out": brief(leaveOneOut(every.filter((column) => column !== at)).answers) }]),
  ),
});
