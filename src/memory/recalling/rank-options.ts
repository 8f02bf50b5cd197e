import { TidemarkError } from "../../model/errors.ts";
import { RANKING, type RankingRule } from "./rank.ts";
import { ANCESTORS, type Strategy, STRATEGY_NAMES, type StrategyName } from "./strategies.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;

interface Figure {
  readonly holds: (value: number) => boolean;
  readonly want: string;
}

const FIGURES = {
  TIDEMARK_RECENCY_HALF_LIFE_DAYS: {
    holds: (value) => value > 0 && value <= 36_500,
    want: "a number of days above 0 and at most 36500",
  },
  TIDEMARK_ACCESS_BOOST_MAX: {
    holds: (value) => value >= 1 && value <= 10,
    want: "a number from 1 to 10",
  },
  TIDEMARK_ACCESS_RECENCY_HOURS: {
    holds: (value) => value >= 0 && value <= 876_000,
    want: "a number of hours from 0 to 876000",
  },
  TIDEMARK_CANDIDATE_MULTIPLIER: {
    holds: (value) => Number.isInteger(value) && value >= 1 && value <= 100,
    want: "a whole number from 1 to 100",
  },
} as const satisfies Readonly<Record<string, Figure>>;

/** The strategy named, with the figures that the environment sets. Throws TidemarkError "config". */
export function rankingRule(
  name: StrategyName = RANKING.strategy,
  environment: Readonly<Record<string, string | undefined>> = {},
): RankingRule {
  const figure = (variable: keyof typeof FIGURES, unit = 1): number | undefined => {
    const text = environment[variable]?.trim() ?? "";
    if (text === "") return undefined;
    const { holds, want }: Figure = FIGURES[variable];
    if (/^\d*\.?\d+$/.test(text) && holds(Number(text))) return Number(text) * unit;
    throw new TidemarkError("config", `${variable} must be ${want}, got ${JSON.stringify(text)}.`);
  };
  return {
    strategy: strategyOf(name),
    halfLife: figure("TIDEMARK_RECENCY_HALF_LIFE_DAYS", DAY) ?? RANKING.halfLife,
    mostUse: figure("TIDEMARK_ACCESS_BOOST_MAX") ?? RANKING.mostUse,
    recentUse: figure("TIDEMARK_ACCESS_RECENCY_HOURS", HOUR) ?? RANKING.recentUse,
    multiplier: figure("TIDEMARK_CANDIDATE_MULTIPLIER") ?? RANKING.multiplier,
    diversity: RANKING.diversity,
  };
}

const strategyOf = (name: StrategyName): Strategy =>
  STRATEGY_NAMES.find((own) => own === name) ?? ANCESTORS[name as keyof typeof ANCESTORS];
