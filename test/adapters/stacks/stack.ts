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

const TOLD = /(?:Turn|Read both) (\d+): my boat/g;
/**
 * A distiller's answer: a fact of each turn that the instruction writes out, or that stands before
 * it; what an API's items are as messages is not counted here, such a fact cites the first.
 */
export function distilled(ask: string, before: unknown): string {
  const [, first = "1"] = /^Facts: from messages (\d+)/m.exec(ask) ?? [];
  const written = [...ask.matchAll(/^\[#(\d+) [^]*?(?=^\[#|<\/tidemark-transcript>)/gm)];
  const told = written.length > 0 ? written : [[JSON.stringify(before), first]];
  const facts = told.flatMap(([text = "", ordinal]) =>
    [...text.matchAll(TOLD)].map(([, turn]) => ({
      content: `The user's landing ${turn} was at pier ${turn}.`,
      ...{ from: [Number(ordinal)], importance: 0.8 },
    })),
  );
  const summary = "The user told of a boat called Zephyrine, and of the pier.";
  return JSON.stringify({ facts, summary });
}
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
