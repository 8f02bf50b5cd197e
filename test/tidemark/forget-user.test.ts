import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { forgetUser } from "../../src/tidemark/upkeep/forget-user.ts";
import { run } from "../support/cli.ts";
import { toyEmbedder } from "../support/embedder.ts";
import { play } from "../support/talk.ts";

const home = mkdtempSync(join(tmpdir(), "tidemark-forget-user-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
let made = 0;
const START = Date.UTC(2026, 10, 21, 10);

/** Marks of the person who goes: in ids, words, keys, tags, pages, labels, recalled, imported, the past. */
const GONE = "Zebulon7731";
const SECRET = "quixoticpomegranate";
const holding = (folder: string, mark: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(
      (path) =>
        path.toLowerCase().includes(mark.toLowerCase()) ||
        readFileSync(path).toString("latin1").toLowerCase().includes(mark.toLowerCase()),
    );

async function live(workspace: string): Promise<void> {
  let clock = START;
  const tidemark = await openTidemark({
    workspace,
    distil: "extractive",
    embed: toyEmbedder(),
    window: { tokens: 4_000 },
    recall: {},
    now: () => (clock += 1_000),
  });
  const people = [
    [tidemark.as({ user: GONE, org: "harbour", role: "human" }), GONE, SECRET],
    [tidemark.as({ user: GONE, agent: "ops" }), GONE, SECRET],
    [tidemark.as({ user: "ada", org: "harbour", role: "human" }), "ada", "ordinaryapple"],
  ] as const;
  for (const [who, name, word] of people) {
    for (let at = 0; at < 4; at += 1)
      await who.memory.save({
        content: `The ${word} number ${at} stands on pier ${at}.`,
        key: `${word}-key`,
        tags: [word],
        scope: `user:${name}`,
        category: `${word}-things`,
      });
    await who.memory.save({
      content: `Somebody likes ${word} and long walks.`,
      scope: `user:${name}`,
    });
    await who.memory.recall(`${word} pier`);
    await play(who, {
      calls: (at) =>
        at === 0 ? `I dream of ${word}.` : `More of ${word}. ${"please ".repeat(30)}`,
      turns: 14,
      reply: (at) => `Reply ${at}: ${word} ${"and the sea ".repeat(40)}`,
      conversation: `${name}-talk`,
    });
    await who.pin(`Remember ${word}.`);
    await who.history.import({
      id: `${name}-old`,
      messages: [{ role: "user", name, text: `An old ${word}.`, at: START - 1_000_000 }],
    });
    await who.workspace.write("USER.md", `# ${name}\n\nLoves ${word}.\n`, `user:${name}`);
    await who.workspace.write("USER.md", `# ${name}\n\nLoves ${word} a lot.\n`, `user:${name}`);
  }
  await people[0][0].memory.save({ content: "The harbour closes at ten.", scope: "org:harbour" });
  await tidemark.memory.search(SECRET);
  await tidemark.idle();
  await tidemark.tidy();
  await tidemark.close();
}

describe("forgetting a user", () => {
  it("leaves no byte of them in any file, and all of everybody else", async () => {
    const workspace = join(home, `${(made += 1)}`);
    await live(workspace);
    writeFileSync(
      join(workspace, ".tidemark/tidemark.db.damaged-2026-01-01"),
      `old words: ${SECRET}`,
    );
    writeFileSync(
      join(workspace, ".tidemark/tidemark.db.damaged-2026-01-01"),
      `old words: ${SECRET}`,
    );
    expect(holding(workspace, SECRET).length).toBeGreaterThan(5);
    expect(holding(workspace, GONE).length).toBeGreaterThan(3);
    const told = await forgetUser({ workspace, user: GONE, now: () => START, dry: true });
    expect(told).toMatchObject({ conversations: 4, mentions: [] });
    expect(told.memories).toBeGreaterThan(1);
    expect(told.past).toBeGreaterThan(2);

    expect(await forgetUser({ workspace, user: GONE, now: () => START })).toEqual(told);
    expect(holding(workspace, SECRET)).toEqual([]);
    expect(holding(workspace, GONE)).toEqual([]);

    const tidemark = await openTidemark({
      workspace,
      distil: "extractive",
      now: () => START + 1e9,
    });
    const ada = tidemark.as({ user: "ada", org: "harbour" });
    expect((await ada.memory.recall("ordinaryapple pier")).length).toBeGreaterThan(0);
    expect((await ada.memory.recall("when does the harbour close?"))[0]?.text).toBe(
      "The harbour closes at ten.",
    );
    expect((await ada.history.list()).map(({ messages }) => messages).sort()).toEqual([1, 28]);
    expect(await ada.pins()).toHaveLength(1);
    const again = tidemark.as({ user: GONE });
    expect([
      await again.memory.list(),
      await again.history.list(),
      await again.memory.search(SECRET),
    ]).toEqual([[], [], []]);
    await tidemark.close();
  });

  it("asks first on the command line, and names pages of others that name the user", async () => {
    const workspace = join(home, `${(made += 1)}`);
    const tidemark = await openTidemark({ workspace });
    await tidemark
      .as({ user: "ann-lee" })
      .memory.save({ content: "Likes tea.", scope: "user:ann-lee" });
    await tidemark.close();
    writeFileSync(join(workspace, "SOUL.md"), "Be kind to Ann-Lee.\n");
    const cli = (...args: string[]) => run(["forget", "--workspace", workspace, ...args]);
    for (const [args, code] of [
      [["--dry-run"], 0],
      [[], 1],
      [["--yes", "--dry-run"], 0],
    ] as const) {
      const asked = await cli("--user", "ann-lee", ...args);
      expect(asked).toMatchObject({ code, err: "" });
      expect(asked.out).toMatch(
        /Of user "ann-lee" would go: 1 memory, no conversations, .*\n.*These pages still name "ann-lee"; look at them: SOUL\.md.*\nNothing was deleted\. .*--yes/,
      );
    }
    expect((await cli("--user", "ann-lee", "--yes")).out).toMatch(
      /✓ Forgotten of user "ann-lee": 1 memory/,
    );
    expect((await cli("--user", "ann-lee", "--yes")).out).toMatch(
      /Nothing of user "ann-lee" is in/,
    );
    expect(await cli()).toMatchObject({ code: 2 });
    expect(await cli("--user", "ann-lee", "--agent", "x")).toMatchObject({
      code: 2,
      err: expect.stringMatching(/leave --agent out/),
    });
  });
});
