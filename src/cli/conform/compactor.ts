import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { reasonOf } from "../../model/errors.ts";
import { isDict } from "../../model/guards.ts";
import { type Message } from "../../model/request.ts";
import { estimateTokens } from "../../tokens/estimate.ts";
import { Failure } from "../failure.ts";
import { answers } from "./canary.ts";
import { allText, isSound, type Survived } from "./judge.ts";
import { PLANTED, REPLY, type Trial } from "./ours.ts";

type Compact = (messages: Message[], about: { readonly limit: number; readonly countTokens: (messages: readonly Message[]) => number }) => unknown;

/** Share of the limit at which the messages are given to the compactor: where Tidemark folds. */
const COMPACT_AT = 0.7;
const HANG_MS = 60_000;
/** Tokens of a message beside its words. */
const FRAME = 4;

const countTokens = (messages: readonly Message[]): number => messages.reduce((sum, message) => sum + FRAME + estimateTokens(allText(message["content"])), 0);

/** The function of a module: its default export, or the one called "compact". */
export async function compactorOf(file: string): Promise<Compact> {
  const path = resolve(file);
  if (!existsSync(path) || !statSync(path).isFile()) throw new Failure(`${file} is no file; --compactor takes a JavaScript module such as ./compactor.mjs.`);
  const module = await import(pathToFileURL(path).href).catch((thrown: unknown) => {
    throw new Failure(`${file} cannot be loaded as a module: ${firstLine(thrown)}`);
  }) as { default?: unknown; compact?: unknown };
  const found = [module.default, module.compact].find((one) => typeof one === "function");
  if (found === undefined) throw new Failure(`${file} exports no compactor; it needs a default export, or one called "compact", that takes messages and returns messages.`);
  return found as Compact;
}

/** Plants the canaries in a conversation whose owner replaces its messages by what the compactor makes of them. */
export async function throughCompactor({ canaries, filler, folds, window, progress }: Trial, { file, compact }: { file: string; compact: Compact }): Promise<Survived> {
  const limit = window - REPLY;
  const seen = { folds: 0, before: 0, after: 0, invalid: 0 };
  let messages: Message[] = [];
  let early = false;
  let planting = true;
  const tell = async (exchange: readonly Message[]): Promise<void> => {
    for (const message of exchange) {
      messages.push(message);
      if (message.role !== "user" || countTokens(messages) <= COMPACT_AT * limit || seen.folds >= folds) continue;
      const before = countTokens(messages);
      messages = await made(file, seen.folds + 1, compact, messages, limit);
      seen.folds += 1;
      seen.before += before;
      seen.after += countTokens(messages);
      if (!isSound(messages)) seen.invalid += 1;
      early ||= planting;
      progress?.(seen.folds);
    }
  };
  for (const { messages: exchange } of canaries) {
    await tell(exchange);
    if (countTokens(messages) < PLANTED * limit) await tell(filler());
  }
  planting = false;
  // A compactor that makes nothing smaller is asked again and again, until the window is full.
  while (seen.folds < folds && countTokens(messages) <= window) await tell(filler());
  const text = allText(messages);
  const mean = (sum: number): number => sum / Math.max(1, seen.folds);
  return { folds: seen.folds, before: mean(seen.before), after: mean(seen.after), invalid: seen.invalid, early, inPrompt: canaries.map((canary) => answers(text, canary)) };
}

async function made(file: string, fold: number, compact: Compact, messages: readonly Message[], limit: number): Promise<Message[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Failure(`${file} did not answer within ${HANG_MS / 1000} s at fold ${fold}.`)), HANG_MS);
  });
  try {
    const result: unknown = await Promise.race([Promise.resolve(compact(structuredClone([...messages]), { limit, countTokens })), late]);
    if (!Array.isArray(result) || !result.every((one) => isDict(one) && typeof one["role"] === "string"))
      throw new Failure(`${file} returned ${Array.isArray(result) ? "a list with something that is no message" : result === null ? "null" : `a value of type ${typeof result}`} at fold ${fold}; it must return a list of { role, content }.`);
    return [...(result as Message[])];
  } catch (thrown) {
    throw thrown instanceof Failure ? thrown : new Failure(`${file} failed at fold ${fold}: ${firstLine(thrown)}`);
  } finally {
    clearTimeout(timer);
  }
}

const firstLine = (thrown: unknown): string => reasonOf(thrown).trim().split("\n")[0] ?? "";
