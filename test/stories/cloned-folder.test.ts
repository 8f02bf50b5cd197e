import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Options, Tidemark, TidemarkEvent } from "../../src/index.ts";
import { executeHere } from "../support/cli-here.ts";
import { asReply, assistant, requestOf, user } from "../support/talk.ts";
import { freshFolder } from "../support/workspace.ts";
import { freshTidemark } from "../support/anthropic.ts";

const FACTS = ["The harbour master is called Zephyrine.", "The user prefers tabs over spaces."];
const SPOKEN = "Our harbour master is called Zephyrine, and I prefer tabs over spaces.";

/** Answers each reading with both facts, cited from the first message. */
const distil = () =>
  Promise.resolve({
    text: JSON.stringify({
      facts: FACTS.map((content) => ({
        ...{ content, category: "decision", importance: 0.8 },
        from: [1],
      })),
      summary: "They spoke of the harbour.",
    }),
  });

const opened = async (workspace: string, options: Options = {}): Promise<Tidemark> =>
  (await freshTidemark({ workspace, ...options })).tidemark;

/** A workspace in which one conversation taught two facts. */
async function taught(): Promise<string> {
  const workspace = join(freshFolder(), "ws");
  const tidemark = await opened(workspace, { distil });
  const line = [user(SPOKEN)];
  for (let turn = 0; turn < 4; turn += 1) {
    const { end } = await tidemark.begin(requestOf(line));
    await end(asReply(assistant(`Noted, ${turn}.`)));
    line.push(assistant(`Noted, ${turn}.`), user(`Go on with ${turn}.`));
  }
  await tidemark.fold();
  await tidemark.close();
  return workspace;
}

const contents = async (tidemark: Tidemark): Promise<string[]> =>
  (await tidemark.memory.list()).map(({ content }) => content).sort();

it.each([
  [
    "whose .tidemark git ignored",
    (clone: string) => rmSync(join(clone, ".tidemark"), { recursive: true }),
  ],
  [
    "of which nothing but MEMORY.md is left",
    (clone: string) => {
      for (const gone of [".tidemark", "memory"]) rmSync(join(clone, gone), { recursive: true });
    },
  ],
  [
    "whose database was deleted while nothing had it open",
    (clone: string) => rmSync(join(clone, ".tidemark/tidemark.db")),
  ],
])("a folder %s keeps its facts, and the next question is answered", async (_what, lose) => {
  const workspace = await taught();
  const clone = join(freshFolder(), "clone");
  cpSync(workspace, clone, { recursive: true });
  lose(clone);
  for (let start = 0; start < 2; start += 1) {
    const tidemark = await opened(clone);
    expect(await contents(tidemark)).toEqual(FACTS);
    const [hit] = await tidemark.memory.recall("Who is the harbour master?");
    expect(hit?.text).toContain("Zephyrine");
    await tidemark.close();
    const page = readFileSync(join(clone, "MEMORY.md"), "utf8");
    for (const fact of FACTS) expect(page).toContain(fact);
  }
});

it("says once that it took over a folder's pages, and doctor says it later", async () => {
  const workspace = await taught();
  expect(readFileSync(join(workspace, ".tidemark/.gitignore"), "utf8")).toBe("*\n");
  rmSync(join(workspace, ".tidemark"), { recursive: true });
  writeFileSync(join(workspace, "USER.md"), "Mine, word for word.\n");
  const told: string[] = [];
  const listen = (event: TidemarkEvent): void =>
    void (event.type === "notice" && event.about === "adopted" && told.push(event.text));
  for (let start = 0; start < 2; start += 1) await (await opened(workspace, { listen })).close();
  expect(told).toHaveLength(1);
  expect(told[0]).toContain("the lines of MEMORY.md are taken over as the user's words");
  expect(readFileSync(join(workspace, "USER.md"), "utf8")).toBe("Mine, word for word.\n");
  const { out } = await executeHere(["doctor", "--workspace", workspace]);
  expect(out.replace(/\s+/g, " ")).toContain("beside pages of before: lines of MEMORY.md were");
});

it("loses nothing that stands on the page where an older backup is put in its place", async () => {
  const workspace = await taught();
  const tidemark = await opened(workspace);
  const { backup = "" } = await tidemark.tidy();
  for (const fact of ["The pier is closed on Mondays.", "The crane lifts nine tons."])
    await tidemark.memory.save(fact);
  await tidemark.memory.save("The boat house is green.");
  await tidemark.memory.save("The slipway is steep.");
  await tidemark.close();
  cpSync(backup, join(workspace, ".tidemark/tidemark.db"));
  const again = await opened(workspace);
  const said = await contents(again);
  expect(said).toEqual(expect.arrayContaining([...FACTS, "The crane lifts nine tons."]));
  expect(said).toHaveLength(6);
  expect((await again.memory.recall("What colour is the boat house?"))[0]?.text).toContain("green");
  expect(readFileSync(join(workspace, "MEMORY.md"), "utf8")).toContain("The slipway is steep.");
});

it("takes over the page of another program, and keeps what it does not read as lines", async () => {
  const workspace = join(freshFolder(), "ws");
  mkdirSync(workspace);
  const page = [
    "# MEMORY.md - Long-Term Memory",
    "",
    "- Ada lives in Porto.",
    "- (unverified) The lock of the shed is yellow.",
    "",
    "## Projects",
    "",
    "- The harbour bot runs on a Pi.",
    "",
  ].join("\n");
  writeFileSync(join(workspace, "MEMORY.md"), page);
  const tidemark = await opened(workspace);
  const all = await tidemark.memory.list();
  expect(all.map(({ content, origin }) => [content, origin]).sort()).toEqual([
    ["Ada lives in Porto.", "user"],
    ["The lock of the shed is yellow.", "untrusted"],
  ]);
  const after = readFileSync(join(workspace, "MEMORY.md"), "utf8");
  for (const line of [
    "Ada lives in Porto.",
    "(unverified) The lock of the shed is yellow.",
    "## Projects",
  ])
    expect(after).toContain(line);
  expect(after).toContain("- The harbour bot runs on a Pi.");
});
