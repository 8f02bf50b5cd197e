import type { ModelOverrides } from "../../dialect/models/capabilities.ts";
import type { StrategyName } from "../../memory/recalling/rank.ts";
import type { Lifetimes } from "../../memory/saving/lifetimes.ts";
import type { Keep } from "../../model/history.ts";
import type { DistilFunction } from "../../model/ports.ts";
import type { ThinkingOption } from "../../model/request.ts";

export interface AdvancedOptions {
  /**
   * Tokens that calls behind the conversations may read and write in an hour; beyond it the
   * extractive distiller does the work. Default 20,000,000; false: all they need.
   */
  budget?: number | false;
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
}

export interface DistilOptions {
  /** Another model of the same client, a cheaper one say. */
  model?: string;
  /** Your own words on what matters. */
  instructions?: string;
  complete?: DistilFunction;
  /** Conversations below the marks are read by the model at `close` already, not at rest. */
  atClose?: "model";
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
   * those with none. Default: each its own.
   */
  share?: "project";
}

export interface TurnRecallOptions {
  tokens?: number;
  /** 0…1, on the scale of a hit's score. */
  minScore?: number;
}
