import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTidemark, type Options, type Tidemark } from "../../src/index.ts";
import { afterwards } from "../support/afterwards.ts";
import { asReply, assistant, requestOf, user } from "../support/talk.ts";
import { freshFolder } from "../support/workspace.ts";

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

async function opened(workspace: string, options: Options = {}): Promise<Tidemark> {
  const tidemark = await openTidemark({ workspace, listen: false, ...options });
  afterwards(() => tidemark.close());
  return tidemark;
}

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
