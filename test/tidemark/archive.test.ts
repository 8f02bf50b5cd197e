import fc from "fast-check";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  existsSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openTidemark, type Tidemark } from "../../src/index.ts";
import type { Unit } from "../../src/storage/port.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { exportArchive, importArchive } from "../../src/tidemark/upkeep/archive.ts";
import { chance } from "../support/histories-random.ts";
import { insert } from "../contracts/made.ts";
import { assistant, asReply, requestOf, user } from "../support/talk.ts";
import { fileFolder } from "../support/afterwards.ts";
import { noteIn, putNote } from "../support/workspace.ts";

const home = fileFolder();
let made = 0;
const fresh = (): string => join(home, `${(made += 1)}`);
const START = Date.UTC(2026, 10, 21, 10);
const now = (): number => START;

async function exported(workspace: string): Promise<{ path: string; body: string }> {
  const path = `${fresh()}.jsonl`;
  await exportArchive({ workspace, to: path, now });
  return { path, body: readFileSync(path, "utf8").split("\n").slice(1).join("\n") };
}

/** A workspace of chance: users, agents, keys, values of the past, forgetting, folds, pins, pictures, odd characters, files of a person. */
async function live(workspace: string, seed: number): Promise<void> {
  const draw = chance(seed);
  let clock = START - 30 * 86_400_000;
  const tidemark = await openTidemark({
    workspace,
    distil: "extractive",
    window: { tokens: 6_000 },
    now: () => (clock += 1_800_000),
  });
  const people = [
    tidemark,
    tidemark.as({ user: "ada" }),
    tidemark.as({ user: "Ünï/..", agent: "ops", project: "tide" }),
  ];
  for (let step = 0; step < 25; step += 1) {
    const who = draw.pick(people);
    const scope = who === people[1] ? "user:ada" : undefined;
    if (draw.maybe(0.5))
      await who.memory.save({
        content: `${draw.text(60)} ${step}`,
        ...(draw.maybe(0.4) ? { key: `k${draw.nat(3)}` } : {}),
        ...(scope === undefined ? {} : { scope }),
        tags: [`tag ${draw.nat(5)}`],
        importance: draw.nat(10) / 10,
      });
    else if (draw.maybe(0.2)) await who.memory.forget((await who.memory.list())[0]?.id ?? "none");
    else if (draw.maybe(0.3)) await who.memory.recall(draw.text(10));
    else {
      const picture = {
        type: "image",
        source: { type: "base64", media_type: "image/png", data: draw.bytes(600, 900) },
      };
      const messages = Array.from({ length: 1 + 2 * draw.nat(12) }, (_, at) =>
        at % 2 === 0
          ? user(
              draw.maybe(0.1) ? [{ type: "text", text: draw.text(400) }, picture] : draw.text(900),
            )
          : assistant(draw.text(900)),
      );
      const turn = await who.begin(requestOf(messages));
      await turn.end(asReply(assistant(draw.text(100))));
      if (draw.maybe(0.3)) await who.pin(draw.text(40) + step);
      if (draw.maybe(0.2))
        await who.history.import({
          id: `old-${step}`,
          messages: [{ role: "user", text: draw.text(50) + "x", at: clock - step }],
        });
    }
  }
  await tidemark.close();
  writeFileSync(join(workspace, "records-of-mine.md"), `${draw.text(500)}\u2028\r\n`);
  mkdirSync(join(workspace, "records/decision"), { recursive: true });
  writeFileSync(
    join(workspace, "records/decision/raw.bin"),
    Buffer.from(draw.bytes(10, 200), "base64"),
  );
}

let one = "";
let archive = { path: "", body: "" };
beforeAll(async () => {
  one = fresh();
  await live(one, 7);
  archive = await exported(one);
});

/** What a reader of the workspace gets. */
async function seen(workspace: string): Promise<unknown> {
  const tidemark = await openTidemark({ workspace, distil: "extractive", now });
  try {
    return await Promise.all(
      [
        tidemark,
        tidemark.as({ user: "ada" }),
        tidemark.as({ user: "Ünï/..", agent: "ops", project: "tide" }),
      ].map(async (who) => ({
        memories: await who.memory.list(),
        conversations: await Promise.all(
          (await who.history.list()).map(async (about) => [
            about,
            await who.history.read({ conversation: about.id }),
          ]),
        ),
        folds: await who.history.folds(),
        pins: await who.pins(),
      })),
    );
  } finally {
    await tidemark.close();
  }
}

