import type { Hit } from "../../model/memory.ts";

export interface BriefOptions {
  /** All of it, headings and sources included. Default 1,000. */
  tokens?: number;
  /** "prompt": fenced, for a system text or a message. "snippets": lines alone. "json": an array of { source, score, text, unverified }. */
  format?: "prompt" | "snippets" | "json";
}

export interface Brief {
  /** Empty where nothing is known. */
  readonly text: string;
  readonly tokens: number;
  /** What its lines were made of, in their order. */
  readonly hits: readonly Hit[];
}

export interface TaskInput {
  description: string;
  /** The host's own name of the task: the same id is one task, over restarts too. Default: a new one. */
  id?: string;
  /** What is known to the host beside the description. */
  notes?: string;
  /** A task that is done over and over: it is remembered again only when its outcome changes. */
  repeat?: boolean;
  /** Of the brief. Default 1,000. */
  tokens?: number;
}

/** Is the agent to wake up by itself, and why, or why not. */
export interface Heartbeat {
  readonly due: boolean;
  readonly why: string;
  /** What to wake up with: HEARTBEAT.md, what is open and what was remembered in the last two days, within 4,000 tokens. */
  readonly prompt?: string;
}

/**
 * A task under way. It ends once, whatever process is first: `done` and `failed` answer false where it had ended before, and change
 * nothing then.
 */
export interface Task {
  readonly id: string;
  /** What is known of it; and that it was begun before, where it was and has not ended. */
  readonly brief: Brief;
  note(text: string): Promise<void>;
  done(result?: unknown): Promise<boolean>;
  failed(error: unknown): Promise<boolean>;
}
