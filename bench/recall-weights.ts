// Chooses the weights of src/memory/turns/weights.ts, each conversation judged by weights fitted on the others: those of questions on
// LoCoMo's shared conversations, those of messages on RealMem's; then each sign left out. The source holds them rounded by hand.
//   npm run bench -- recall-weights
import { inWeight, lookAt, spread } from "../src/memory/turns/order.ts";
import type { Form } from "../src/memory/turns/question.ts";
import { judgeTurns } from "../src/memory/turns/turns.ts";
import type { Judged } from "../src/memory/turns/signs.ts";
import { SIGNS, TURN_WEIGHTS } from "../src/memory/turns/weights.ts";
import { openSqliteStore } from "../src/store/open-index.ts";
import { type Conversation, type Question, readLocomo } from "./support/locomo.ts";
import { readRealMem } from "./support/realmem.ts";
import { type Answered, figures, sessionsFound } from "./support/recall-figures.ts";
import { type Choice, fitWeights } from "./support/softmax.ts";
import { record, round } from "./support.ts";

/** Of each question's candidates so many take part: the others are seldom among the first ten. */
const CANDIDATES = 100;
/** Keeps weights small; between 1e-4 and 1e-2 nothing changes but the last digit. */
const RIDGE = 1e-3;
/** Set by hand: neither set asks for words as they stand. */
const BY_HAND = ["whole", "exact"];

type Sign = (typeof SIGNS)[number];

interface Asked extends Choice {
  readonly conversation: string;
  readonly question: Question;
  readonly apart: boolean;
  readonly turns: readonly Judged[];
  readonly refs: readonly string[];
}

async function ask(conversations: readonly Conversation[], form: Form): Promise<Asked[]> {
  const all: Asked[] = [];
  for (const { id: conversation, turns, questions } of conversations) {
    const store = openSqliteStore(":memory:");
    const rows = turns.map(({ ref, session, role, name, text, at }, position) => ({
      id: ref,
      session: String(session),
      root: "r",
      position,
      role,
      name,
      text,
      at,
      ref,
    }));
    let added = 0;
    const inTime = [...questions].sort((one, other) => (one.after ?? 0) - (other.after ?? 0));
    for (const question of inTime) {
      const { after = Infinity } = question;
      const until = turns.filter(({ session }) => session < after).length;
      await store.turns.add(rows.slice(added, until));
      added = Math.max(added, until);
      const { judged, ...asked } = await judgeTurns(store.turns, question.text, { root: "r" });
      if (asked.question.form !== form) continue;
      const best = inWeight(judged, form)
        .slice(0, CANDIDATES)
        .sort((one, other) => one.stretch - other.stretch || one.place - other.place);
      const looked = await lookAt(store.turns, best, asked, "r");
      const refs = (await store.turns.turns("r", best)).map(({ id }) => id);
      all.push({
        conversation,
        question,
        apart: asked.question.list || form === "message",
        turns: looked,
        refs,
        signs: looked.map((turn) => SIGNS.map((sign) => turn.signs[sign])),
        right: question.evidence.map((id) => refs.indexOf(id)).filter((at) => at >= 0),
      });
    }
    await store.close();
  }
  return all;
}

type Weights = Readonly<Partial<Record<Sign, number>>>;

function answered(asked: Asked, weights: Weights): Answered {
  const ranked = asked.turns
    .map(({ stretch, signs }, at) => ({
      stretch,
      ref: asked.refs[at] ?? "",
      at,
      weight: SIGNS.reduce((sum, sign) => sum + (weights[sign] ?? 0) * signs[sign], 0),
    }))
    .sort((one, other) => other.weight - one.weight || one.at - other.at);
  const found = spread(ranked, asked.apart)
    .slice(0, 10)
    .map(({ ref }) => ({ ref, text: "" }));
  return { question: asked.question, found, ms: 0 };
}

function brief(answers: readonly Answered[], conversations: readonly Conversation[]) {
  const { "categories 1-4": ordinary, adversarial, ...others } = figures(answers);
  const told = {
    "rec@10": ordinary["rec@10"],
    "any@10": ordinary["any@10"],
    "nDCG@10": ordinary["nDCG@10"],
    "sessions@10": sessionsFound(answers, conversations),
  };
  if (adversarial.questions === 0) return told;
  return {
    ...told,
    "adversarial rec@10": adversarial["rec@10"],
    "rec@10 of multi-hop, temporal, open-domain, single-hop": [
      others["multi-hop"],
      others.temporal,
      others["open-domain"],
      others["single-hop"],
    ].map((category) => category["rec@10"]),
  };
}

async function measure(conversations: readonly Conversation[], form: Form) {
  const shipped = TURN_WEIGHTS[form];
  const asked = await ask(conversations, form);
  const folds = conversations.map(({ id }) => id);
  const chosen = SIGNS.filter((sign) => shipped[sign] !== undefined && shipped[sign] !== 0);
  const byHand = chosen.filter((sign) => BY_HAND.includes(sign));
  /** Weights for each conversation from the others, and what they find in it. */
  const leaveOneOut = (signs: readonly Sign[]) => {
    const columns = signs.map((sign) => SIGNS.indexOf(sign));
    const kept = (choice: Asked): Choice => ({
      right: choice.right,
      signs: choice.signs.map((row) => columns.map((column) => row[column] ?? 0)),
    });
    const weights = folds.map((fold) => {
      const fitted = fitWeights(
        asked.filter(({ conversation }) => conversation !== fold).map(kept),
        RIDGE,
      );
      const named = signs.map((sign, at) => [sign, fitted[at] ?? 0] as const);
      return Object.fromEntries(named) as Weights;
    });
    const answers = asked.map((choice) =>
      answered(choice, weights[folds.indexOf(choice.conversation)] ?? {}),
    );
    return { weights, answers };
  };
  const fitted = chosen.filter((sign) => !byHand.includes(sign));
  const all = leaveOneOut(fitted);
  const rangeOf = (sign: Sign) => {
    const values = all.weights.map((weights) => weights[sign] ?? 0);
    return {
      fitted: round(values.reduce((sum, value) => sum + value, 0) / values.length),
      "from-to": [round(Math.min(...values)), round(Math.max(...values))],
    };
  };
  const told = (answers: readonly Answered[]) => brief(answers, conversations);
  return {
    questions: asked.length,
    "left out, all signs": told(all.answers),
    "each conversation left out": Object.fromEntries(
      folds.map((fold) => [
        fold,
        told(all.answers.filter((_, at) => asked[at]?.conversation === fold)),
      ]),
    ),
    "rounded by hand": told(asked.map((choice) => answered(choice, shipped))),
    "by hand": Object.fromEntries(byHand.map((sign) => [sign, shipped[sign]])),
    signs: Object.fromEntries(
      fitted.map((sign) => [
        sign,
        {
          rounded: shipped[sign],
          ...rangeOf(sign),
          "without it, left out": told(leaveOneOut(fitted.filter((one) => one !== sign)).answers),
        },
      ]),
    ),
  };
}

record("recall-weights", {
  data: "../shared/data/locomo/locomo-dev5.json (CC BY-NC), ../shared/data/realmem/realmem-dev4.json (Apache-2.0): only these rounded weights leave them",
  method: `softmax over ${CANDIDATES} candidates a question, adversarial ones too, ridge ${RIDGE}, Newton; each conversation judged by weights of the others`,
  questions: await measure(readLocomo(), "question"),
  messages: await measure(readRealMem(), "message"),
});
