import Database from "better-sqlite3";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { folder } from "../support/cli.ts";
import { assistant, tell, user } from "../support/talk.ts";
import { executeHere } from "../support/cli-here.ts";

const KEY = "the tide turns at six";
const env = { TIDEMARK_HISTORY_KEY: KEY };
const workspace = join(folder(), "workspace");

/** What a verb says, with the breaks of its lines taken out. */
async function run(args: readonly string[], look: { env?: NodeJS.ProcessEnv } = {}) {
  const { code, out, err } = await executeHere(args, look);
  return { code, out: out.replace(/\s+/g, " ").trim(), err };
}

beforeAll(async () => {
  const tidemark = await openTidemark({
    workspace,
    distil: "extractive",
    history: { key: KEY, keep: "masked" },
  });
  await tell(tidemark, [user("Which boat carries herring?")], assistant("The Ons ferry does."));
  await tidemark.tidy();
  await tidemark.close();
});

describe("the command line on an encrypted history", () => {
  it("takes the key from the environment, and says in one line what is wrong with it", async () => {
    expect(await run(["search", "herring", "--workspace", workspace], { env })).toMatchObject({
      code: 0,
      err: "",
      out: expect.stringContaining("herring") as string,
    });
    expect(await run(["stats", "--json", "--workspace", workspace], { env })).toMatchObject({
      code: 0,
      out: expect.stringContaining('"conversations": 1') as string,
    });
    const without = await run(["stats", "--workspace", workspace]);
    expect(without).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(
        /^tidemark: The history at \S+ is encrypted: .*TIDEMARK_HISTORY_KEY.*\n$/,
      ) as string,
    });
    const wrong = await run(["stats", "--workspace", workspace], {
      env: { TIDEMARK_HISTORY_KEY: "it turns at seven" },
    });
    expect(wrong).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /^tidemark: The history at \S+ does not open with this key; nothing was changed\..*\n$/,
      ) as string,
    });
    const short = await run(["stats", "--workspace", workspace], {
      env: { TIDEMARK_HISTORY_KEY: "hunter2" },
    });
    expect(short).toMatchObject({
      code: 1,
      err: expect.stringContaining("8 characters or more") as string,
    });
    expect(short.err).not.toContain("hunter2");
  });

  it("is told how it is kept by doctor, with its key, without, and with another", async () => {
    const with_ = await run(["doctor", "--workspace", workspace], { env });
    expect(with_.out).toMatch(
      /✓ messages are kept without the secrets in them, encrypted \(TIDEMARK_HISTORY_KEY opens it\)/,
    );
    expect(with_.code).toBe(0);
    const without = await run(["doctor", "--workspace", workspace]);
    expect(without.out).toMatch(
      /encrypted \(TIDEMARK_HISTORY_KEY is not set, so no message was opened\)/,
    );
    expect(without.out).toMatch(/history is sound/);
    expect(without.code).toBe(0);
    const wrong = await run(["doctor", "--workspace", workspace], {
      env: { TIDEMARK_HISTORY_KEY: "it turns at seven" },
    });
    expect(wrong.out).toMatch(/✗ history is encrypted with another key/);
    expect(wrong.code).toBe(1);
  });

  it("is mended by doctor where the note of its key is broken", async () => {
    const database = new Database(join(workspace, ".tidemark/history.db"));
    database.exec("update keeping set value = substr(value, 3) where name = 'seal'");
    database.close();
    expect((await run(["doctor", "--workspace", workspace], { env })).out).toMatch(
      /✗ history is damaged .*a message is not what was written/,
    );
    expect((await run(["doctor", "--fix", "--workspace", workspace], { env })).out).toContain(
      "Nothing is known to be missing",
    );
    expect(await run(["search", "herring", "--workspace", workspace], { env })).toMatchObject({
      code: 0,
      err: "",
      out: expect.stringContaining("herring") as string,
    });
  });

  it("is exported, imported and encrypted on the way", async () => {
    const [sealed, plain, target] = [
      join(folder(), "a.jsonl"),
      join(folder(), "b.jsonl"),
      join(folder(), "new"),
    ];
    expect((await run(["export", sealed, "--workspace", workspace])).out).toContain(
      "Conversations in it are encrypted",
    );
    expect(readFileSync(sealed, "utf8")).not.toContain("Which boat");
    const other = join(folder(), "workspace");
    const tidemark = await openTidemark({ workspace: other, distil: "extractive" });
    await tell(tidemark, [user("Which boat carries ice?")], assistant("None."));
    await tidemark.close();
    expect((await run(["export", plain, "--workspace", other])).out).toContain("word for word");
    const imported = await run(["import", plain, "--workspace", target], { env });
    expect(imported).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /is encrypted with TIDEMARK_HISTORY_KEY now; the archive and the old folder are not/,
      ) as string,
    });
    expect(await run(["search", "ice", "--workspace", target], { env })).toMatchObject({
      code: 0,
      out: expect.stringContaining("ice") as string,
    });
    expect(
      await run(["import", sealed, "--workspace", join(folder(), "other"), "--dry-run"], {
        env: { TIDEMARK_HISTORY_KEY: "it turns at seven" },
      }),
    ).toMatchObject({
      code: 1,
      err: expect.stringContaining("does not open with this key") as string,
    });
  });

  it("makes a workspace whose history keeps less, which doctor tells", async () => {
    const made = join(folder(), "workspace");
    expect(await run(["init", "--history", "none", "--workspace", made])).toMatchObject({
      code: 0,
    });
    expect((await run(["doctor", "--workspace", made])).out).toContain(
      "✓ messages are not kept, only digests of them",
    );
    expect(await run(["init", "--history", "some", "--workspace", made])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--history takes verbatim, masked or none") as string,
    });
  });
});
