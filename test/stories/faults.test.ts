import {
  copyFileSync,
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isTidemarkError, type TidemarkEvent } from "../../src/core/errors-and-events.ts";
import {
  copy,
  HEARD,
  home,
  open,
  readsTrue,
  said,
  START,
  talk,
  TALKS,
  tryToTalk,
  TURNS,
} from "../support/faults.ts";
import { chance } from "../support/histories-random.ts";

const damage: Readonly<Record<string, (path: string, draw: ReturnType<typeof chance>) => void>> = {
  "cut off": (path, draw) => truncateSync(path, draw.nat(statSync(path).size)),
  "bytes overwritten": (path, draw) => {
    const file = openSync(path, "r+");
    for (let hits = 1 + draw.nat(6); hits > 0; hits -= 1)
      writeSync(
        file,
        Buffer.from(draw.bytes(1, 300), "base64"),
        0,
        undefined,
        draw.nat(statSync(path).size),
      );
    closeSync(file);
  },
  "a page of zeros": (path, draw) => {
    const file = openSync(path, "r+");
    writeSync(
      file,
      Buffer.alloc(4096),
      0,
      4096,
      4096 * draw.nat(Math.floor(statSync(path).size / 4096)),
    );
    closeSync(file);
  },
  "other bytes": (path, draw) => writeFileSync(path, Buffer.from(draw.bytes(1, 20_000), "base64")),
  emptied: (path) => truncateSync(path, 0),
};

/** So many kinds of damage to each database; the drill does more. */
const CASES = Number(process.env.TIDEMARK_FAULTS ?? 4);
/** Where the drill wants to read what was found. */
const REPORT = process.env.TIDEMARK_FAULTS_REPORT;

/** One workspace whose file was damaged: what was met, mended and told. Throws where something was lost in silence or said wrongly. */
async function survives(seed: number): Promise<{ mended: boolean }> {
  const whole = { messages: TALKS * TURNS, facts: 30 };
  const name = "tidemark.db";
  const draw = chance(seed * 7 + name.length);
  const [kind, harm] = draw.pick(Object.entries(damage));
  const workspace = await copy();
  harm(join(workspace, ".tidemark", name), draw);
  const heard: TidemarkEvent[] = [];
  let last = { messages: 0, facts: 0 };
  // First met, then mended, then well.
  for (let start = 0; start < 3; start += 1) {
    const { tidemark, events } = await open(workspace);
    await talk(tidemark, `Are you there, ${seed}?`);
    const messages = await readsTrue(tidemark).catch(
      (thrown: unknown) => (expect(isTidemarkError(thrown)).toBe(true), -1),
    );
    const facts = await tidemark.memory.list().then(
      (list) => list.filter(({ content }) => content.startsWith("Quay")).length,
      (thrown: unknown) => (expect(isTidemarkError(thrown)).toBe(true), -1),
    );
    await tidemark.memory
      .recall("which quay belongs to captain number 7?")
      .catch((thrown: unknown) => expect(isTidemarkError(thrown)).toBe(true));
    await tidemark.close().catch((thrown: unknown) => expect(isTidemarkError(thrown)).toBe(true));
    heard.push(...events);
    last = { messages, facts };
  }
  const at = `${kind}, seed ${seed}: ${JSON.stringify(last)} ${said(heard)}`;
  // What is missing was told; an emptied file is a new one to SQLite, and lacks what the header cannot say.
  const isNew = heard.some((event) => event.type === "notice" && event.about === "adopted");
  if (!isNew && (last.messages < whole.messages || last.facts < whole.facts))
    expect(said(heard), at).toMatch(/damaged|could not be read|gone|put aside/);
  expect(last.messages, at).toBeGreaterThanOrEqual(0);
  expect(last.facts, at).toBeGreaterThanOrEqual(0);
  const mended = /put aside as/.test(said(heard));
  if (mended)
    expect(
      readdirSync(join(workspace, ".tidemark")).some((file) =>
        file.startsWith(`${name}.damaged-20`),
      ),
      at,
    ).toBe(true);
  rmSync(workspace, { recursive: true, force: true });
  return { mended };
}

