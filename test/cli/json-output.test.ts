import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { json } from "../../src/cli/render/layout.ts";
import { openTidemark } from "../../src/index.ts";
import { executeHere } from "../support/cli-here.ts";
import { fileFolder } from "../support/afterwards.ts";
import { anyCharacter } from "../support/any-character.ts";

const workspace = fileFolder();

/** Controls and what is not seen, line ends of the layout aside. */
const RAW = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const HOSTILE =
  "\u001b[2J\u009b31m\u202etxt.exe\u202c\u2066in\u2069\u200b\ufeff\u061c\u2028\u{e0041}\u007f";

describe("JSON on the command line", () => {
  it("reads the same to a program, whatever text is in it, and holds nothing a terminal obeys", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: anyCharacter }), (value, text) => {
        const given = { value, [text]: `${text}${HOSTILE}` };
        for (const indent of [undefined, 2]) {
          const shown = json(given, indent);
          expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(given)));
          expect(shown).not.toMatch(RAW);
        }
      }),
    );
  });

  it("is so wherever somebody else's words are shown", async () => {
    const tidemark = await openTidemark({ workspace });
    await tidemark.memory.save({
      content: `The harbour fee is 12 euro ${HOSTILE}.`,
      key: "fee\u202e",
    });
    await tidemark.close();
    for (const line of [
      ["recall", "harbour fee", "--json"],
      ["search", "harbour fee", "--json"],
      ["stats", "--json"],
      ["folds", "--json"],
    ]) {
      const { code, out } = await executeHere([...line, "--workspace", workspace]);
      expect(code, line.join(" ")).toBe(0);
      expect(() => JSON.parse(out) as unknown, line.join(" ")).not.toThrow();
      expect(out, line.join(" ")).not.toMatch(RAW);
    }
    const { out } = await executeHere(["list", "--json", "--workspace", workspace]);
    expect((JSON.parse(out) as { content: string }[])[0]?.content).toContain("\u202etxt.exe");
  });

  it("is made in one place", () => {
    const folder = fileURLToPath(new URL("../../src/cli", import.meta.url));
    const verbs = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".ts"),
    );
    const raw = verbs.filter((name) =>
      /(?:say|write)\(JSON\.stringify/.test(readFileSync(join(folder, name), "utf8")),
    );
    expect(raw).toEqual([]);
  });

  it("is not undone by an error that repeats what was typed", async () => {
    const { code, all: out } = await executeHere([`\u001b[2J\u202eevil`]);
    expect(code).toBe(2);
    expect(out).not.toMatch(RAW);
  });
});
