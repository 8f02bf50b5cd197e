import { statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Message } from "../../model/request.ts";
import { Failure, firstLine } from "../input/failure.ts";
import { countTokens } from "./canary.ts";

/** What a user's module exports; it may answer at once or later. */
type Compact = (
  messages: Message[],
  about: { readonly limit: number; readonly countTokens: (messages: readonly Message[]) => number },
) => unknown;

/** What a compactor makes of the messages at its n-th fold; rejects with a Failure that names the module, the fold and what was wrong. */
export type Fold = (
  messages: readonly Message[],
  about: { readonly fold: number; readonly limit: number },
) => Promise<Message[]>;

/** The function of a module: its default export, or the one called "compact". */
export async function compactorOf(file: string): Promise<Fold> {
  const path = resolve(file);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new Failure(
      `${file} is no file; --compactor takes a JavaScript module such as ./compactor.mjs.`,
    );
  const told =
    (where: string) =>
    (thrown: unknown): never => {
      throw new Failure(`${file} ${where}: ${firstLine(thrown)}`);
    };
  const module = await (
    import(pathToFileURL(path).href) as Promise<Readonly<Record<string, unknown>>>
  ).catch(told("cannot be loaded as a module"));
  // A CommonJS module stands as a whole where a default export would: what a compiler wrote of one is inside.
  const inner = (module.default ?? {}) as typeof module;
  const compact = [module.default, module.compact, inner.default, inner.compact].find(
    (one): one is Compact => typeof one === "function",
  );
  if (compact === undefined)
    throw new Failure(
      `${file} exports no compactor; it needs a default export, or one called "compact", that takes messages and returns messages.`,
    );
  return async (messages, { fold, limit }) => {
    try {
      const result: unknown = await compact([...messages], { limit, countTokens });
      if (!isMessages(result))
        throw new Error(
          `it returned ${kindOf(result)}; it must return a list of { role, content }.`,
        );
      // As it would be sent.
      return JSON.parse(JSON.stringify(result)) as Message[];
    } catch (thrown) {
      return told(`failed at fold ${fold}`)(thrown);
    }
  };
}

const isMessages = (result: unknown): result is Message[] =>
  Array.isArray(result) &&
  result.every((one) => typeof (one as Partial<Message> | null)?.role === "string");

const kindOf = (result: unknown): string => {
  if (Array.isArray(result)) return "a list with something that is no message";
  return result === null ? "null" : `a value of type ${typeof result}`;
};