describe("a damaged database", () => {
  it("is used as far as it can be, told, mended at the next start, and never said wrongly", async () => {
    const broken: string[] = [];
    let mended = 0;
    // The first draws empty the file, and lose the page that says whose the memories are.
    for (let seed = 31; seed < 31 + CASES; seed += 1) {
      const found = await survives(seed).catch(
        (thrown: unknown) => (broken.push(String(thrown)), undefined),
      );
      if (found?.mended === true) mended += 1;
    }
    if (REPORT !== undefined)
      appendFileSync(
        REPORT,
        `${JSON.stringify({ name: "tidemark.db", tried: CASES, survived: CASES - broken.length, mended, broken })}\n`,
      );
    expect(broken).toEqual([]);
    expect(mended).toBeGreaterThan(CASES / 4);
  });
});

describe("a history that is damaged", () => {
  it("is filled up from the backup that tidy made, where the file itself cannot be read", async () => {
    const workspace = await copy();
    const first = await open(workspace);
    const { backup } = await first.tidemark.tidy();
    expect(statSync(backup ?? "").mode & 0o777).toBe(0o600);
    await talk(first.tidemark, HEARD);
    await first.tidemark.close();
    writeFileSync(
      join(workspace, ".tidemark/tidemark.db"),
      "no database at all, and long enough to be looked at as one: ".repeat(200),
    );
    const { tidemark, events } = await open(workspace);
    expect(said(events)).toMatch(
      /put aside as tidemark\.db\.damaged-2026.*came from the backup .+, as of its date/s,
    );
    expect(await readsTrue(tidemark)).toBe(TALKS * TURNS);
    expect(JSON.stringify(await tidemark.history.list())).not.toContain(HEARD);
    await tidemark.close();
  });

  it("has at most three backups, makes none anew when nothing was said, and forgets in them too", async () => {
    const workspace = await copy();
    const { tidemark } = await open(workspace);
    const folder = join(workspace, ".tidemark/backups");
    const backups = (): string[] =>
      readdirSync(folder).filter((name) => name.startsWith("tidemark-"));
    for (let round = 0; round < 5; round += 1) {
      await talk(tidemark, `${HEARD} ${round}`);
      await tidemark.tidy();
    }
    expect(backups()).toHaveLength(3);
    // What was said last may bear the very time of the copy, or reach the file from the log behind it: then there is one more.
    await expect
      .poll(async () => {
        const before = backups();
        await tidemark.tidy();
        return backups().join() === before.join();
      })
      .toBe(true);
    // Another process died as it made one.
    copyFileSync(join(folder, backups()[0] ?? ""), join(folder, "tidemark-2026-11-01.db.tmp"));
    for (const { id } of await tidemark.history.list())
      await tidemark.history.forget({ conversation: id });
    await tidemark.close();
    for (const name of backups())
      expect(readFileSync(join(folder, name)).includes("harbour master")).toBe(false);
    expect(backups().length).toBeGreaterThan(0);
  });

  it("keeps what stands on both sides of a page that is lost, and says how much is not there", async () => {
    const workspace = await copy();
    const path = join(workspace, ".tidemark/tidemark.db");
    const bytes = readFileSync(path);
    const at = bytes.indexOf("Boat 5 carries crate 3");
    bytes.fill(0, at - (at % 4096), at - (at % 4096) + 4096);
    writeFileSync(path, bytes);
    const met = await open(workspace);
    await readsTrue(met.tidemark).catch(() => undefined);
    expect(said(met.events)).toMatch(
      /database: .+tidemark\.db is damaged .* mended at the next start/,
    );
    await met.tidemark.close();
    const { tidemark, events } = await open(workspace);
    const kept = await readsTrue(tidemark);
    const lost = Number(/(\d+) messages? missing\./.exec(said(events))?.[1]);
    expect(kept).toBeGreaterThan(TALKS * TURNS * 0.6);
    expect(kept + lost).toBe(TALKS * TURNS);
    expect(await tidemark.pin("Another pin")).toBeTypeOf("string");
    await tidemark.close();
  });

  it("is mended once, by whoever comes first, and not under the hands of a process that has it open", async () => {
    const workspace = await copy();
    writeFileSync(join(workspace, ".tidemark/tidemark.db"), "rubbish ".repeat(3_000));
    const both = await Promise.all([open(workspace), open(workspace), open(workspace)]);
    for (const { tidemark } of both) await talk(tidemark, HEARD);
    expect(
      both.flatMap(({ events }) => said(events).match(/database was damaged/g) ?? []),
    ).toHaveLength(1);
    expect(both.map(({ events }) => said(events)).join()).toMatch(
      /0 memories and 0 conversations with 0 messages were read into a new one\. How much is missing cannot be said\./,
    );
    const marked = join(workspace, ".tidemark/tidemark.db.suspect");
    writeFileSync(marked, "seen");
    const file = openSync(join(workspace, ".tidemark/tidemark.db"), "r+");
    writeSync(file, Buffer.alloc(4096), 0, 4096, 4096 * 20);
    closeSync(file);
    const late = await open(workspace);
    expect(said(late.events)).toMatch(
      /database: .+ is damaged and another process has it open: .* End it, then start again/,
    );
    await talk(late.tidemark, HEARD);
    for (const { tidemark } of [...both, late])
      await tidemark.close().catch((thrown: unknown) => expect(isTidemarkError(thrown)).toBe(true));
    const after = await open(workspace);
    expect(said(after.events)).toMatch(/database was damaged/);
    await after.tidemark.close();
  });
});

