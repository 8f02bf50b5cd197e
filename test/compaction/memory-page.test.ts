import { typesOf, freshTidemark } from "../support/anthropic.ts";
import {
  closeSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import Database from "better-sqlite3";
import { openTidemark } from "../../src/index.ts";
import { executeHere } from "../support/cli-here.ts";
import { freshFolder, NOON, withPages } from "../support/workspace.ts";

const DAY = 86_400_000;

/** A workspace, its page, and what a person does to it in an editor. */
async function house(workspace = freshFolder()) {
  const clock = { now: NOON };
  const now = () => (clock.now += 1);
  const fresh = await freshTidemark({ workspace, distil: "extractive", embed: false, now });
  const { events } = fresh;
  const tidemark = withPages(fresh.tidemark);
  const path = join(workspace, "MEMORY.md");
  const page = (): string => readFileSync(path, "utf8");
  const edit = (change: (text: string) => string): void => writeFileSync(path, change(page()));
  const contents = async (): Promise<string[]> =>
    (await tidemark.memory.list({ limit: 1_000 })).map(({ content }) => content).sort();
  const rows = (): string[] =>
    page()
      .split("\n")
      .filter((row) => row.startsWith("- "));
  return { workspace, clock, events, tidemark, page, edit, contents, rows };
}
type House = Awaited<ReturnType<typeof house>>;

const CAT = "The user's cat is called Miso.";
const RULE = "Never deploy on Fridays.";
const LIMIT = "The API allows 50 requests a minute.";

async function withThree(
  given?: string,
): Promise<House & { ids: Record<"cat" | "rule" | "limit", string> }> {
  const room = await house(given);
  const save = async (content: string, category: string): Promise<string> =>
    (await room.tidemark.memory.save({ content, category })).id;
  return {
    ...room,
    ids: {
      cat: await save(CAT, "identity"),
      rule: await save(RULE, "rule"),
      limit: await save(LIMIT, "identifier"),
    },
  };
}

const without =
  (part: string) =>
  (text: string): string =>
    text
      .split("\n")
      .filter((row) => !row.includes(part))
      .join("\n");
describe("MEMORY.md", () => {
  it("is grouped, the newest first, one dated line a memory with a short mark; saves and updates show there", async () => {
    const { tidemark, ids, page, clock } = await withThree();
    clock.now += DAY;
    await tidemark.memory.save({ content: "Deploys go through staging.", category: "rule" });
    await tidemark.memory.save({
      content: "We chose SQLite, since nothing has to be run beside it.",
      category: "decision",
    });
    await tidemark.memory.save({
      content: "Open request: move the docs",
      key: "conversation/c1/open-request",
    });
    await tidemark.memory.save({
      content: "Mocked timers hang the build.",
      category: "failed-approach",
    });
    await tidemark.memory.update(ids.cat, { content: "The user's cat is called Mochi." });
    expect(
      page()
        .replace(/^[^]*head -->\n/, "")
        .replaceAll(/<!-- (?:page )?[0-9a-z]{4,8} -->/g, "<!-- -->"),
    ).toBe(`
## You

- The user's cat is called Mochi. (2026-08-23) <!-- -->

## Rules and preferences

- Deploys go through staging. (2026-08-23) <!-- -->
- Never deploy on Fridays. (2026-08-22) <!-- -->

## Decisions

- We chose SQLite, since nothing has to be run beside it. (2026-08-23) <!-- -->

## Where work stands

- Open request: move the docs (2026-08-23) <!-- -->

## What went wrong

- Mocked timers hang the build. (2026-08-23) <!-- -->

## Worth knowing

- The API allows 50 requests a minute. (2026-08-22) <!-- -->

<!-- -->
`);
  });

  it("has at most 60 lines and 6,000 characters; what weighs least is still found, and is not taken for deleted", async () => {
    const { tidemark, page, rows, contents } = await house();
    for (let n = 0; n < 80; n += 1)
      await tidemark.memory.save({
        content: `Boat ${n} lies at pier ${n * 3}.`,
        importance: n < 20 ? 0.2 : 0.8,
      });
    await tidemark.idle();
    expect(rows()).toHaveLength(60);
    expect(rows().join()).not.toContain("Boat 7 ");
    await tidemark.memory.save({
      content:
        "The keeper of pier nine, whom everybody calls the captain, wants to be told a day ahead. ".repeat(
          3,
        ),
      importance: 1,
    });
    for (let n = 0; n < 30; n += 1)
      await tidemark.memory.save({
        content: `${n} ${"is the number of a rope that is kept behind the shed ".repeat(4)}`,
        importance: 0.9,
      });
    await tidemark.idle();
    expect(page().length).toBeLessThanOrEqual(6_000);
    expect(await contents()).toHaveLength(111);
    expect((await tidemark.memory.recall("Boat 7 pier"))[0]?.text).toBe("Boat 7 lies at pier 21.");
  });
});

describe("a person's edit of MEMORY.md", () => {
  it("of a line changes the memory, to be found, told and rebuilt so; what it said before stays with its dates", async () => {
    const room = await withThree();
    const { tidemark, edit, contents, ids, clock } = room;
    clock.now += DAY;
    const before = clock.now;
    edit((text) => text.replace("Miso", "Mochi"));
    clock.now += DAY;
    expect(await contents()).toEqual([RULE, LIMIT, "The user's cat is called Mochi."].sort());
    expect(await tidemark.memory.get(ids.cat)).toMatchObject({
      origin: "user",
      category: "identity",
      version: 2,
    });
    expect(
      (await tidemark.memory.recall("cat called", { asOf: before })).map(({ text }) => text),
    ).toEqual([CAT]);
    const turn = await tidemark.begin({
      model: "m",
      max_tokens: 10,
      messages: [{ role: "user", content: "Hello" }],
    });
    expect(JSON.stringify(turn.request)).toContain("called Mochi");
    expect(JSON.stringify(turn.request)).not.toContain("Miso");
  });

  it("that deletes a line ends the memory, everywhere but in the past; undo brings it back for thirty days", async () => {
    const room = await withThree();
    const { tidemark, edit, contents, ids, clock, page } = room;
    clock.now += DAY;
    const before = clock.now;
    edit(without("Fridays"));
    clock.now += DAY;
    expect(await contents()).toEqual([CAT, LIMIT].sort());
    expect(await tidemark.memory.search("deploy on Fridays", { in: ["memory", "files"] })).toEqual(
      [],
    );
    expect(
      (await tidemark.memory.recall("deploy on Fridays", { asOf: before })).map(({ text }) => text),
    ).toEqual([RULE]);
    expect(await tidemark.memory.undo(ids.rule)).toMatchObject({ content: RULE });
    expect(page()).toContain(RULE);
    expect(await contents()).toContain(RULE);
    edit(without("Fridays"));
    expect(await contents()).toEqual([CAT, LIMIT].sort());
    clock.now += 31 * DAY;
    expect(await tidemark.memory.undo(ids.rule)).toBeUndefined();
  });

  it("that adds a line makes a memory by a person, of the heading it stands under, whatever the line looks like", async () => {
    const room = await withThree();
    const { tidemark, edit, page } = room;
    edit(
      (text) =>
        `${text.replace("## Worth knowing\n", "## Worth knowing\n\n* The wifi is called Harbour.\n").replace("- Never", "Always squash commits.\n- Never")}\nThe bins go out on Mondays,\nbehind the shed.\n`,
    );
    const added = (await tidemark.memory.list()).filter(({ origin }) => origin === "user");
    expect(added.map(({ content, category }) => [content, category]).sort()).toEqual([
      ["Always squash commits.", "rule"],
      ["The bins go out on Mondays, behind the shed.", expect.any(String)],
      ["The wifi is called Harbour.", expect.any(String)],
    ]);
    expect(
      page()
        .split("\n")
        .filter((row) => /squash|Harbour|bins/.test(row))
        .every((row) => /^- .* \(2026-08-22\) <!-- [0-9a-z]{4,} -->$/.test(row)),
    ).toBe(true);
  });

  it("leaves what nobody vouched for unvouched", async () => {
    const { tidemark, page, edit } = await house();
    const { id } = await tidemark.memory.save("The page says that all keys are public.");
    await tidemark.close();
    const database = new Database(join(tidemark.workspace.root ?? "", ".tidemark/tidemark.db"));
    database.prepare("update memory set origin = 'tool' where id = ?").run(id);
    database.close();
    const again = await openTidemark({
      workspace: tidemark.workspace.root ?? "",
      distil: "extractive",
      embed: false,
    });
    expect(page()).toContain("- (unverified) The page says that all keys are public.");
    edit((text) => text.replace("(unverified) The page says that all", "The page says that some"));
    expect((await again.memory.list())[0]).toMatchObject({
      content: "The page says that some keys are public.",
      origin: "tool",
    });
  });

  it("of a line that shows a part of its memory changes that part; who said it stays said", async () => {
    const { tidemark, edit, rows } = await house();
    const long = `User: My flat is on the ${"second ".repeat(20)}floor. ${"It has a balcony to the harbour. ".repeat(5)}The rent is 800 euro.`;
    await tidemark.memory.save(long);
    await tidemark.memory.save("User: I love the ocean.");
    expect(rows()).toHaveLength(2);
    expect(rows()[0]).toMatch(/^- I love the ocean\. \(/);
    expect(rows()[1]).toMatch(/^- My flat is on .*to the harbour\. … \(/);
    edit((text) => text.replace("My flat", "Our flat").replace("the ocean", "the sea"));
    expect((await tidemark.memory.list()).map(({ content }) => content).sort()).toEqual(
      ["User: I love the sea.", long.replace("My flat", "Our flat")].sort(),
    );
  });

  it("and one by a program at the same time are both kept", async () => {
    const { tidemark, edit, contents, ids } = await withThree();
    edit((text) => text.replace("50 requests", "60 requests"));
    await tidemark.memory.update(ids.limit, { content: "The API allows 70 requests a minute." });
    edit(without("Fridays"));
    await tidemark.memory.update(ids.rule, { content: "Never deploy on weekends." });
    expect(await contents()).toEqual(
      [
        CAT,
        "Never deploy on weekends.",
        "The API allows 60 requests a minute.",
        "The API allows 70 requests a minute.",
      ].sort(),
    );
  });

  it("from an editor that has had the page open for a while takes nothing back that was written since", async () => {
    const { tidemark, page, edit, contents } = await withThree();
    const opened = page();
    await tidemark.memory.save("The gate opens at nine.");
    await tidemark.memory.save("The dog is called Taro.");
    edit(() => opened.replace("Miso", "Mochi"));
    expect(await contents()).toEqual([
      "Never deploy on Fridays.",
      "The API allows 50 requests a minute.",
      "The dog is called Taro.",
      "The gate opens at nine.",
      "The user's cat is called Mochi.",
    ]);
    expect(page()).toContain("Taro");
  });
});

describe("tidemark undo", () => {
  it("brings back a deleted line by its mark, and says so; other verbs tell of a page put aside", async () => {
    const { tidemark, edit, workspace, page, clock } = await withThree();
    clock.now = Date.now();
    const mark = /Fridays.*<!-- (\w+) -->/.exec(page())?.[1] ?? "";
    edit(without("Fridays"));
    await tidemark.close();
    const { out } = await executeHere(["undo", mark, "--workspace", workspace]);
    expect(out).toContain(`It is remembered again: ${RULE}`);
    expect(page()).toContain(RULE);
    edit((text) => `${text}\n<<<<<<< a\n=======\n>>>>>>> b\n`);
    expect((await executeHere(["recall", "deploy", "--workspace", workspace])).all).toContain(
      "MEMORY.md of agent:default holds the marks of a merge conflict",
    );
  });
});

describe("a page that no person can have meant so", () => {
  const MANY = Array.from({ length: 12 }, (_, n) => `Boat ${n} lies at pier ${n * 3}.`);
  async function withMany(): Promise<House> {
    const room = await house();
    for (const content of MANY) await room.tidemark.memory.save(content);
    return room;
  }
  const DAMAGE: readonly (readonly [string, (text: string) => string | Buffer, RegExp])[] = [
    [
      "lost five lines of twelve",
      (text) =>
        text
          .split("\n")
          .filter((row) => !/Boat [0-4] /.test(row))
          .join("\n"),
      /lost many lines/,
    ],
    [
      "was cut off in its midst",
      (text) => text.slice(0, text.indexOf("Boat 9")),
      /lost many lines/,
    ],
    [
      "holds a merge conflict",
      (text) =>
        text.replace(
          /- Boat 3.*/,
          (row) => `<<<<<<< ours\n${row}\n=======\n- Boat 3 sank.\n>>>>>>> theirs`,
        ),
      /merge conflict/,
    ],
    [
      "is no UTF-8",
      (text) => Buffer.from(text.replace("Boat 3 lies", "Boot 3 lädt"), "latin1"),
      /cannot be read/,
    ],
    ["is empty", () => "", /deleted or emptied/],
  ];

  it.each(DAMAGE)(
    "%s: nothing changes, it is put aside, written anew and told of once",
    async (_name, damage, told) => {
      const { tidemark, page, contents, clock, events, workspace } = await withMany();
      await tidemark.workspace.edit(
        "MEMORY.md",
        (text) => text.replace("tidemark:head -->\n", "tidemark:head -->\nMine to keep.\n"),
        "agent:default",
      );
      const whole = page();
      const damaged = damage(whole);
      writeFileSync(join(workspace, "MEMORY.md"), damaged);
      for (let look = 0; look < 3; look += 1) expect(await contents()).toEqual([...MANY].sort());
      if (damaged.length === 0) {
        // Another program may be about to fill it.
        expect(page()).toBe("");
        const before = clock.now / 1000 - 61;
        utimesSync(join(workspace, "MEMORY.md"), before, before);
        expect(await contents()).toEqual([...MANY].sort());
      }
      expect(page()).toBe(whole);
      const notices = events.filter((event) => event.type === "notice");
      expect(notices).toHaveLength(1);
      expect(notices[0]).toMatchObject({ text: expect.stringMatching(told) });
      const asides = readdirSync(join(workspace, ".tidemark/backups/root/MEMORY.md")).filter(
        (name) => name.endsWith("-aside.md"),
      );
      expect(asides).toHaveLength(damaged.length === 0 ? 0 : 1);
      if (asides[0] !== undefined)
        expect(
          readFileSync(join(workspace, ".tidemark/backups/root/MEMORY.md", asides[0])),
        ).toEqual(Buffer.from(damaged));
      await tidemark.close();
    },
  );

  it("is being written by another program: it is left to it, and read when it is whole", async () => {
    const { tidemark, page, contents, events, workspace } = await withMany();
    const path = join(workspace, "MEMORY.md");
    const whole = page().replace("Boat 3 lies at pier 9.", "Boat 3 sank.");
    const writer = openSync(path, "w");
    await tidemark.memory.save("Boat 99 left.");
    expect(await contents()).toEqual([...MANY, "Boat 99 left."].sort());
    for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 4)) {
      writeSync(writer, whole.slice(at, at + Math.ceil(whole.length / 4)));
      const looked = contents();
      await new Promise((go) => setTimeout(go, 20));
      if (at + Math.ceil(whole.length / 4) >= whole.length) await looked;
    }
    closeSync(writer);
    expect(await contents()).toContain("Boat 3 sank.");
    expect(await contents()).toContain("Boat 99 left.");
    expect(typesOf(events)).not.toContain("page");
  });

  it("is cut off in a line or in a mark, however few lines it had: nothing is ended, nothing learnt", async () => {
    const { page, contents, workspace } = await withThree();
    const [whole, all] = [page(), await contents()];
    const line = whole.lastIndexOf("\n- ");
    for (const at of [line + 6, whole.indexOf("<!--", line) + 6, whole.indexOf("tidemark:head")]) {
      writeFileSync(join(workspace, "MEMORY.md"), whole.slice(0, at));
      expect(await contents()).toEqual(all);
      expect(page()).toBe(whole);
    }
  });

  it("has a line twice, and one of them changed: that one is a new memory, the first stays", async () => {
    const { edit, contents } = await withThree();
    for (const [first, second] of [
      ["Miso", "Mochi"],
      ["Nori", "Miso"],
    ] as const) {
      edit((text) =>
        text
          .split("\n")
          .flatMap((row) =>
            row.includes("Miso")
              ? [row.replace("Miso", first), row.replace("Miso", second)]
              : [row],
          )
          .join("\n"),
      );
      await contents();
    }
    expect((await contents()).filter((one) => one.includes("cat"))).toEqual(
      ["Miso", "Mochi", "Nori"].map((name) => CAT.replace("Miso", name)),
    );
  });

  it("was deleted: nothing changes, and what a person wrote at its top is back", async () => {
    const { tidemark, page, contents, workspace } = await withMany();
    await tidemark.workspace.edit(
      "MEMORY.md",
      (text) => text.replace("tidemark:head -->\n", "tidemark:head -->\nMine to keep.\n"),
      "agent:default",
    );
    const whole = page();
    rmSync(join(workspace, "MEMORY.md"));
    expect(await contents()).toEqual([...MANY].sort());
    expect(page()).toBe(whole);
  });
});

describe("what is forgotten", () => {
  it("is gone from the page, its copies and what was put aside", async () => {
    const { tidemark, edit, ids, workspace } = await withThree();
    edit((text) => `${text}\n<<<<<<< a\n=======\n>>>>>>> b\n`);
    await tidemark.memory.list();
    await tidemark.memory.forget(ids.cat);
    await tidemark.close();
    const files = readdirSync(workspace, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && /\.(?:md|json)$/.test(entry.name),
    );
    for (const { parentPath, name } of files)
      expect(readFileSync(join(parentPath, name), "utf8"), name).not.toContain("Miso");
  });
});
