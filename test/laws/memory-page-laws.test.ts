import fc from "fast-check";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTidemark, type Tidemark } from "../../src/index.ts";
import type { Memory } from "../../src/core/memory.ts";
import { rebuildIndexes } from "../../src/tidemark/upkeep/mended-database.ts";
import { lineOf, readLine, shownText } from "../../src/workspace/pages/page-lines.ts";
import { EMPTY_PAGE, readPage, writePage } from "../../src/workspace/pages/memory-page.ts";
import { pageEdits } from "../../src/workspace/pages/memory-page-diff.ts";
import { freshFolder, NOON } from "../support/workspace.ts";
import { runs } from "../support/runs.ts";
import { withSnapshots } from "../support/snapshots.ts";
import { anyCharacter } from "../support/any-character.ts";

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({
    unit: fc.constantFrom(
      "\n",
      "\r",
      "\\",
      "<!--",
      "-->",
      "<! --",
      " ",
      "- ",
      "1. ",
      "#",
      "|",
      "```",
      "\u2028",
      "\ud800",
      "\u202e",
      "🐱",
      "\0",
      "(unverified) ",
      "(2026-01-01)",
      "…",
      "a",
      "<!-- tidemark:head -->",
      "word ".repeat(70),
    ),
    maxLength: 12,
  }),
);
const anyMemory = fc.record({
  content: anyText,
  category: fc.constantFrom("rule", "identity", "x"),
  origin: fc.constantFrom<Memory["origin"]>("user", "tool"),
  at: fc.integer({ min: 0, max: 8e15 }),
});

it("a line reads back as what it shows, whatever it shows; a page as it was written holds no edits, and is written so again", () => {
  fc.assert(
    fc.property(fc.array(anyMemory, { maxLength: 6 }), anyText, (some, ownText) => {
      const memories = some.map((memory, at) => ({ ...memory, id: `m${at}` }));
      for (const memory of memories)
        if (shownText(memory.content) !== "")
          expect(readLine(lineOf(memory, "7k2p"))).toMatchObject({
            text: shownText(memory.content),
            mark: "7k2p",
          });
      const head = readPage(ownText).head;
      const { text, copy } = writePage(memories, { head, lifted: new Map() });
      expect(pageEdits(readPage(text), [copy], copy)).toMatchObject({
        changed: [],
        gone: [],
        added: [],
      });
      expect(writePage(memories, { head: readPage(text).head, lifted: new Map() }).text).toBe(text);
    }),
    { numRuns: runs(200) },
  );
});

it("rules that a person drew one under another stay rules", () => {
  const head = "Boats.\n\n---\n---\n---";
  const { text } = writePage([], { head, lifted: new Map() });
  expect(readPage(text).head.trim()).toBe(head);
});

it("a new workspace begins with the page of no memories, and with none of its lines", () => {
  expect(
    readFileSync(join(import.meta.dirname, "../../workspace-template/MEMORY.md"), "utf8"),
  ).toBe(EMPTY_PAGE.text);
  expect(readPage(EMPTY_PAGE.text)).toEqual({ head: "", lines: [], name: EMPTY_PAGE.copy.name });
});

const boat = (n: number, pier: number): string => `Boat ${n} lies at pier ${pier}.`;
const pick = fc.nat({ max: 1_000 });
const round = fc.record({
  saves: fc.nat({ max: 2 }),
  updates: fc.array(pick, { maxLength: 1 }),
  forgets: fc.array(pick, { maxLength: 1 }),
  changes: fc.array(pick, { maxLength: 3 }),
  deletes: fc.array(pick, { maxLength: 2 }),
  adds: fc.nat({ max: 2 }),
  bare: fc.boolean(),
  killedAt: pick,
});

/** What memory is to hold: the pier of each boat. */
interface Model {
  readonly piers: Map<number, number>;
  readonly gone: number[];
  next: number;
}
const contentsOf = ({ piers }: Model): string[] =>
  [...piers].map(([n, pier]) => boat(n, pier)).sort();
const some = <T>(list: readonly T[], at: number): T | undefined =>
  list.length === 0 ? undefined : list[at % list.length];

async function said(tidemark: Tidemark): Promise<string[]> {
  return (await tidemark.memory.list({ limit: 1_000 })).map(({ content }) => content).sort();
}

type Program = { saves: number; updates: number[]; forgets: number[] };

