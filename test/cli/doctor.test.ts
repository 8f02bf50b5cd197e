import {
  appendFileSync,
  chmodSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { copy, open, readsTrue, said, TALKS, TURNS } from "../support/faults.ts";
import { executeHere } from "../support/cli-here.ts";

async function doctor(workspace: string, ...args: string[]) {
  const env = { ANTHROPIC_API_KEY: "x" };
  const { code, all } = await executeHere(["doctor", "--workspace", workspace, ...args], { env });
  return { code, out: all };
}
/** Without the breaks that fit it to the terminal. */
const flat = (text: string): string => text.replaceAll(/\s+/g, " ");
const inside = (workspace: string, name: string): string => join(workspace, ".tidemark", name);
/** The same bytes in every file. */
const state = (workspace: string): string =>
  readdirSync(workspace, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/-(?:shm|wal)$/.test(entry.name))
    .map(
      (entry) =>
        `${join(entry.parentPath, entry.name)} ${readFileSync(join(entry.parentPath, entry.name)).toString("base64")}`,
    )
    .sort()
    .join("\n");

const zeroPage = (path: string, mark: string): void => {
  const bytes = readFileSync(path);
  const at = bytes.indexOf(mark);
  bytes.fill(0, at - (at % 4096), at - (at % 4096) + 4096);
  writeFileSync(path, bytes);
};

/** What is done to a healthy workspace, and what doctor says of it. */
const SICK: readonly (readonly [what: string, harm: (workspace: string) => void, says: RegExp])[] =
  [
    [
      "a database with a page of zeros",
      (workspace) => zeroPage(inside(workspace, "tidemark.db"), "Boat 5 carries crate 3"),
      /✗ the database is damaged \(.+tidemark\.db\): /,
    ],
    [
      "a database cut in half",
      (workspace) => truncateSync(inside(workspace, "tidemark.db"), 40_000),
      /✗ the database is damaged .*: database disk image is malformed/,
    ],
  ];

describe("tidemark doctor", () => {
  it("says that a healthy workspace is well, and leaves every byte as it was", async () => {
    const workspace = await copy();
    const before = state(workspace);
    const { code, out } = await doctor(workspace);
    expect({ code, bad: out.split("\n").filter((line) => /^[✗]/.test(line)) }).toEqual({
      code: 0,
      bad: [],
    });
    expect(out).toMatch(/✓ the database is sound \(tidemark\.db, [^]*a model adds the rest/);
    expect((await doctor(workspace, "--fix")).code).toBe(0);
    expect(state(workspace)).toBe(before);
  });

  it("tells of what a person can set right", async () => {
    const workspace = await copy();
    chmodSync(inside(workspace, "lock.db"), 0o644);
    const { code, out } = await doctor(workspace);
    expect(code).toBe(0);
    expect(flat(out)).toMatch(/! .+lock\.db can be read by others; .* → chmod -R go= \S+/);
    rmSync(inside(workspace, "tidemark.db"));
    expect(flat((await doctor(workspace)).out)).toMatch(/! there is no tidemark\.db yet/);
    await (await open(workspace)).tidemark.close();
    expect(flat((await doctor(workspace)).out)).toMatch(
      /! the database was begun on 20\S+ \S+ UTC beside pages of before: lines of MEMORY\.md were/,
    );
  });

  it.each(SICK)("finds %s and changes nothing; --fix mends it", async (_what, harm, says) => {
    const workspace = await copy();
    harm(workspace);
    const before = state(workspace);
    const plain = await doctor(workspace);
    expect(flat(plain.out)).toMatch(says);
    expect(flat(plain.out)).toMatch(/"tidemark doctor --fix", puts it aside/);
    expect(plain.code).toBe(1);
    expect(state(workspace)).toBe(before);

    const fixed = await doctor(workspace, "--fix");
    expect(fixed).toMatchObject({ code: 0 });
    expect(flat((await doctor(workspace)).out)).not.toMatch(says);
    const { tidemark, events } = await open(workspace);
    expect(said(events)).toBe("");
    const messages = await readsTrue(tidemark);
    expect(messages).toBeLessThanOrEqual(TALKS * TURNS);
    expect((await tidemark.memory.list()).length).toBeGreaterThan(0);
    await tidemark.close();
  });

  it("names secrets by file and line, and never says them", async () => {
    const workspace = await copy();
    const secret = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
    writeFileSync(join(workspace, "USER.md"), `# Me\n\nMy token is ${secret}\n`);
    const { code, out } = await doctor(workspace);
    expect(code).toBe(0);
    expect(out).toMatch(/! USER\.md holds a secret \(line 3\)/);
    expect(out).not.toContain(secret);
  });

  it("shows what was put aside", async () => {
    const workspace = await copy();
    const page = join(workspace, "MEMORY.md");
    appendFileSync(page, "\n<<<<<<< a\n=======\n>>>>>>> b\n");
    await executeHere(["recall", "boat", "--workspace", workspace]);
    const others = ["MEMORY (conflicted copy).md", "MEMORY.sync-conflict-20260301-1.md"];
    for (const name of others) writeFileSync(join(workspace, name), "- Boats.\n");
    const told = flat((await doctor(workspace)).out);
    expect(told).toMatch(/a page was put aside: \S+-aside\.md/);
    for (const name of others) expect(told).toContain(`a page was put aside: ${name}`);
    writeFileSync(inside(workspace, "tidemark.db"), "rubbish ".repeat(5_000));
    expect(flat((await doctor(workspace, "--fix")).out)).toMatch(
      /The database was damaged \(file is/,
    );
    const { code, out } = await doctor(workspace);
    expect(code).toBe(0);
    expect(flat(out)).toMatch(
      /! tidemark\.db\.damaged-20\S+ \(40(?:\.0)? kB\) was put aside as damaged → delete it/,
    );
  });
});
