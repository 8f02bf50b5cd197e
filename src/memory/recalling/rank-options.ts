import { TidemarkError } from "../../model/errors.ts";
import { isDict } from "../../base/guards.ts";
import { RANKING, type RankingRule } from "./rank.ts";
import { ANCESTORS, STRATEGY_NAMES, type Strategy } from "./strategies.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;

export interface RankingOptions {
  /** Default "tidemark". "swarm" (or "agent-swarm"): a product; "linear" (or "synthorg"): 0.7 / 0.3; "rrf": reciprocal ranks, k = 60. */
  strategy?: Strategy | keyof typeof ANCESTORS;
  /** Default 14; TIDEMARK_RECENCY_HALF_LIFE_DAYS. */
  halfLifeDays?: number;
  /** Default 1.5; TIDEMARK_ACCESS_BOOST_MAX. */
  accessBoostMax?: number;
  /** Default 48; TIDEMARK_ACCESS_RECENCY_HOURS. */
  accessRecencyHours?: number;
  /** Candidates read for each hit asked for. Default 3; TIDEMARK_CANDIDATE_MULTIPLIER. */
  candidateMultiplier?: number;
  /** What a hit's own score weighs against its likeness to better ones. Default 0.7; 1: likeness does not matter. */
  diversity?: number;
}

interface Figure {
  readonly name: Exclude<keyof RankingOptions, "strategy">;
  readonly variable?: string;
  readonly holds: (value: number) => boolean;
  readonly want: string;
}

const FIGURES = {
  halfLife: {
    name: "halfLifeDays",
    variable: "TIDEMARK_RECENCY_HALF_LIFE_DAYS",
    holds: (value) => value > 0 && value <= 36_500,
    want: "a number of days above 0 and at most 36500",
  },
  mostUse: {
    name: "accessBoostMax",
    variable: "TIDEMARK_ACCESS_BOOST_MAX",
    holds: (value) => value >= 1 && value <= 10,
    want: "a number from 1 to 10",
  },
  recentUse: {
    name: "accessRecencyHours",
    variable: "TIDEMARK_ACCESS_RECENCY_HOURS",
    holds: (value) => value >= 0 && value <= 876_000,
    want: "a number of hours from 0 to 876000",
  },
  multiplier: {
    name: "candidateMultiplier",
    variable: "TIDEMARK_CANDIDATE_MULTIPLIER",
    holds: (value) => Number.isInteger(value) && value >= 1 && value <= 100,
    want: "a whole number from 1 to 100",
  },
  diversity: {
    name: "diversity",
    holds: (value) => value >= 0 && value <= 1,
    want: "a number from 0 to 1",
  },
} as const satisfies Readonly<Record<string, Figure>>;

/** What the host's code says, else the environment, else the default. Throws TidemarkError "config". */
export function rankingRule(
  options: unknown = {},
  environment: Readonly<Record<string, string | undefined>> = {},
): RankingRule {
  if (!isDict(options))
    throw new TidemarkError(
      "config",
      `ranking must be an object such as { strategy: "linear" }, got ${JSON.stringify(options) ?? typeof options}.`,
    );
  const known = ["strategy", ...Object.values(FIGURES).map(({ name }) => name)];
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new TidemarkError(
      "config",
      `ranking knows no option "${unknown}"; it knows ${known.join(", ")}.`,
    );
  const figure = ({ name, variable, holds, want }: Figure): number | undefined => {
    const text = variable === undefined ? undefined : environment[variable]?.trim();
    const number = text !== undefined && /^\d*\.?\d+$/.test(text) ? Number(text) : text;
    const given: unknown = options[name] ?? (text === "" ? undefined : number);
    if (given === undefined) return undefined;
    if (typeof given === "number" && holds(given)) return given;
    throw new TidemarkError(
      "config",
      `${options[name] === undefined ? (variable ?? name) : `ranking.${name}`} must be ${want}, got ${JSON.stringify(given) ?? typeof given}.`,
    );
  };
  const [days, hours] = [figure(FIGURES.halfLife), figure(FIGURES.recentUse)];
  return {
    strategy: strategyOf(options.strategy),
    halfLife: days === undefined ? RANKING.halfLife : days * DAY,
    mostUse: figure(FIGURES.mostUse) ?? RANKING.mostUse,
    recentUse: hours === undefined ? RANKING.recentUse : hours * HOUR,
    multiplier: figure(FIGURES.multiplier) ?? RANKING.multiplier,
    diversity: figure(FIGURES.diversity) ?? RANKING.diversity,
  };
}

function strategyOf(given: unknown): Strategy {
  if (given === undefined) return RANKING.strategy;
  const [, meant] = Object.entries(ANCESTORS).find(([name]) => name === given) ?? [];
  const found = STRATEGY_NAMES.find((name) => name === (meant ?? given));
  if (found === undefined)
    throw new TidemarkError(
      "config",
      `ranking.strategy must be one of ${STRATEGY_NAMES.join(", ")}, got ${JSON.stringify(given) ?? typeof given}.`,
    );
  return found;
}
