import { type ErrorCode } from "./errors.ts";

/** What happened, as plain objects: counts, ids, sizes; nobody's words, since events end up in logs. The library prints nothing; stats, tests and traces all listen. */
export type TidemarkEvent =
  | { type: "flushed"; session: string; messages: number; facts: number }
  | { type: "folded"; id: string; messages: number; before: number; after: number }
  | { type: "fold-refused"; reason: string }
  | { type: "shortened"; messages: number; before: number; after: number }
  | {
      type: "distilled";
      session: string;
      by: "model" | "extractive";
      facts: number;
      ms: number;
      refused?: { [why: string]: number };
    }
  | { type: "distil-failed"; session: string; error: string; code?: ErrorCode }
  | { type: "queued"; session: string; messages: number }
  | { type: "waited"; session: string; ms: number; why: string }
  | { type: "budget-spent"; session: string; of: "hour" | "session"; spent: number; budget: number }
  | { type: "notice"; about: string; text: string }
  | { type: "saved"; id: string; scope: string }
  | { type: "reconciled"; scope: string; changed: number; forgotten: number }
  | {
      type: "recalled";
      characters: number;
      hits: number;
      ms: number;
      session?: string;
      tokens?: number;
    }
  | { type: "injected"; session: string; sections: { section: string; tokens: number }[] }
  | { type: "overflow-recovered"; before: number; after: number }
  | { type: "window-guessed"; model: string; tokens: number }
  | { type: "thinking-dropped"; session: string; messages: number }
  | { type: "thinking-refused"; session: string; error: string }
  | { type: "passed"; reason: string }
  | { type: "words-only"; reason: string }
  | { type: "learned"; what: "error" | "correction"; tool?: string; characters: number }
  | { type: "degraded"; where: string; error: string; code?: ErrorCode };

export type Listen = (event: TidemarkEvent) => void;