describe("something else in a file's place", () => {
  it("a folder: one error that says what to do", async () => {
    const workspace = await copy();
    rmSync(join(workspace, ".tidemark/tidemark.db"));
    mkdirSync(join(workspace, ".tidemark/tidemark.db"));
    expect(await tryToTalk(workspace)).toMatch(
      /is a folder, where a database belongs\. Move the folder away/,
    );
  });

  it("a clock that jumps back by years: nothing is lost, ids stay different, the newest word holds", async () => {
    const workspace = await copy();
    let now = START + 1_000_000;
    const { tidemark } = await open(workspace, { now: () => (now += 1) });
    const one = await tidemark.memory.save({ content: "The gate opens at six.", key: "gate" });
    now -= 3 * 365 * 86_400_000;
    const two = await tidemark.memory.save({ content: "The gate opens at seven.", key: "gate" });
    await talk(tidemark, HEARD);
    expect([two.id, two.version]).toEqual([one.id, 2]);
    await tidemark.close();
    const again = await open(workspace, { now: () => (now += 1) });
    expect((await again.tidemark.memory.get(one.id))?.content).toBe("The gate opens at seven.");
    expect((await again.tidemark.history.list()).length).toBe(TALKS + 1);
    await again.tidemark.close();
  });

  it("a folder with blanks, quotes, percent signs and other alphabets in its name", async () => {
    const workspace = join(home, 'Mein Büro – 潮汐\'s "100%" #1?', "räum e");
    mkdirSync(workspace, { recursive: true });
    const { tidemark, events } = await open(workspace);
    await talk(tidemark, HEARD);
    await tidemark.memory.save("The lighthouse is blue.");
    expect((await tidemark.tidy()).backup).toContain("räum e");
    await tidemark.close();
    writeFileSync(join(workspace, ".tidemark/tidemark.db"), "rubbish ".repeat(1000));
    const again = await open(workspace);
    expect((await again.tidemark.memory.recall("lighthouse"))[0]?.text).toBe(
      "The lighthouse is blue.",
    );
    expect(await again.tidemark.history.list()).toHaveLength(1);
    await again.tidemark.close();
    expect(said(events)).toBe("");
  });
});
