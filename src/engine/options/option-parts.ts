import type { ModelOverrides } from "../../dialect/models/capabilities.ts";
import type { StrategyName } from "../../memory/recalling/rank.ts";
import type { Lifetimes } from "../../memory/saving/lifetimes.ts";
import type { Keep } from "../../model/history.ts";
import type { DistilFunction } from "../../model/ports.ts";
import type { ThinkingOption } from "../../model/request.ts";
import type { BudgetOptions } from "../runtime/budget.ts";
import type { Share } from "../../model/identity.ts";
import type { Timer } from "../runtime/background.ts";

export interface AdvancedOptions {
  /**
   * What calls behind the conversation may read and write; beyond it the extractive distiller does
   * the work. false: all they need.
   */
  budget?: BudgetOptions | false;
  /** How long memories live, by category, kind, source and scope. */
  lifetimes?: Lifetimes;
  /**
   * What models can do where you know better than the table; by a part of the name, `*` for
   * anything.
   */
  models?: ModelOverrides;
  /** How memories are ranked. Default "tidemark". */
  ranking?: StrategyName;
  /**
   * What becomes of thinking a fold would make invalid. Default "auto": left out, or dropped by the
   * provider where it surely can.
   */
  thinking?: ThinkingOption;
  /**
   * Runs work after so many ms unless called off by what it answers. Default: a timer that keeps no
   * process alive.
   */
  timer?: Timer;
}

export interface DistilOptions {
  /** Another model of the same client, a cheaper one say. */
  model?: string;
  /** What matters to you, in your own words. */
  instructions?: string;
  complete?: DistilFunction;
  /**
   * ms without a turn after which what is not yet distilled is, from the flush mark on. Default
   * 270,000; false: never.
   */
  idleAfter?: number | false;
  /**
   * Who reads what was said below the marks. "later": `close` reads it without a model and queues
   * it, and the model reads it once, in a pause or beside the next start. "model": `close` asks for
   * it. "extractive": no model. Default "later".
   */
  atClose?: "later" | "model" | "extractive";
}

export interface ProcedureOptions {
  /**
   * A folder for Agent Skills: a procedure waits in `proposals`, and is written there when it is
   * accepted. Default: none.
   */
  skills?: string;
}

export interface HistoryOptions {
  /**
   * "verbatim": as they come. "masked": without the secrets in them. Default: what this history
   * kept last, "verbatim" at first.
   */
  keep?: Keep;
  /**
   * "project": agents of one project find each other's conversations, those with their own user and
   * those with none. { users: "all" }: those with every user of the project too, without what tools
   * answered. Default: each its own.
   */
  share?: Share;
}

export interface TurnRecallOptions {
  tokens?: number;
  /** 0…1, on the scale of a hit's score. */
  minScore?: number;
}