/** What a program does; `does` hears of each deed. */
async function byProgram(
  tidemark: Tidemark,
  model: Model,
  { saves, updates, forgets }: Program,
  does: (work: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const idOf = async (n: number): Promise<string> =>
    (await tidemark.memory.list({ limit: 1_000 })).find(
      ({ content }) => content === boat(n, model.piers.get(n) ?? 0),
    )?.id ?? "";
  for (let save = 0; save < saves; save += 1) {
    const n = (model.next += 1);
    await does(() => tidemark.memory.save(boat(n, n)));
    model.piers.set(n, n);
  }
  for (const at of updates) {
    const n = some([...model.piers.keys()], at);
    if (n === undefined) continue;
    const [id, pier] = [await idOf(n), (model.next += 1)];
    await does(() => tidemark.memory.update(id, { content: boat(n, pier) }));
    model.piers.set(n, pier);
  }
  for (const at of forgets) {
    const n = some([...model.piers.keys()], at);
    if (n === undefined) continue;
    const id = await idOf(n);
    await does(() => tidemark.memory.forget(id));
    model.piers.delete(n);
    model.gone.push(n);
  }
}

/** What a person makes of the page, in one save of their editor. */
function byHand(
  page: string,
  model: Model,
  {
    changes,
    deletes,
    adds,
    bare,
  }: { changes: number[]; deletes: number[]; adds: number; bare: boolean },
): string {
  let text = page;
  const left = [...model.piers.keys()];
  const take = (at: number): number | undefined =>
    left.splice(left.length === 0 ? 0 : at % left.length, 1)[0];
  for (const at of changes) {
    const n = take(at);
    if (n === undefined) continue;
    const pier = (model.next += 1);
    text = text.replace(boat(n, model.piers.get(n) ?? 0), boat(n, pier));
    model.piers.set(n, pier);
  }
  for (const at of deletes) {
    const n = take(at);
    if (n === undefined) continue;
    text = text
      .split("\n")
      .filter((row) => !row.includes(`Boat ${n} `))
      .join("\n");
    model.piers.delete(n);
  }
  for (let add = 0; add < adds; add += 1) {
    const n = (model.next += 1);
    model.piers.set(n, n);
    text =
      add === 0 || !text.includes("\n## ")
        ? `${text}${boat(n, n)}\n`
        : text.replace("\n## ", `\n- ${boat(n, n)}\n\n## `);
  }
  // Some editors and hosts strip comments; without its mark a changed line would be another one.
  return bare && changes.length === 0 ? text.replaceAll(/ <!-- [0-9a-z]{4} -->/g, "") : text;
}

it("an edit of the page is an edit of memory, by whom and in whatever order, killed at whatever step; what was forgotten is gone; the files alone give the same", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 4 }), async (rounds) => {
      const home = freshFolder();
      const workspace = join(home, "workspace");
      let now = NOON;
      const open = (folder: string): Promise<Tidemark> =>
        openTidemark({
          workspace: folder,
          distil: "extractive",
          embed: false,
          now: () => (now += 7),
        });
      const model: Model = { piers: new Map(), gone: [], next: 0 };
      let tidemark = await open(workspace);
      let deeds = 0;
      /** Does the work; whoever dies at it leaves a folder in which memory is as before, or as it is then. */
      const killed = async (
        work: () => Promise<unknown>,
        at: number,
        before?: readonly string[],
      ): Promise<void> => {
        deeds += 1;
        const copy = (step: number): string => join(home, `killed-${deeds}-${step}`);
        const steps = await withSnapshots(
          workspace,
          (step) => (step % 6 === at % 6 ? copy(step) : undefined),
          work,
        );
        const after = await said(tidemark);
        for (let step = 1; step <= steps; step += 1) {
          if (!existsSync(copy(step))) continue;
          const next = await open(copy(step));
          expect([before ?? after, after]).toContainEqual(await said(next));
          await next.close();
          rmSync(copy(step), { recursive: true });
        }
      };
      const path = join(workspace, "MEMORY.md");
      for (const one of rounds) {
        await byProgram(tidemark, model, one, async (work) =>
          killed(() => work().then(tidemark.idle), one.killedAt, await said(tidemark)),
        );
        writeFileSync(path, byHand(readFileSync(path, "utf8"), model, one));
        await killed(
          async () => expect(await said(tidemark)).toEqual(contentsOf(model)),
          one.killedAt,
        );
        expect(
          readFileSync(path, "utf8")
            .split("\n")
            .flatMap((row) => /^- (.*) \(/.exec(row)?.[1] ?? [])
            .sort(),
        ).toEqual(contentsOf(model));
      }
      await tidemark.close();
      for (const { parentPath, name } of readdirSync(workspace, {
        recursive: true,
        withFileTypes: true,
      }).filter((entry) => entry.isFile() && /\.(?:md|json)$/.test(entry.name)))
        for (const n of model.gone)
          expect(readFileSync(join(parentPath, name), "utf8"), name).not.toMatch(
            new RegExp(`Boat ${n} `),
          );
      await rebuildIndexes({ workspace, now: () => now });
      tidemark = await open(workspace);
      expect(await said(tidemark)).toEqual(contentsOf(model));
      await tidemark.close();
    }),
    { numRuns: runs(8) },
  );
});
