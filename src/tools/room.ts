import { type Stretch } from "../history/archive.ts";
import { type Hit, type Memory } from "../model/memory.ts";

export type { Stretch } from "../history/archive.ts";

export type Place = "memory" | "files" | "history";
export type Block = "user" | "memory";

/** What the tools need, for one identity: its scopes are settled here, and no argument of a model's can widen them. */
export interface ToolRoom {
  search(
    query: string,
    options: { in?: readonly Place[]; category?: string; limit: number },
  ): Promise<readonly Hit[]>;
  save(memory: { content: string; category?: string; key?: string }): Promise<Memory>;
  forget(which: { id: string } | { key: string }): Promise<number>;
  list(options: { category?: string; limit: number }): Promise<readonly Memory[]>;
  /** The messages a summary stands for, or of a whole conversation; undefined where there is no such thing in sight. */
  read(which: { summary: string } | { conversation: string }): Promise<Stretch | undefined>;
  /** USER.md and the head of MEMORY.md; absent where the agent may not edit them. */
  readonly core?: CoreBlocks;
}

export interface CoreBlocks {
  view(block: Block): Promise<string>;
  /** "long" and "unlike": nothing was written. */
  append(block: Block, text: string): Promise<"done" | "long">;
  replace(block: Block, change: { old: string; text: string }): Promise<"done" | "long" | "unlike">;
}
