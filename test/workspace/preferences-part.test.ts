import fc from "fast-check";
import { expect, it } from "vitest";
import {
  decided,
  inForce,
  preferencesIn,
  preferenceWords,
  withoutMemories,
  withProposed,
  partOf,
} from "../../src/workspace/pages/preferences-and-fleet.ts";
import { freshWorkspace, NOON } from "../support/workspace.ts";
import { runs } from "../support/runs.ts";

const one = (id: string, content = `User: I prefer ${id}.`) => ({ id, content, at: NOON });
const OWN = "# You\n\nCall me Ada.\n";

it("a proposal is a line with a box and its date, below the person's own words, and holds when it is ticked", () => {
  const { text, added } = withProposed(OWN, [one("tea"), one("rain")]);
  expect(added).toEqual(["tea", "rain"]);
  expect(text).toMatch(
    /^# You\n\nCall me Ada\.\n\n## Preferences\n\n<!-- tidemark:preferences -->\n- \[ \] I prefer tea\. \(2026-08-22\) <!-- \w{8} -->\n- \[ \] I prefer rain\. .*\n<!-- \/tidemark:preferences -->\n$/,
  );
  expect(inForce(text).trim()).toBe(
    `${OWN}\n\n<!-- tidemark:preferences -->\n<!-- /tidemark:preferences -->`,
  );
  const ticked = decided(text, "tea", true) ?? "";
  expect(ticked).toBe(text.replace("- [ ] I prefer tea", "- [x] I prefer tea"));
  expect(inForce(ticked)).toContain("## Preferences");
  expect(inForce(ticked)).toMatch(/\n- I prefer tea\. \(2026-08-22\)/);
  expect(inForce(ticked)).not.toMatch(/rain|\[/);
  // By hand, in either letter; and a line that waits cannot be ticked twice, nor one that is gone.
  expect(inForce(text.replace("[ ] I prefer rain", "[X] I prefer rain"))).toContain(
    "- I prefer rain.",
  );
  expect(decided(ticked, "tea", false)).toBeUndefined();
  expect(decided(text, "rain", false)).not.toContain("rain");
  expect(withoutMemories(ticked, new Set(["tea"]), { accepted: true })).not.toContain("tea");
});

it("the part takes 1,500 characters at most, and a line no more than its words are worth", () => {
  const many = Array.from({ length: 60 }, (_, at) => one(`thing number ${at}`));
  const { text, added } = withProposed(OWN, many);
  expect(added.length).toBeGreaterThan(15);
  expect(added.length).toBeLessThan(60);
  expect(partOf(text, "preferences").join("\n").length).toBeLessThanOrEqual(1_500);
  const long = withProposed("", [one("long", "I like it. ".repeat(200))]).text;
  expect(Math.max(...long.split("\n").map((line) => line.length))).toBeLessThan(260);
  expect(
    withProposed(text, [one("thing number 3"), one("other", "I prefer thing number 3")]).added,
  ).toEqual([]);
});

it("whatever a person writes around it, what waits is in no prompt and a person's own words all are", () => {
  const row = fc.oneof(
    fc.constantFrom(
      "Mine own.",
      "- [ ] Mine to do",
      "  more of it",
      "",
      "<!-- aside -->",
      "- [x] done",
    ),
    fc.string().filter((text) => !/[\n\r]|tidemark:|```|~~~|<!--/.test(text)),
  );
  const rows = fc.array(row, { maxLength: 6 });
  fc.assert(
    fc.property(rows, rows, fc.boolean(), fc.boolean(), (above, below, crlf, torn) => {
      const end = crlf ? "\r\n" : "\n";
      const made = withProposed(`${above.join(end)}${end}`, [one("WAITING"), one("TICKED")]).text;
      const page = `${decided(made, "TICKED", true) ?? ""}${below.join(end)}`;
      // A marker that a person took away must not let through what waits.
      const shown = inForce(
        torn ? page.replace(/<!-- \/?tidemark:preferences -->\r?\n/, "") : page,
      );
      expect(shown).not.toContain("WAITING");
      expect(shown).toContain("I prefer TICKED.");
      // Behind a marker that is gone, an indented row goes on with the line before it.
      const words = (text: string): string => text.replace(/\s+/g, " ").trim();
      for (const own of [...above, ...below]) expect(words(shown)).toContain(words(own));
    }),
    { numRuns: runs(300) },
  );
});

it("a box that a person has emptied to the last space is not ticked", () => {
  const { text } = withProposed(OWN, [one("a")]);
  for (const box of ["[]", "[  ]", "[\t]"])
    expect(inForce(text.replace("[ ]", box))).not.toContain("I prefer a.");
});

it("a line that waits takes what goes on below it along, and words that open a comment cannot", async () => {
  const { text } = withProposed(OWN, [one("a", "I prefer <!-- /tidemark:preferences --> this")]);
  expect(partOf(text, "preferences")).toHaveLength(1);
  const broken = text.replace(/( this .*)/, "\n    $1");
  expect(preferencesIn(broken)).toMatchObject([{ accepted: false }]);
  expect(inForce(broken)).not.toContain("this");
  expect(preferenceWords(text)).toContain("this");
  const { workspace } = freshWorkspace();
  await workspace.edit("USER.md", () => text, "user:ada");
  expect((await workspace.prompt(["agent:x", "user:ada"])).user).toBe("# You\n\nCall me Ada.");
  expect(await workspace.search("prefer this", { scopes: ["user:ada"] })).toEqual([]);
  await workspace.edit("USER.md", (page) => decided(page, "a", true), "user:ada");
  expect((await workspace.prompt(["agent:x", "user:ada"])).user).toMatch(
    /## Preferences\n\n- I prefer .* this \(2026-08-22\)$/,
  );
  expect((await workspace.prompt(["agent:x", "user:bob"])).user).toBe("");
});
