import { resolve } from "node:path";
import { isDict } from "../../core/base.ts";
import { type Listen, refuse } from "../../core/errors-and-events.ts";
import { checkUser, IDENTITY, LEVELS_GIVEN, type Writers } from "../../core/identity.ts";
import type { DistilFunction, Embedder } from "../../core/request.ts";
import { dayIn } from "../../core/memory.ts";
import * as s from "../../core/schema.ts";
import { ANCESTORS, STRATEGY_NAMES, type StrategyName } from "../../memory/recalling/rank.ts";
import { LIFETIMES } from "../../memory/saving/draft.ts";
import { OVERRIDES } from "../../providers/common/models.ts";
import type { AdvancedOptions, HistoryOptions, Options, ProcedureOptions } from "./tidemark-api.ts";
import type { DistilOptions, TurnRecallOptions } from "./turn-and-option-types.ts";
import type { ConsolidateOptions } from "./consolidate-options.ts";
import type { InjectAs, InjectStrategy } from "./inject-types.ts";
import { WINDOW, type WindowOptions } from "./save-and-fold-marks.ts";

/** The options where each thing is said in one way. */
export interface MeantOptions extends Options {
  readonly window?: WindowOptions;
  readonly recall?: false | TurnRecallOptions;
}

/**
 * A number is the window's tokens, and `true` the defaults; what is wrong, or cannot be read, stays
 * for the check.
 */
export function meantBy(options: Options): MeantOptions {
  if (!isDict(options)) return options as MeantOptions;
  try {
    const { window, inject, recall = inject !== false } = options as Options;
    return {
      ...options,
      ...(typeof window === "number" && { window: { tokens: window } }),
      ...(recall === true && { recall: {} }),
    } as MeantOptions;
  } catch {
    return options as MeantOptions;
  }
}

export const isAddress = (place: string): boolean => /^postgres(?:ql)?:\/\//.test(place);

/** Are pages rows of the store? */
export const hasFileRows = ({ store }: Options): boolean =>
  typeof store === "string" || Reflect.get(Object(store), "files") !== undefined;

/** The workspace's folder; undefined where nothing is to be on disk. */
export const workspaceRoot = ({ workspace = "workspace", store }: Options): string | undefined =>
  workspace === false || hasFileRows({ store }) ? undefined : resolve(workspace);

/** The options of distilling, where they were given as such. */
export const distilOptions = ({ distil }: Options): DistilOptions =>
  isDict(distil) ? (distil as DistilOptions) : {};

const NEVER = s.oneOf(false as const);
const TOKENS = s.is<number>(
  "a whole number of tokens above 0",
  (value) => Number.isInteger(value) && Number(value) > 0,
);
const RANKINGS = [...STRATEGY_NAMES, ...Object.keys(ANCESTORS)] as readonly StrategyName[];

const ADVANCED: s.Given<AdvancedOptions> = {
  budget: s.either("tokens an hour from 0, or false for no bound", NEVER, s.from(0)),
  lifetimes: LIFETIMES,
  models: OVERRIDES,
  ranking: s.oneOf(...RANKINGS),
};

const STRATEGY = s.object<InjectStrategy>({
  name: s.is(
    '1 to 40 letters, digits and "-"',
    (value) => typeof value === "string" && /^[a-z\d-]{1,40}$/i.test(value),
  ),
  prepare: s.callable(),
  tools: s.optional(s.callable()),
});
const ROLES = s.list("a list of roles", s.line(200), 50);

const OPTIONS = s.options<MeantOptions>(
  {
    workspace: s.either("a folder's path, or false for none", NEVER, s.path),
    identity: IDENTITY,
    // The ports in it are looked at where they are opened.
    store: s.anything,
    read: s.anything,
    // No error may repeat it.
    key: s.anything,
    distil: s.either(
      '"extractive", a function or { model, instructions, complete, atClose }',
      s.callable<DistilFunction>(),
      s.oneOf("extractive"),
      s.options<DistilOptions>({
        model: s.text,
        instructions: s.words,
        complete: s.callable(),
        atClose: s.oneOf("model"),
      }),
    ),
    window: WINDOW,
    inject: s.either(
      '"context", "tools", "self-edit", false, or a strategy { name, prepare, tools }',
      s.oneOf<InjectAs | false>("context", "tools", "self-edit", false),
      STRATEGY,
    ),
    injectAs: s.oneOf("system", "user"),
    inferable: s.list("a list of folders", s.path),
    embed: s.either(
      "an embedder such as { dimensions, embed: async (texts) => vectors }, or false for " +
        "words only",
      NEVER,
      s.is<Embedder>("an embedder", (value) => isDict(value) && typeof value.embed === "function"),
    ),
    recall: s.either(
      "true, false, or an object such as { tokens: 600 }",
      NEVER,
      s.options<TurnRecallOptions>({ tokens: TOKENS, minScore: s.share }),
    ),
    cache: s.flag,
    mode: s.oneOf("on", "observe"),
    archive: s.flag,
    writers: s.options<Writers>(
      { core_policy: ROLES, adr: ROLES, convention: ROLES, standard: ROLES, procedure: ROLES },
      'an object such as { adr: ["architect"] }',
    ),
    levels: LEVELS_GIVEN,
    history: s.options<HistoryOptions>(
      { keep: s.oneOf("verbatim", "masked") },
      'an object such as { keep: "masked" }',
    ),
    consolidate: s.options<ConsolidateOptions>(
      {
        every: s.oneOf("hour", "day", "week", "never"),
        keep: s.whole(Infinity, 100),
        model: s.callable(),
      },
      'an object such as { every: "day", keep: 10000 }',
    ),
    procedures: s.options<ProcedureOptions>({ skills: s.path }),
    listen: s.either(
      'a function, "console" or false',
      NEVER,
      s.oneOf("console"),
      s.callable<Listen>(),
    ),
    zone: s.is<string>('a time zone such as "Europe/Berlin"', isZone),
    now: s.callable(),
    advanced: s.options(ADVANCED, 'an object such as { ranking: "linear" }'),
  },
  "an object of options, or nothing",
);

function isZone(value: unknown): boolean {
  try {
    return typeof value === "string" && dayIn(0, value) !== "";
  } catch {
    return false;
  }
}

/** A wrong or unknown option is refused at once, by name. */
export function checkOptions(options: MeantOptions): void {
  s.check(OPTIONS, options, "openTidemark", "option ");
  const { identity, key } = options;
  if (key !== undefined && (typeof key !== "string" || key === ""))
    refuse('openTidemark: option "key" must be a text that is not empty.');
  if (identity !== undefined) checkUser(identity);
}
