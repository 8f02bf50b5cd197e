import type { ErrorCode } from "./errors.ts";

/** A notice is good to know and asks for nothing; its members are its subject and figures. */
type Notice =
  | { about: "waited"; session: string; ms: number }
  | { about: "queued" | "thinking-dropped"; session: string; messages: number }
  | { about: "thinking-refused"; session: string; error: string }
  | { about: "budget-spent"; session: string; spent: number; budget: number }
  | { about: "reconciled"; scope: string; changed: number; forgotten: number }
  | { about: "learned"; what: "error" | "correction"; tool?: string; characters: number }
  | { about: ToldNotice };

/** Notices that a person is told once. */
export type ToldNotice =
  | "adopted"
  | "background-calls"
  | "conversations-alike"
  | "conversations-in-a-row"
  | "cut-by-provider"
  | "no-model"
  | "no-procedures"
  | "turns-not-ended"
  | "usage-untrue"
  | "words-only"
  | "forgotten"
  | "page";

/**
 * What happened, as plain objects: counts, ids, sizes; no words of a conversation, since events end
 * up in logs. The library prints nothing; stats, tests and traces all listen.
 */
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
  | ({ type: "notice"; text: string } & Notice)
  | { type: "saved"; id: string; scope: string }
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
  | { type: "passed"; reason: string }
  | { type: "degraded"; where: string; error: string; code?: ErrorCode };

export type Listen = (event: TidemarkEvent) => void;
/** With the words an event is about: no host's listener is given these. */
export type Emit = (event: TidemarkEvent, words?: string) => void;
