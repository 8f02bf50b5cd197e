import type { Tidemark } from "../../../src/index.ts";
import { prose } from "../../support/anthropic.ts";

export type Json = Record<string, unknown>;
export interface Api {
  readonly url: string;
  readonly requests: readonly Json[];
  readonly refusals: readonly string[];
}
export interface ServerOptions {
  readonly window?: number;
  readonly fails?: (count: number) => number | "cut" | undefined;
}
export interface Way {
  readonly stream?: boolean;
  readonly signal?: AbortSignal;
  readonly user?: string;
}
/** A conversation as a program of that stack keeps it. */
export interface Talk {
  readonly history: unknown[];
  say(words: string, way?: Way): Promise<unknown>;
}
export interface Stack {
  readonly name: string;
  readonly serve: (options?: ServerOptions) => Promise<Api & { close(): Promise<void> }>;
  readonly talk: (api: Api, tidemark: Tidemark | undefined, history?: unknown[]) => Talk;
}

/** Whoever is named; of "?" nobody can tell. */
export function userOf(named: unknown): { user: string } {
  if (named === "?") throw new Error("who is it?");
  return { user: String(named ?? "nobody") };
}

/** A distiller's answer. */
export const DISTILLED = JSON.stringify({
  facts: [{ content: "The user's boat is called Zephyrine.", from: [1], importance: 0.8 }],
  summary: "The user told of a boat called Zephyrine, and of the pier.",
});
export const asksToDistil = (words: string): boolean => words.includes("[tidemark] distil");
export const PARAMETERS = {
  type: "object" as const,
  properties: { path: { type: "string" as const } },
  required: ["path"],
  additionalProperties: false,
};
export const read = (path: string): string => `Of ${path}: ${prose(40, path.length)}`;

let calls = 0;
export const nextCall = (): number => calls++;
/** The same names of calls once more. */
export const resetCalls = (): void => void (calls = 0);