describe("export and import", () => {
  it("come round to the same bytes for any workspace, and its journal still says what its index holds", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const [source, target] = [fresh(), fresh()];
        await live(source, seed);
        const first = await exported(source);
        await importArchive({ from: first.path, workspace: target, now });
        expect((await exported(target)).body).toBe(first.body);
        expect(await seen(target)).toEqual(await seen(source));
      }),
      { numRuns: Number(process.env.TIDEMARK_ARCHIVES ?? 3) },
    );
  });

  it("are for their owner's eyes only", () => {
    expect(statSync(archive.path).mode & 0o777).toBe(0o600);
  });

  it("keep what waits to be decided, where skills stand, and which agents were seen in which team", async () => {
    const [source, target] = [fresh(), fresh()];
    const open = (workspace: string) =>
      openTidemark({
        workspace,
        distil: "extractive",
        listen: false,
        identity: { agent: "scout", team: "crew", user: "ada" },
      });
    const before = await open(source);
    const { id } = await before.memory.save({ content: "Tides turn.", scope: "agent:scout" });
    await before.memory.promote(id, { to: "team:crew" });
    await before.notes.write("tides.md", "# Tides");
    await before.notes.promote("tides.md", { to: "team:crew" });
    await before.close();
    const all = async (tidemark: Tidemark) =>
      [...(await tidemark.proposals.list()), ...(await lead(tidemark).proposals.list())].map(
        ({ id, kind, to, memory }) => ({ id, kind, to, memory }),
      );
    const lead = (tidemark: Tidemark): Tidemark =>
      tidemark.as({ agent: "boss", user: "eve", role: "lead" });
    const again = await open(source);
    const waiting = await all(again);
    await again.close();
    const skills = '[["0mwv",["/somewhere/skills"]]]';
    await putNote(source, "skills", skills);

    await importArchive({ from: (await exported(source)).path, workspace: target, now });
    expect(await noteIn(target, "skills")).toBe(skills);
    const after = await open(target);
    expect(await all(after)).toEqual(waiting);
    expect(waiting.map(({ kind }) => kind)).toEqual(["promotion", "note", "promotion", "note"]);
    await lead(after).memory.inject({ to: "agent:scout", content: "Row at low tide." });
    await after.close();
  });

  it("change nothing where all is there, and refuse another folder", async () => {
    const [same, other] = [fresh(), fresh()];
    const into = (workspace: string) => importArchive({ from: archive.path, workspace, now });
    await into(same);
    const none = { files: 0, memories: 0, past: 0, conversations: 0, messages: 0, left: [] };
    expect(await into(same)).toEqual(none);
    expect((await exported(same)).body).toBe(archive.body);
    mkdirSync(other);
    writeFileSync(join(other, "photo.jpg"), "x");
    const told = { code: "workspace", message: expect.stringMatching(/import into a new folder/) };
    await expect(into(other)).rejects.toMatchObject(told);
    expect(readdirSync(other)).toEqual(["photo.jpg"]);
    await expect(into(join(other, "photo.jpg"))).rejects.toMatchObject(told);
    expect(readFileSync(join(other, "photo.jpg"), "utf8")).toBe("x");
  });

  const lines = (): string[] => readFileSync(archive.path, "utf8").split("\n");
  const BROKEN: readonly (readonly [what: string, spoil: () => string, says: RegExp])[] = [
    [
      "torn within a line",
      () => lines().join("\n").slice(0, -400),
      /because of line \d+: it is cut off|is torn/,
    ],
    [
      "torn between lines",
      () => `${lines().slice(0, 20).join("\n")}\n`,
      /is torn: it lacks its end/,
    ],
    [
      "with a line changed",
      () =>
        lines()
          .map((line) => line.replace("Ada", "Eve").replace(/"importance":0\.\d/, '"importance":1'))
          .join("\n"),
      /line \d+: the lines before it are not what was exported/,
    ],
    [
      "with a line twice",
      () =>
        lines()
          .flatMap((line, at) => (at === 5 ? [line, line] : [line]))
          .join("\n"),
      /the lines before it are not/,
    ],
    [
      "going on behind its end",
      () => `${lines().join("\n")}{"file":"x.md","text":""}\n`,
      /line \d+: it stands behind the end/,
    ],
    [
      "of a newer form",
      () => lines().join("\n").replace('"tidemark-archive":3', '"tidemark-archive":4'),
      /is an archive of form 4; this version reads form 3/,
    ],
    ["of something else", () => '{"role":"user","content":"hi"}\n', /is no archive of Tidemark/],
    ["empty", () => "", /is torn/],
    ...[
      "../evil.md",
      "/etc/evil.md",
      ".tidemark/tidemark.db",
      "a/../../evil.md",
      "a\\..\\evil.md",
      "a//b",
      "nul\0.md",
    ].map(
      (file) =>
        [
          `with the file ${JSON.stringify(file)}`,
          () =>
            [lines()[0], JSON.stringify({ file, text: "evil" }), ...lines().slice(1)].join("\n"),
          /line 2: .* is no path of a file in a workspace/,
        ] as const,
    ),
    [
      "with a file twice",
      () => [lines()[0], ...[1, 2].map(() => '{"file":"x.md","text":""}')].join("\n"),
      /line 3: the file "x\.md" is there a second time/,
    ],
    [
      "with a line of nothing known",
      () => [lines()[0], '{"kept":"../evil","text":"{}"}', ...lines().slice(1)].join("\n"),
      /line 2: it holds no file/,
    ],
    [
      "with a row of no table",
      () => [lines()[0], '{"table":"sqlite_schema","row":{}}', ...lines().slice(1)].join("\n"),
      /line 2: there is no table "sqlite_schema"/,
    ],
    [
      "with a column of no table",
      () =>
        [lines()[0], '{"table":"session","row":{"id) values (1)--":1}}', ...lines().slice(1)].join(
          "\n",
        ),
      /line 2: "session" has no column/,
    ],
    [
      "with words that are not what their digest says",
      () =>
        lines()
          .join("\n")
          .replace(/("table":"body","row":\{"hash":")\w\w\w\w/, "$10000"),
      /line \d+: it is no row of "body"/,
    ],
  ];
  it.each(BROKEN)(
    "refuse an archive %s, with the line, and write nothing",
    async (_what, spoil, says) => {
      const [path, target] = [`${fresh()}.jsonl`, fresh()];
      writeFileSync(path, spoil());
      await expect(importArchive({ from: path, workspace: target, now })).rejects.toMatchObject({
        code: "workspace",
        message: expect.stringMatching(says),
      });
      expect(existsSync(target)).toBe(false);
    },
  );

  it("carry no debts: a page that was behind is written anew where it came to, and forgotten words do not leave", async () => {
    const [workspace, target] = [fresh(), fresh()];
    const open = (folder: string) => openTidemark({ workspace: folder, listen: false, now });
    const here = await open(workspace);
    await here.memory.save("The first crate is aboard.");
    await here.close();
    const owing = async (unit: Unit): Promise<void> => {
      const store = openStorage(join(workspace, ".tidemark", "tidemark.db"));
      await store.commit(unit);
      await store.close();
    };
    const scope = "agent:default";
    const late = insert("late", "The second crate is late.", { scope });
    await owing({ memories: [late], debts: [{ kind: "page", scope, at: START }] });
    const { path, body } = await exported(workspace);
    expect(body).not.toContain('"table":"debt"');
    await importArchive({ from: path, workspace: target, now });
    const there = await open(target);
    await there.idle();
    expect(readFileSync(join(target, "MEMORY.md"), "utf8")).toContain("second crate is late");
    await there.close();
    await owing({ debts: [{ kind: "erase", scope, at: START, text: '{"ids":[],"said":[]}' }] });
    await expect(exported(workspace)).rejects.toThrow("Words of what was forgotten still stand");
  });

  it("leave links alone, write over nothing and not into the workspace itself", async () => {
    const workspace = fresh();
    await (await openTidemark({ workspace })).close();
    symlinkSync("/etc/hostname", join(workspace, "host.md"));
    const report = await exportArchive({ workspace, to: `${workspace}.jsonl`, now });
    expect(report.leftOut).toEqual(["host.md"]);
    await expect(exportArchive({ workspace, to: `${workspace}.jsonl`, now })).rejects.toThrow(
      /is there already/,
    );
    await expect(exportArchive({ workspace, to: join(workspace, "x.jsonl"), now })).rejects.toThrow(
      /lies inside the workspace/,
    );
  });
});
