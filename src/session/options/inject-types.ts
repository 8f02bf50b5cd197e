import type { Identity } from "../../core/identity.ts";
import type { MemoryTool } from "../../core/tool-names.ts";

export type InjectAs = "context" | "tools" | "self-edit";

/** What enters the system text in the place of facts, by a program of the host's. */
export interface InjectStrategy {
  /** Letters, digits and "-": the section is called `host-NAME`. */
  readonly name: string;
  /**
   * Asked as an epoch begins, with the user's last words: a text of at most `tokens`, of which more
   * is cut, or nothing. What throws or is later than `window.patience` is done without, and asked
   * again with the next turn.
   */
  readonly prepare: (asked: {
    readonly identity: Identity;
    readonly query: string;
    readonly tokens: number;
  }) => string | undefined | Promise<string | undefined>;
  /** They stand behind Tidemark's own in `tools()`. */
  readonly tools?: () => readonly MemoryTool[];
}
