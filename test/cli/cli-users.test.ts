import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { executeHere } from "../support/cli-here.ts";
import { run } from "../support/cli.ts";
import { fileFolder } from "../support/afterwards.ts";

const workspace = join(fileFolder(), "workspace");
const tidemark = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  executeHere([...args, "--workspace", workspace], { env });

beforeAll(async () => {
  const open = await openTidemark({ workspace, listen: false, distil: "extractive" });
  const ada = open.as({ user: "ada" });
  await ada.memory.save({ content: "Ada drinks tea.", scope: "user:ada" });
  await ada.memory.save({ content: "Ada lives in Porto.", scope: "user:ada" });
  await ada.history.import({ id: "desk", messages: [{ role: "user", text: "Good morning!" }] });
  await open.as({ user: "bob r" }).memory.save({ content: "Bob rows.", scope: "user:bob r" });
  await open.close();
});

describe("a workspace of many users", () => {
  it("lists, recalls and counts without a user: whose memories there are is said", async () => {
    const whose =
      "Not shown: those of user bob r (1 memory), user ada (2 memories). To see them: tidemark";
    const listed = (await tidemark(["list"])).out;
    expect(listed).toContain("Nothing is remembered for agent:default.");
    expect(listed).toContain(`${whose} list --user "bob r"`);
    const recalled = (await tidemark(["recall", "tea"])).out.replaceAll(/\s+/g, " ");
    expect(recalled).toContain('Nothing is remembered about "tea".');
    expect(recalled).toContain(whose);
    expect((await tidemark(["stats"])).out.replaceAll(/\s+/g, " ")).toContain(`${whose} stats`);
    expect((await tidemark(["doctor"])).out.replaceAll(/\s+/g, " ")).toContain(
      "remembered for user bob r (1 memory), user ada (2 memories)",
    );
    const { others } = JSON.parse((await tidemark(["stats", "--json"])).out) as {
      others: { scope: string; memories: number }[];
    };
    expect(others.map(({ scope, memories }) => [scope, memories])).toEqual([
      ["user:bob r", 1],
      ["user:ada", 2],
    ]);
  });

  it("says nothing of others to one who names an identity", async () => {
    const { out } = await tidemark(["list", "--user", "ada"]);
    expect(out).toContain("Ada drinks tea.");
    expect(out).not.toMatch(/bob/i);
    const zoe = [
      await tidemark(["list", "--user", "zoe"]),
      await tidemark(["recall", "tea", "--user", "zoe"]),
    ];
    for (const { out } of zoe) expect(out).not.toMatch(/ada|bob/i);
    expect((await tidemark(["list", "--user", "zoe"])).out).toMatch(/^Nothing is remembered yet/);
  });

  it("names its users", async () => {
    const { out } = await tidemark(["users"]);
    expect(out).toMatch(/bob r +1 memory +no conversations/);
    expect(out).toMatch(/ada +2 memories +1 conversation/);
    const found = JSON.parse((await tidemark(["users", "--json"])).out) as object[];
    expect(found).toMatchObject([
      { user: "bob r", memories: 1, conversations: 0 },
      { user: "ada", memories: 2, conversations: 1 },
    ]);
  });

  it("takes the user from TIDEMARK_USER where none is named, and deletes none by it", async () => {
    const env = { TIDEMARK_USER: "ada" };
    expect((await tidemark(["list"], env)).out).toContain("Ada drinks tea.");
    expect((await tidemark(["list", "--user", "bob r"], env)).out).not.toContain("Ada");
    expect((await tidemark(["list"], { TIDEMARK_USER: "" })).out).not.toContain("Ada drinks");
    expect(await tidemark(["forget", "--yes"], env)).toMatchObject({ code: 2 });
    expect((await tidemark(["list"], env)).out).toContain("Ada drinks tea.");
  });

  it("asks first on the command line, and names pages of others that name the user", async () => {
    const workspace = join(fileFolder(), "forgetting");
    const open = await openTidemark({ workspace });
    await open
      .as({ user: "ann-lee" })
      .memory.save({ content: "Likes tea.", scope: "user:ann-lee" });
    await open.close();
    const cli = (...args: string[]) => run(["forget", "--workspace", workspace, ...args]);
    for (const [args, code] of [
      [["--dry-run"], 0],
      [[], 1],
      [["--yes", "--dry-run"], 0],
    ] as const) {
      const asked = await cli("--user", "ann-lee", ...args);
      expect(asked).toMatchObject({ code, err: "" });
      expect(asked.out).toMatch(
        /Of user "ann-lee" would go: 1 memory, no conversations, .*\nNothing was deleted\. .*--yes/,
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

describe("a workspace that is not named", () => {
  const home = fileFolder();
  const deep = join(home, "src", "deep");
  mkdirSync(deep, { recursive: true });
  const here = (args: string[], cwd: string) => run(args, { cwd });

  it("is looked for, and made by a verb that writes, which says so", async () => {
    const looked = await here(["list"], home);
    expect(looked.code).toBe(1);
    expect(looked.err).toContain("there is no workspace at workspace");
    expect(existsSync(join(home, "workspace"))).toBe(false);
    const saved = await here(["save", "The port is 5433."], home);
    expect(saved).toMatchObject({ code: 0 });
    expect(saved.err).toMatch(/^tidemark: makes a workspace: .*workspace\n$/);
    expect((await here(["save", "The host is a."], home)).err).toBe("");
  });

  it("is found from every folder below, and from inside it", async () => {
    for (const cwd of [deep, join(home, "workspace"), join(home, "workspace", ".tidemark")])
      expect(await here(["recall", "port"], cwd)).toMatchObject({
        code: 0,
        out: expect.stringContaining("5433") as string,
      });
    expect(existsSync(join(deep, "workspace"))).toBe(false);
  });
});
