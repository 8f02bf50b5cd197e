import { type Scope } from "../../model/identity.ts";
import { cleaned } from "../../text/cut.ts";
import { withoutFrontMatter } from "../../text/markdown.ts";
import { type Block, type CoreBlocks } from "../../tools/tools.ts";
import { headOf, markless, plain, withHead } from "../../workspace/memory-head.ts";
import { type Core, type Who } from "../core.ts";
import { showOnPages } from "../keep/pages.ts";

/** Characters of a block: as many as its section of the prompt shows. */
const LONGEST: Readonly<Record<Block, number>> = { user: 4_000, memory: 8_000 };
const FILES = { user: "USER.md", memory: "MEMORY.md" } as const;

/** What of a file is the block, and the file with another block in it. */
const PARTS: Readonly<
  Record<Block, { of: (file: string) => string; with: (file: string, block: string) => string }>
> = {
  user: {
    of: (file) => file,
    with: (_file, block) => (block.endsWith("\n") ? block : `${block}\n`),
  },
  memory: { of: headOf, with: withHead },
};

/** The notes an agent keeps in view: with the person it talks to, if one is named, else its own (design §7). */
export function coreBlocks(core: Core, open: () => Promise<Who>): CoreBlocks {
  const written = async (text: string): Promise<string> =>
    markless(cleaned((await core.mask())(text)));

  async function change(
    block: Block,
    made: (before: string) => string | undefined,
  ): Promise<"done" | "long" | "unlike"> {
    const scope: Scope = (await open()).learns;
    let outcome: "done" | "long" | "unlike" = "done";
    await core.workspace.edit(
      FILES[block],
      (file) => {
        const before = PARTS[block].of(file);
        const after = made(before);
        if (after === undefined) outcome = "unlike";
        // What is too long may still be shortened.
        else if (shown(after) > LONGEST[block] && shown(after) >= shown(before)) outcome = "long";
        else return PARTS[block].with(file, after);
        return undefined;
      },
      scope,
    );
    if (block === "memory" && outcome === "done")
      await showOnPages(core, [scope], { origin: "agent" });
    return outcome;
  }

  return {
    async view(block) {
      const texts = await core.workspace.prompt([(await open()).learns]);
      return texts[block];
    },
    async append(block, text) {
      const line = await written(text);
      return (await change(block, (before) =>
        before.trim() === "" ? line : `${before.trimEnd()}\n${line}`,
      )) === "done"
        ? "done"
        : "long";
    },
    async replace(block, { old, text }) {
      const line = await written(text);
      return change(block, (before) => {
        const at = before.indexOf(old);
        // A mark of the file's own is nobody's text to replace.
        if (at < 0 || before.indexOf(old, at + 1) >= 0 || markless(old) !== old) return undefined;
        return before.slice(0, at) + line + before.slice(at + old.length);
      });
    },
  };
}

const shown = (text: string): number => plain(withoutFrontMatter(text)).length;
