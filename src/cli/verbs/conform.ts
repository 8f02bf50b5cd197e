import { basename } from "node:path";
import { plant } from "../conform/planting.ts";
import { compactorOf } from "../conform/compactor.ts";
import { Dice } from "../conform/dice.ts";
import { type Filler, fillerOf, STYLES } from "../conform/filler.ts";
import { type Survived, KINDS } from "../conform/canary.ts";
import { throughTidemark, type Trial, throughCompactor } from "../conform/trial.ts";
import { nameOf, report, tally, type Way } from "../conform/report.ts";
import { scriptedModel } from "../conform/scripted.ts";
import { UsageError } from "../input/failure.ts";
import type { Verb } from "../input/flags.ts";
import { drawn } from "../render/io.ts";

/** Canaries of each kind in one run, and the least window that holds them with room to talk. */
const EACH = 3;
const LEAST_WINDOW = 8_000;
const BLIND = 1 / 3;
/** Up to about here exchanges are as long as they are; in a larger window they are so much longer. */
const COMMON_WINDOW = 32_000;

/** Plants facts in a conversation, folds it again and again, and shows what is left of them. Offline. */
export const conform: Verb = {
  flags: {
    compactor: {
      takes: "FILE",
      says: "a module that exports messages → messages, tried beside Tidemark",
    },
    folds: { takes: "N", says: "how many times the conversation is folded (default 10)" },
    window: { takes: "N", says: "the window to play at: 8k, 16k, 200k (default 16k)" },
    seed: { takes: "N", says: "which canaries, which filler (default 1)" },
    json: { says: "the figures as one JSON object" },
  },
  examples: [
    "tidemark conform",
    "tidemark conform --compactor ./my-compactor.mjs --window 32k",
    "tidemark conform --folds 20 --seed 7 --json",
  ],
  async run(given, io) {
    const folds = given.whole("folds", 100) ?? 10;
    const window = given.tokens("window") ?? 16_000;
    if (window < LEAST_WINDOW)
      throw new UsageError(
        `--window must be ${LEAST_WINDOW / 1000}k or more, so that the canaries find room before the first fold.`,
      );
    const seed = given.whole("seed", 2 ** 31, 0) ?? 1;
    const file = given.text("compactor");
    const compactor = file && (await compactorOf(file));

    const play: readonly (readonly [string, string, (trial: Trial) => Promise<Survived>])[] = [
      ...(file && compactor
        ? [["", basename(file), (one: Trial) => throughCompactor(one, compactor)] as const]
        : []),
      ["Tidemark", "no model", (one) => throughTidemark(one, "extractive")],
      [
        "Tidemark",
        "poor model",
        (one) => throughTidemark(one, scriptedModel({ seed, blind: BLIND })),
      ],
    ];
    const ways: Way[] = [];
    for (const [by, name, through] of play) {
      const canaries = plant(seed, EACH);
      const called = nameOf({ by, name });
      const progress = (done: number): void => drawn(io, called, `fold ${done} of ${folds}`);
      const filler = mixedFiller(seed, Math.max(1, Math.round(window / COMMON_WINDOW)));
      try {
        const survived = await through({ canaries, filler, folds, window, progress });
        ways.push({ by, name, canaries, survived });
      } finally {
        drawn(io, called);
      }
    }
    const figures = { folds, window, seed };
    return {
      found: { ...figures, ways: ways.map(figuresOf) },
      lines: report(ways, figures, io),
    };
  },
};

const figuresOf = (way: Way) => {
  const { folds, before, after, invalid, refused, stuck, early } = way.survived;
  return {
    name: nameOf(way),
    folds,
    tokens: { before: Math.round(before), after: Math.round(after) },
    invalid,
    refused,
    stuck,
    early,
    all: tally(way),
    kinds: Object.fromEntries(KINDS.map((kind) => [kind, tally(way, kind)])),
  };
};

/** Talk of every style in turn. */
function mixedFiller(seed: number, length: number): Filler {
  const dice = new Dice(seed);
  const fillers = STYLES.map((style) => fillerOf(style, dice, length));
  let turn = 0;
  return () => fillers[turn++ % fillers.length]?.() ?? [];
}
