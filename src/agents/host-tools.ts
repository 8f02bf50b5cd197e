import { head } from "../core/text/cut.ts";
import type { MemoryTool } from "../core/tool-names.ts";
import type { Settings } from "../session/ports.ts";

/** Characters to a token. */
const CHARACTERS = 4;

/** Tools of the host's strategy: what they throw, or say at length, is one text too. */
export const hostTools = (
  { strategy }: Pick<Settings, "strategy">,
  tokens: number,
  sentenceFor: (name: string, thrown: unknown) => string,
): MemoryTool[] =>
  (strategy?.tools?.() ?? []).map((given) => ({
    ...given,
    async run(input, asked) {
      try {
        return head(await given.run(input, asked), tokens * CHARACTERS);
      } catch (thrown) {
        asked?.signal?.throwIfAborted();
        return sentenceFor(given.name, thrown);
      }
    },
  }));
