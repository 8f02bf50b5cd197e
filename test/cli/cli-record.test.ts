import { join } from "node:path";
import { expect, it } from "vitest";
import { run } from "../support/cli.ts";
import { fileFolder } from "../support/afterwards.ts";

const TEXT = "# Roll back\n\n1. Tag.\n   - deploy\n2. Tell the \u001b[2Jdesk.";

/** A workspace in which records are asked for. */
async function desk() {
  const workspace = fileFolder();
  await run(["init", "--workspace", workspace]);
  return (words: readonly string[]) => run(["record", ...words, "--workspace", workspace]);
}

it("takes a record from its text to its deletion, each by the id that was told", async () => {
  const type = await desk();
  const record = async (...words: string[]) => {
    const { code, out, err } = await type(words);
    expect({ words, code, err }).toEqual({ words, code: 0, err: "" });
    return out;
  };
  const added = await record("add", "--category", "procedure", TEXT);
  const [, id = "", path] = /^Added (\S+) (\S+)\n$/.exec(added) ?? [];
  expect(path).toBe(join("records", "procedure", "roll-back.md"));
  expect(
    await record("get", id),
    "lines and their indents stay; nothing commands the terminal",
  ).toBe(`${TEXT.replace("\u001b", "")}\n`);
  await record("reclassify", id, "--category", "incident");
  expect(await record("list")).toBe(`${id}  incident/roll-back\n`);
  await record("archive", id);
  expect(await record("list")).toBe("There are no such records.\n");
  expect(await record("list", "--archived")).toContain(id);
  await record("restore", id);
  await record("update", id, "Roll forward.");
  expect(await record("get", id)).toBe("Roll forward.\n");
  expect(await type(["update", id, ""])).toMatchObject({ code: 1, out: "" });
  expect(await record("delete", id)).toMatch(/^Deleted .+, from the backups too\.\n$/);
  expect((await type(["get", id])).code).toBe(1);
});

it.each([
  [[], /record takes one of add, update, .+, got none/],
  [["add", "Text."], /record add needs --category/],
  [["update"], /record update takes a record's id/],
  [["reclassify", "1a2b3c4"], /record reclassify needs --category/],
  [["add", "--category", "incident"], /record add needs a text/],
])("answers record %j with what to type instead", async (words, said) => {
  const type = await desk();
  const { isTTY } = process.stdin;
  process.stdin.isTTY = true;
  const { code, err } = await type(words);
  process.stdin.isTTY = isTTY;
  expect({ code }).toEqual({ code: 2 });
  expect(err).toMatch(said);
});
