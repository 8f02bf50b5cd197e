import type { Call, Kept, Settings, Weighing } from "../../src/session/ports.ts";
import { capabilitiesOf } from "../../src/providers/common/models.ts";
import type { Dialect } from "../../src/providers/common/dialect.ts";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import { openaiChat } from "../../src/providers/openai/chat.ts";
import type { Fold, Pin, SessionState } from "../../src/core/history.ts";
import type { Format, Message, ProviderRequest } from "../../src/core/request.ts";
import { foldText, type Outlook, planAt } from "../../src/compaction/plan-question.ts";
import { createMeasure } from "../../src/session/count-tokens.ts";
import type { Placed } from "../../src/conversations/sessions.ts";
import { outgoingOf, type Outgoing } from "../../src/session/outgoing-request.ts";
import {
  marksOf,
  whyUnworthy,
  type WindowOptions,
} from "../../src/session/options/save-and-fold-marks.ts";
import type { FoldPlan } from "../../src/compaction/plan-at-brim.ts";
import { boundsWith } from "../../src/compaction/commit.ts";

export interface Situation {
  readonly format: Format;
  readonly request: ProviderRequest;
  readonly limit: number;
  readonly window?: WindowOptions;
  readonly state?: SessionState;
  readonly pins?: readonly Pin[];
  /** Sections that would stand after the system text once folded. */
  readonly frozen?: string;
  readonly fold?: Fold;
}

/** The pure half of a fold: a request as it stands in a session, what would be done to it, and what it would be then. */
export interface Pure {
  readonly dialect: Dialect;
  readonly conversation: readonly Message[];
  readonly outgoing: Outgoing;
  /** At the brim; with a summary: a fold of the messages before `upTo` below it. */
  plan(how?: { summary: string; upTo: number }): FoldPlan;
  /** The request after a plan, with this summary. */
  after(plan: Act, summary: string): Outgoing;
  /** The same request as its session would stand after a plan. */
  next(plan: Act, summary: string): Pure;
}

type Act = Exclude<FoldPlan, { kind: "refuse" }>;

export function pureFold(situation: Situation): Pure {
  const {
    format,
    request,
    limit,
    window = {},
    state = {},
    pins = [],
    frozen = "",
    fold,
  } = situation;
  const dialect = format === "anthropic" ? anthropic : openaiChat;
  // What is pure needs of the open workspace only what counts, binds and decides, and how messages are kept.
  const core = {
    options: {},
    distil: {},
    inject: "context",
    marks: marksOf(window),
    measure: createMeasure(),
    history: { keeps: { keep: "verbatim" } },
  } as unknown as Kept & Settings & Weighing;
  const can = capabilitiesOf(String(request.model));
  const preamble = dialect.preamble(request.messages);
  const conversation = request.messages.slice(preamble);
  const call = {
    dialect,
    request,
    preamble,
    conversation,
    model: String(request.model),
    window: limit,
    limit,
    can,
    binds: can.boundThinking,
  } as unknown as Call;
  const weights = conversation.map((message) => core.measure.weigh(dialect, message));
  const placed = {
    session: {
      id: "s",
      root: "r",
      imported: false,
      at: 0,
      updatedAt: 0,
      confirmed: 0,
      watermark: 0,
      noted: 0,
      revision: 0,
      state,
    },
    entries: [],
    folds: fold ? [fold] : [],
    positions: conversation.map((_, index) => index),
    added: 0,
    tokens: () => weights.reduce((sum, weight) => sum + weight, 0),
    weight: (index: number) => weights[index] ?? 0,
  } as unknown as Placed;
  const outgoing = outgoingOf(core, { ...call, ...placed });
  const outlook: Outlook = { pins, frozen: { text: frozen, sections: [] } };
  const changed = (plan: Act, summary: string): { fold?: Fold; state: SessionState } => {
    const shortened = boundsWith(plan.shorten, placed.positions, { known: state.shortened });
    if (plan.kind === "shorten") return { state: { shortened } };
    const text = foldText(core, call, { id: "f", messages: plan.cut, summary, outlook });
    const made: Fold = {
      id: "f",
      upTo: plan.cut,
      text,
      summary,
      messages: plan.cut,
      before: outgoing.level.used,
      after: 0,
      at: 0,
    };
    return { fold: made, state: { shortened, frozen: { text: frozen, sections: [] } } };
  };
  const after = (plan: Act, summary: string): Outgoing =>
    outgoingOf(core, outgoing, changed(plan, summary));
  return {
    dialect,
    conversation,
    outgoing,
    plan(ready) {
      if (ready === undefined) return planAt(core, outgoing, outlook);
      const { summary, upTo } = ready;
      const made = { kind: "fold", cut: upTo, shorten: new Map() } as const;
      const { used } = outgoing.level;
      const landing = after({ ...made, landing: 0 }, summary).level.used;
      const reason = whyUnworthy({ used, landing, limit, landed: fold?.after }, false);
      return reason === undefined ? { ...made, landing } : { kind: "refuse", reason };
    },
    after,
    next: (plan, summary) => {
      const { fold: made, state: then } = changed(plan, summary);
      return pureFold({
        ...situation,
        state: { ...state, ...then },
        ...(made ? { fold: { ...made, after: after(plan, summary).level.used } } : {}),
      });
    },
  };
}
