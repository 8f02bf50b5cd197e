import { cleaned } from "../../text/cut.ts";
import { fence } from "../../text/fence.ts";
import { withoutComments, withoutFrontMatter } from "../../text/markdown.ts";
import { failed, oneOf, string, tool } from "../../tools/tool.ts";
import { headOf, markless, withHead } from "../../workspace/pages/memory-page.ts";
import { preferenceWords } from "../../workspace/pages/preferences-part.ts";
import type { ToolGround, Tools } from "./memory-tools.ts";
import { mask } from "../../secrets/mask.ts";

/**
 * A block's file, and how many characters it may have: as many as its section of the prompt shows.
 */
const BLOCKS = {
  user: { file: "USER.md", longest: 4_000 },
  memory: { file: "MEMORY.md", longest: 8_000 },
} as const;
const MOST_CHARACTERS = 2_000;
const DONE = "Done. The copy in the system text changes with the next conversation or summary.";
const LONG = failed("that would make the block too long; shorten or replace some of it first.");
const UNLIKE = failed(
  "old does not occur exactly once in the block; read it with core_memory_view.",
);
const KEPT = failed("what the user prefers, and whether it holds, is the user's to change.");

const block = oneOf(
  '"user": about the person. "memory": all else that must stay in view.',
  "user",
  "memory",
);

/**
 * Tools over the notes an agent keeps in view, few and curated: with the person it talks to, if one
 * is named, else its own.
 */
export function coreTools({ core, who }: ToolGround): Tools {
  const written = (text: string): string => markless(cleaned(mask(text)));

  /** Answers what became of it. */
  async function change(
    name: keyof typeof BLOCKS,
    made: (before: string) => string | undefined,
  ): Promise<string> {
    const { file: page, longest } = BLOCKS[name];
    const scope = (await who()).learns;
    let answer = DONE;
    const edited = (file: string): string | undefined => {
      const before = name === "user" ? file : headOf(file);
      const after = made(before);
      if (after === undefined) answer = UNLIKE;
      else if (name === "user" && preferenceWords(after) !== preferenceWords(file)) answer = KEPT;
      // A text that is too long may still be shortened.
      else if (lengthShown(after) > longest && lengthShown(after) >= lengthShown(before))
        answer = LONG;
      else if (name === "memory") return withHead(file, after);
      else return after.endsWith("\n") ? after : `${after}\n`;
      return undefined;
    };
    await core.workspace.edit(page, edited, scope);
    if (name === "memory" && answer === DONE) await core.views.take(scope, "agent");
    return answer;
  }

  return {
    core_memory_view: tool({
      description: "Read the notes that stand in your system text, as they are now.",
      takes: { block },
      async work({ block: name }) {
        const found = (await core.workspace.prompt([(await who()).learns]))[name];
        return found.trim() === "" ? "The block is empty." : fence(name, found);
      },
    }),
    core_memory_append: tool({
      description:
        "Add a line to the notes that stand in your system text. Only what matters in " +
        "every conversation; all else goes to memory_save.",
      takes: { block, text: string("The line or lines to add.", MOST_CHARACTERS) },
      async work({ block: name, text }) {
        const line = written(text);
        return change(name, (before) =>
          before.trim() === "" ? line : `${before.trimEnd()}\n${line}`,
        );
      },
    }),
    core_memory_replace: tool({
      description:
        "Replace a passage of the notes that stand in your system text; an empty text removes it.",
      takes: {
        block,
        old: string(
          "The passage as it stands, word for word; it must occur once.",
          MOST_CHARACTERS,
        ),
        text: string("What is to stand there.", MOST_CHARACTERS, 0),
      },
      async work({ block: name, old, text }) {
        const line = written(text);
        return change(name, (before) => {
          const at = before.indexOf(old);
          // A mark of the file's own is no text to replace.
          return at < 0 || before.lastIndexOf(old) !== at || markless(old) !== old
            ? undefined
            : before.slice(0, at) + line + before.slice(at + old.length);
        });
      },
    }),
  };
}

const lengthShown = (text: string): number => withoutComments(withoutFrontMatter(text)).length;
