import fc from "fast-check";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, type Options } from "prettier";
import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { freshFolder, NOON } from "../support/workspace.ts";
import { runs } from "../support/runs.ts";

const WORDS = [
  "alpha beta gamma delta epsilon harbour window invoice supplier".split(" "),
  "__init__ _emph_ *bold* **strong** ***both*** snake_case a_b_c *.ts * _ \\ \\d+ C:\\_tmp".split(
    " ",
  ),
  "`code` `a__b` <b>bold</b> <T> [link](https://example.org/a_b) https://example.org/x_y?z=1".split(
    " ",
  ),
  "| # + - > 1. 2) = === --- ! [ ] [x] [^1] {{x}} $$ && & &amp; < <div>".split(" "),
  ["今天天气很好", "公园", "don't", '"said"', "…", "—", "Ümlaut", "🐱", "5*3=15", "2026.", ":"],
].flat();
const fact = fc
  .tuple(
    fc.constantFrom("", "", "", "``` ", "~~~ "),
    fc.array(fc.constantFrom(...WORDS), { minLength: 3, maxLength: 30 }),
  )
  .map(([opening, words]) => opening + words.join(" "));
const facts = fc.uniqueArray(fact, { minLength: 1, maxLength: 8 });

const prettier =
  (options: Options) =>
  (text: string): Promise<string> =>
    format(text, { parser: "markdown", ...options });
const rows = (change: (row: string) => string) => (text: string) =>
  text.split("\n").map(change).join("\n");
/** What formatters, linters and editors do to a page in which nobody has edited a word. */
const FORMATTERS: Record<string, (text: string) => string | Promise<string>> = {
  "Prettier, wrapping at 80": prettier({ proseWrap: "always", printWidth: 80 }),
  "Prettier, wrapping at 40": prettier({ proseWrap: "always", printWidth: 40 }),
  "Prettier, unwrapping, with tabs": prettier({ proseWrap: "never", useTabs: true, tabWidth: 4 }),
  "line ends of Windows": (text) => text.replaceAll("\n", "\r\n"),
  "a byte order mark": (text) => `\ufeff${text}`,
  "blanks at line ends": rows((row) => `${row}  `),
  "no end of the last line": (text) => text.trimEnd(),
  "more ends of it": (text) => `${text}\n\n`,
  "stars for bullets": rows((row) => row.replace(/^- /, "* ")),
  boxes: rows((row) => row.replace(/^- /, "- [ ] ")),
  numbers: rows((row) => row.replace(/^- /, "1. ")),
  "indented lists": rows((row) => row.replace(/^- /, "   -   ")),
  "escapes of a rich editor": rows((row) =>
    row.startsWith("- ")
      ? row.replace(
          /^(- )(.*)( <!--)/,
          (_, start, text: string, end) =>
            `${String(start)}${text.replace(/[_*[\]]/g, "\\$&")}${String(end)}`,
        )
      : row,
  ),
};

const open = (workspace: string) =>
  openTidemark({ workspace, distil: "extractive", embed: false, now: () => NOON });

async function remembering(contents: readonly string[]) {
  const workspace = freshFolder();
  const tidemark = await open(workspace);
  for (const content of contents) await tidemark.memory.save({ content, category: "rule" });
  await tidemark.workspace.edit(
    "MEMORY.md",
    (text) =>
      text.replace(
        "<!-- tidemark:head -->",
        "$&\nMy own words, *which* stay.\n\n* one\n* two\n\n|a|b|\n|--|:-:|\n|long cell|x|",
      ),
    "agent:default",
  );
  const path = join(workspace, "MEMORY.md");
  const page = () => readFileSync(path, "utf8");
  const all = async () =>
    (await tidemark.memory.list({ limit: 1_000 }))
      .map(({ id, content, version }) => ({ id, content, version }))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
  await all();
  return { tidemark, page, all, write: (text: string) => writeFileSync(path, text) };
}

describe("a page that was formatted", () => {
  it.each(Object.entries(FORMATTERS))(
    "by %s holds no edit, and is left as it is; with one word edited it holds one",
    async (_name, formatted) => {
      await fc.assert(
        fc.asyncProperty(facts, fc.nat(), async (contents, at) => {
          const given = contents.with(
            at % contents.length,
            `${contents[at % contents.length]!.slice(0, 100).trim()} Vessel and much more behind it`,
          );
          const { tidemark, page, all, write } = await remembering(given);
          const before = await all();
          const text = await formatted(page());
          write(text);
          expect(await all()).toEqual(before);
          expect(page()).toBe(text);
          // What is saved since is written, and formatting it anew is no edit either.
          await tidemark.memory.save({ content: "A fact that came later." });
          await tidemark.idle();
          const known = await all();
          write((await formatted(page())).replace("Vessel", "Lighthouse"));
          const edited = known.map((one) =>
            one.content.includes("Vessel")
              ? { ...one, content: one.content.replace("Vessel", "Lighthouse"), version: 2 }
              : one,
          );
          expect(await all()).toEqual(edited);
          await tidemark.close();
        }),
        { numRuns: runs(4) },
      );
    },
    60_000,
  );

  it("and written to has one memory of each new line or paragraph, escapes and boxes aside", async () => {
    const { tidemark, page, all, write } = await remembering(["The first fact."]);
    const line =
      "Every report that goes to Harbour Masters in Lisbon names Ines and the Tide Table";
    const paragraph =
      "A boat that comes in after nine in the evening asks the Harbour Master of Porto";
    const text = page().replace(
      "\n<!-- page",
      `\n- [ ] ${line} of the week, with snake\\_case names.\n\n${paragraph} for a berth.\n$&`,
    );
    write(await format(text, { parser: "markdown", proseWrap: "always", printWidth: 80 }));
    expect((await all()).map(({ content }) => content).sort()).toEqual([
      `${paragraph} for a berth.`,
      `${line} of the week, with snake_case names.`,
      "The first fact.",
    ]);
    await tidemark.close();
  });
});
