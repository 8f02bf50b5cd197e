import type { Dict, lru } from "../../core/base.ts";
import { refuse } from "../../core/errors-and-events.ts";
import type { Identity } from "../../core/identity.ts";
import type { Memory } from "../../core/memory.ts";
import type { Task, Tidemark } from "../../session/options/tidemark-api.ts";

/** A caller may do this beside reading what is its identity's. */
export interface Rights {
  /** Change what is there. Default true. */
  readonly write?: boolean;
  /** Ask for other users, and hear all that this process does. Default false. */
  readonly host?: boolean;
}

export interface ApiAsked {
  /** The view of the identity that asks. */
  readonly tidemark: Tidemark;
  readonly identity: Identity;
  readonly rights: Required<Rights>;
  /** The version or digest that a change was made on. */
  readonly ifMatch: string | undefined;
  /** The identity's key. */
  readonly root: string;
  /** Tasks under way in this process, by the key of their identity and their ids. */
  readonly tasks: ReturnType<typeof lru<string, Task>>;
}

/** A route refuses by itself; `current` is what stands there now. */
export class Refusal extends Error {
  readonly code: string;
  readonly current: unknown;
  constructor(code: string, message: string, current?: unknown) {
    super(message);
    this.code = code;
    this.current = current;
  }
}

/** Throws 412 where a change was made on another version than the one that stands. */
export function checkMatch({ ifMatch }: ApiAsked, version: unknown, current: unknown): void {
  if (ifMatch !== undefined && ifMatch !== String(version))
    throw new Refusal("precondition", "Somebody changed it meanwhile: see current.", current);
}

/** Changes a memory where the version that the caller has read still stands. */
async function atVersion<T>(
  asked: ApiAsked,
  id: string,
  change: (how: { version?: number }) => Promise<T>,
): Promise<T | undefined> {
  const read = async (): Promise<Memory | undefined> => {
    const memory = await asked.tidemark.memory.get(id);
    if (memory) checkMatch(asked, memory.version, memory);
    return memory;
  };
  const memory = await read();
  if (memory === undefined) return undefined;
  const how = asked.ifMatch === undefined ? {} : { version: memory.version };
  // Another may have been faster between the two.
  return change(how).catch((thrown: unknown) => read().then(() => Promise.reject(thrown)));
}

interface Paging {
  readonly limit?: number;
  readonly after?: string;
}
interface Listed {
  readonly id?: string;
  readonly name?: string;
  readonly path?: string;
}

const cursorOf = ({ id, path, name }: Listed): string =>
  Buffer.from(String(id ?? path ?? name)).toString("base64url");

/** A stretch of a list behind a cursor, which names the last one seen. */
export function paged<T extends Listed>(all: readonly T[], { limit = 100, after }: Paging) {
  const last = after === undefined ? -1 : all.findIndex((one) => cursorOf(one) === after);
  if (after !== undefined && last < 0)
    refuse('"after" is no cursor of this list, or what it named is gone: ask from the start.');
  const items = all.slice(last + 1, last + 1 + limit);
  const next = all.length > last + 1 + limit ? items.at(-1) : undefined;
  return { items, after: next && cursorOf(next) };
}

/** Calls a method of the view as a line of the table says it. */
export async function answerOf(asked: ApiAsked, input: Dict, answer: string): Promise<unknown> {
  const [method = "", ...names] = answer.split(" ");
  const [name = "", part] = method.split(".").reverse();
  const owner = part === undefined ? asked.tidemark : Reflect.get(asked.tidemark, part);
  const rest = Object.entries(input).filter(([member]) => !names.includes(member));
  const call = async (how?: object): Promise<unknown> => {
    const members: Dict = { ...input, "*": Object.fromEntries(rest), if: how };
    return Reflect.get(owner, name)(...names.map((one) => members[one]));
  };
  return names.includes("if") ? atVersion(asked, String(input.id), call) : call();
}
