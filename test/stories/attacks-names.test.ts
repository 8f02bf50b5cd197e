import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Identity, openTidemark } from "../../src/index.ts";
import { isSentence, thrownBy } from "../support/attacks.ts";
import { freshFolder } from "../support/workspace.ts";

const NOW = Date.UTC(2026, 0, 2, 9);

describe("a name that becomes a path", () => {
  const NAMES = [
    "..",
    ".",
    "../../etc",
    "..\\..\\x",
    "/etc/passwd",
    "C:\\x",
    "con",
    "NUL",
    "com1.txt",
    ".git",
    ".tidemark",
    "scopes",
    "a/b",
    "a\\b",
    "A",
    "ä",
    "a\u0308",
    "%2e%2e",
    "~",
    "x".repeat(200),
    "X".repeat(200),
    "😀".repeat(60),
    "a ",
    "a.",
    "-rf",
    "$(id)",
    "`id`",
    "a\u202eb",
    "a\u200bb",
    '*?<>|"',
  ];
  const REFUSED = ["", "\u0000", "a\u0000b", "a\nb", "x".repeat(300), "\ud800"];

  it("stays in the workspace, is nobody else's, and is refused in one sentence where it cannot be a name", async () => {
    const outer = freshFolder();
    const root = join(outer, "ws");
    const tidemark = await openTidemark({ workspace: root, now: () => NOW });
    const said = new Map<string, string>();
    for (const kind of ["agent", "user", "project", "team"] as const)
      for (const [at, name] of NAMES.entries()) {
        const view = tidemark.as({ [kind]: name } as Identity);
        const word = `word${kind}${at}z`;
        said.set(`${kind} ${name}`, word);
        await view.memory.save({
          content: `The ${word} is here`,
          scope: `${kind}:${name}`,
          category: name.slice(0, 200),
        });
      }
    for (const kind of ["agent", "user"] as const)
      for (const [at, name] of NAMES.entries()) {
        const seen = (
          await tidemark.as({ [kind]: name } as Identity).memory.list({ limit: 1_000 })
        ).map(({ content }) => content);
        expect(seen.filter((content) => content.includes(`word${kind}`))).toEqual([
          `The word${kind}${at}z is here`,
        ]);
      }
    for (const kind of ["agent", "user", "project", "team", "org"] as const)
      for (const name of REFUSED) {
        const thrown = await thrownBy(async () =>
          tidemark.as({ [kind]: name } as Identity).memory.list(),
        );
        expect(isSentence(thrown), `${kind} ${JSON.stringify(name)}: ${String(thrown)}`).toBe(true);
      }
    for (const name of [...NAMES, ...REFUSED]) {
      expect(
        isSentence(
          await thrownBy(() => tidemark.workspace.write(name as never, "x", "agent:default")),
        ),
        name,
      ).toBe(true);
      expect(
        isSentence(await thrownBy(() => tidemark.workspace.read(name as never, "agent:default"))),
        name,
      ).toBe(true);
    }
    await tidemark.close();
    expect(readdirSync(outer)).toEqual(["ws"]);
    expect(existsSync(join(root, "scopes"))).toBe(true);
    for (const entry of readdirSync(join(root, "scopes", "user")))
      expect(entry).toMatch(/^[a-z0-9_%-][a-z0-9._%-]{0,119}$/);
    expect(readFileSync(join(root, "SOUL.md"), "utf8")).not.toContain("word");
  });
});
