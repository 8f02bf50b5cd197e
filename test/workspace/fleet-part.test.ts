import fc from "fast-check";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  agentsIn,
  fleetPages,
  withAgent,
} from "../../src/workspace/pages/preferences-and-fleet.ts";
import { freshWorkspace, TEMPLATE } from "../support/workspace.ts";
import { runs } from "../support/runs.ts";

const scout = { agent: "scout", does: "finds sources" };
const template = readFileSync(join(TEMPLATE, "AGENTS.md"), "utf8");

it("a page gets a fleet section at its end, one line an agent; the same agent again changes its line", () => {
  const first = withAgent(template, scout);
  expect(first.startsWith(template)).toBe(true);
  const second = withAgent(first, { agent: "scribe", does: "writes" });
  expect(agentsIn(second)).toEqual([scout, { agent: "scribe", does: "writes" }]);
  const third = withAgent(second, { agent: "scout", does: "checks sources" });
  expect(agentsIn(third)).toEqual([
    { agent: "scout", does: "checks sources" },
    { agent: "scribe", does: "writes" },
  ]);
  expect(third).toBe(second.replace("finds sources", "checks sources"));
  expect(withAgent(third, { agent: "scout", does: "checks sources" })).toBe(third);
});

it("no byte of a person's own is ever touched, whatever they wrote and wherever they moved the section", () => {
  const line = fc.oneof(
    fc.constantFrom("## Fleet", "- **scout**: mine", "", "  - **scribe**: deeper", "<!-- note -->"),
    fc.string(),
  );
  const text = (end: string) => fc.array(line, { maxLength: 8 }).map((rows) => rows.join(end));
  const end = fc.constantFrom("\n", "\r\n");
  fc.assert(
    fc.property(
      end.chain((one) => fc.tuple(text(one), text(one), fc.constant(one))),
      ([above, below, eol]) => {
        fc.pre(!/```|~~~|tidemark:/.test(above + below));
        const page = `${above}${eol}<!-- tidemark:fleet -->${eol}- **a**: b${eol}<!-- /tidemark:fleet -->${eol}${below}`;
        const made = withAgent(withAgent(page, scout), { agent: "a", does: "c" });
        expect(made.startsWith(`${above}${eol}`)).toBe(true);
        expect(made.endsWith(`${eol}${below}`)).toBe(true);
        expect(agentsIn(made)).toEqual([{ agent: "a", does: "c" }, scout]);
        const fresh = withAgent(above, scout);
        if (above.trim() !== "") expect(fresh.startsWith(above)).toBe(true);
        expect(agentsIn(fresh)).toEqual([scout]);
      },
    ),
    { numRuns: runs(300) },
  );
});

it("a page whose markers are not whole, or that ends in open code, is refused in a sentence and left alone", () => {
  const made = withAgent("# Rules\n", scout);
  for (const broken of [
    made.replace("<!-- /tidemark:fleet -->\n", ""),
    made.replace("<!-- tidemark:fleet -->\n", ""),
    made + made,
  ])
    expect(() => withAgent(broken, scout)).toThrow(
      /^AGENTS\.md does not hold both "<!-- tidemark:fleet -->"/,
    );
  expect(() => withAgent("```\ncode\n", scout)).toThrow(/a block of code that is not closed/);
  expect(agentsIn(`\`\`\`\n${made}\`\`\`\n`)).toEqual([]);
});

it("a write keeps a copy of the page before, and pages of teams and projects are found by their names", async () => {
  const { root, workspace } = freshWorkspace();
  await workspace.scaffold([]);
  const add = (text: string): string => withAgent(text, scout);
  await workspace.edit("AGENTS.md", add, "agent:default");
  await workspace.edit("AGENTS.md", add, "team:Crew Two");
  await workspace.edit("AGENTS.md", add, "project:red");
  const [copy = ""] = readdirSync(join(root, ".tidemark/backups/root/AGENTS.md"));
  expect(readFileSync(join(root, ".tidemark/backups/root/AGENTS.md", copy), "utf8")).toBe(template);
  mkdirSync(join(root, "scopes/team/empty"), { recursive: true });
  writeFileSync(join(root, "scopes/team/stray.md"), "no folder");
  const pages = await fleetPages(root);
  expect(pages.map(({ kind, id, text }) => [kind, id, agentsIn(text)])).toEqual([
    [undefined, "", [scout]],
    ["team", "Crew Two", [scout]],
    ["team", "empty", []],
    ["project", "red", [scout]],
  ]);
  await expect(
    workspace.edit("AGENTS.md", (text) => `${text}${"x".repeat(32_000)}`, "agent:default"),
  ).rejects.toThrow(/may be 32000/);
});

it("two who add agents at once lose none", async () => {
  const { workspace } = freshWorkspace();
  await workspace.scaffold([]);
  const names = Array.from({ length: 12 }, (_, at) => `agent-${at}`);
  await Promise.all(
    names.map((agent) =>
      workspace.edit("AGENTS.md", (text) => withAgent(text, { agent, does: "x" }), "agent:default"),
    ),
  );
  const found = agentsIn(await workspace.read("AGENTS.md", "agent:default"));
  expect(found.map(({ agent }) => agent).sort()).toEqual(names.sort());
});
