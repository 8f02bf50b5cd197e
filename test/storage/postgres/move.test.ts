import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openTidemark } from "../../../src/index.ts";
import { postgresStorage } from "../../../src/storage/postgres/postgres-storage.ts";
import { exportArchive } from "../../../src/tidemark/upkeep/archive.ts";
import { move, moved } from "../../../src/tidemark/upkeep/move.ts";
import { openPlace, type AnyWorkspace, serverPlace } from "../../../src/tidemark/upkeep/places.ts";
import { assistant, asReply, requestOf, user } from "../../support/talk.ts";
import { fileFolder } from "../../support/afterwards.ts";
import { pglite } from "../../support/pglite.ts";
import { putNote } from "../../support/workspace.ts";

const { server, schema } = pglite();
const home = fileFolder();
let made = 0;
const fresh = (): string => join(home, `${(made += 1)}`);
const now = (): number => Date.UTC(2026, 10, 21, 10);
const folder = (workspace: string, cure?: string) => openPlace({ workspace, now }, cure);
const rows = async (name: string, cure?: string) =>
  serverPlace(
    await postgresStorage(server, name, { where: `schema ${name}`, isThere: cure === undefined }),
  );
const store = (name: string) => postgresStorage(server, name);

async function lines(workspace: string): Promise<string[]> {
  const to = `${fresh()}.jsonl`;
  await exportArchive({ workspace, to, now });
  return readFileSync(to, "utf8").split("\n").slice(1).sort();
}

async function live(workspace: string): Promise<void> {
  let clock = now() - 30 * 86_400_000;
  const tidemark = await openTidemark({
    ...{ workspace, distil: "extractive", listen: false, window: { tokens: 6_000 } },
    now: () => (clock += 1_800_000),
  });
  const ada = tidemark.as({ user: "ada" });
  for (const [at, who] of [
    tidemark,
    ada,
    tidemark.as({ user: "Ünï/..", agent: "ops" }),
  ].entries()) {
    const odd = `odd \0\u0001\u2028 \ud800 "\\u0000" \u{1f40b} ${at}`;
    const said = odd.replace("\ud800", "");
    await who.memory.save({
      content: `The crate is red ${said}`,
      key: "crate",
      tags: [`tag "\\u0000" ${at}`],
    });
    await who.memory.save({ content: `The crate is blue ${said}`, key: "crate" });
    await who.memory.save({ content: `Two doors, one code ${at}`, key: `door ${at}` });
    for (let turns = 3; turns < 30; turns += 8) {
      const messages = Array.from({ length: turns }, (_, nth) =>
        nth % 2 === 0
          ? user(`${odd} ${nth} ${"tide and time ".repeat(60)}`)
          : assistant([
              { type: "thinking", thinking: `think ${nth} ${odd}`, signature: `c2ln${nth}=` },
              { type: "text", text: `reply ${nth} ${"rope ".repeat(100)}` },
            ] as never),
      );
      const turn = await who.begin(requestOf(messages));
      await turn.end(asReply(assistant(`At ${turns} the tide turned.`)));
    }
    await who.pin(`Never forget ${said}`);
  }
  await tidemark.notes.write("tides.md", "# Tides\0\n");
  const cost = tidemark.data.repository("costs", { key: "id" });
  await cost.save({ a: [1, null, { b: true }], c: `\0 ${"\u0001"}`, id: "k'1", user: "ada" });
  await tidemark.close();
  await putNote(workspace, "skills", '[["0mwv",["/somewhere/skills"]]]');
  mkdirSync(join(workspace, "records/decision"), { recursive: true });
  writeFileSync(join(workspace, "records/decision/raw.bin"), Buffer.from([255, 0, 254]));
}

/** A place that breaks off at a step, before or after it is done. */
function breaking(place: AnyWorkspace, at: number): AnyWorkspace {
  let step = 0;
  const killed =
    <Given extends unknown[], T>(work: (...given: Given) => Promise<T>) =>
    async (...given: Given): Promise<T> => {
      const isHere = (step += 1) === at;
      if (isHere && at % 2 === 0) throw new Error("killed");
      const done = await work(...given);
      if (isHere) throw new Error("killed");
      return done;
    };
  const whole = { ...place.whole, take: killed(place.whole.take) };
  return { ...place, whole, put: killed(place.put) };
}

describe("a workspace that is moved", () => {
  const [one, name] = [fresh(), schema()];
  const isData = (line: string): boolean =>
    !/"file":"records\/decision\/raw.bin"|^\{"end"|^$/.test(line);
  let before: string[];
  beforeAll(async () => {
    await live(one);
    before = (await lines(one)).filter(isData);
  });

  it("is whole on a server and in a folder again, however often it breaks off", async () => {
    const other = fresh();
    const ends = [
      [() => folder(one), () => rows(name, "name another")],
      [() => rows(name), () => folder(other, "name another")],
    ] as const;
    for (const [source, opened] of ends) {
      const from = await source();
      const to = await opened();
      for (const at of [1, 2, 5, 8, 21])
        await expect(moved(from, breaking(to, at))).rejects.toThrow("killed");
      const told = await moved(from, to);
      expect(told).toMatchObject({ memories: 6, past: 3, conversations: 12, messages: 192 });
      expect(told).toMatchObject({ left: [], differ: [] });
      expect(told.leftOut).toEqual(from.files ? ["records/decision/raw.bin"] : []);
      const again = await moved(from, to);
      expect(again).toMatchObject({ files: told.files, left: [], differ: [] });
    }
    expect((await lines(other)).filter(isData)).toEqual(before);
    expect((await lines(one)).filter(isData)).toEqual(before);
  });

  it("leaves what is there, and names it", async () => {
    const there = schema();
    const tidemark = await openTidemark({ store: await store(there), listen: false });
    await tidemark.memory.save({ content: "The crate is green", key: "crate" });
    await tidemark.notes.write("tides.md", "# Other tides");
    await tidemark.close();
    const told = await moved(await folder(one), await rows(there, "name another"));
    expect(told.left).toEqual(["MEMORY.md", "notes/tides.md"]);
    const memories = before.flatMap((line) => {
      const { table, row } = JSON.parse(line) as { table: string; row: Record<string, string> };
      const isCrate = table === "memory" && row.scope === "agent:default" && row.key === "crate";
      return isCrate ? [`memory of ${row.id}`] : [];
    });
    expect(told.differ).toEqual([...new Set(memories)]);
  });

  it("is refused where it cannot be meant", async () => {
    const failure = (work: Promise<unknown>): Promise<string> =>
      work.then(String, (thrown: Error) => thrown.message);
    const photos = fresh();
    mkdirSync(photos);
    writeFileSync(join(photos, "photo.jpg"), "");
    expect([
      await failure(rows(schema())),
      await failure(folder(photos, "name a new folder")),
      await failure(move({ from: one, to: join(one, "sub"), now, emit: () => {} })),
      await failure(move({ from: one, to: join(one, "..", "1", "."), now, emit: () => {} })),
    ]).toEqual([
      expect.stringMatching(/^The schema "test \d+" holds nothing of Tidemark: check its name/),
      expect.stringMatching(/holds something and is no workspace. Nothing was changed; name a new/),
      expect.stringMatching(/are one place: name two\.$/),
      expect.stringMatching(/are one place: name two\.$/),
    ]);
    expect(readdirSync(photos)).toEqual(["photo.jpg"]);
    expect(readdirSync(one)).not.toContain("sub");
  });
});
