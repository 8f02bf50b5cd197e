import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isTidemarkError, openTidemark, type Tidemark } from "../src/index.ts";
import { chance } from "./host.ts";

/** What was tried with files that somebody else damaged or put there, and what did not hold. */
export interface Files {
  readonly tried: number;
  readonly survived: number;
  readonly broken: readonly { readonly at: string; readonly laws: readonly string[] }[];
}

const DAY = Date.UTC(2026, 10, 21, 10);
const FACTS = Array.from(
  { length: 8 },
  (_, n) => `Quay ${n} belongs to captain number ${n}, who drinks käse-tea.`,
);

/** A folder with some memories, open; its clock goes on by two seconds whenever it is asked to look again. */
async function furnished(folder: string) {
  const clock = { now: DAY };
  const tidemark = await openTidemark({
    workspace: folder,
    distil: "extractive",
    now: () => clock.now,
    listen: false,
  });
  for (const content of FACTS) {
    clock.now += 1_000;
    await tidemark.memory.save(content);
  }
  await tidemark.idle();
  const look = async (): Promise<Map<string, string>> => {
    clock.now += 2_000;
    return new Map((await tidemark.memory.list()).map(({ id, content }) => [id, content]));
  };
  return { tidemark, look };
}

const folderOf = (): string => mkdtempSync(join(tmpdir(), "tidemark-drill-"));

/** Random bytes over the daily log, or none of it: no memory is lost or changed. */
export async function damageLines(rounds: number, seed = 1): Promise<Files> {
  const random = chance(seed);
  const draw = (below: number): number => Math.floor(random() * below);
  const folder = folderOf();
  const broken: Files["broken"][number][] = [];
  const { tidemark, look } = await furnished(folder);
  try {
    const log = join(folder, "memory", "2026-11-21.md");
    const whole = readFileSync(log);
    const before = await look();
    for (let round = 0; round < rounds; round += 1) {
      const bytes = Buffer.from(whole.subarray(0, draw(2) * whole.length));
      for (let count = draw(200); count > 0 && bytes.length > 0; count -= 1)
        bytes[draw(bytes.length)] = draw(256);
      writeFileSync(log, bytes);
      const left = await look();
      const laws = [...before].flatMap(([id, content]) =>
        left.get(id) === content ? [] : [`${id} is lost, or says something else`],
      );
      if (laws.length > 0) broken.push({ at: `lines ${seed}/${round}`, laws });
    }
  } finally {
    await tidemark.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return { tried: rounds, survived: rounds - broken.length, broken };
}

const WORDS = "Somebody's own words, which are no file of ours.\n".repeat(40);

/** A link in the place of each path under `.tidemark`: what it leads to keeps every byte, whatever is done with the folder. */
export async function plantLinks(): Promise<Files> {
  const broken: Files["broken"][number][] = [];
  const made = folderOf();
  const { tidemark } = await furnished(made);
  await tidemark.tidy();
  await tidemark.close();
  const paths = [
    ".tidemark",
    ...readdirSync(join(made, ".tidemark"), { recursive: true, encoding: "utf8" })
      .sort()
      .map((path) => `.tidemark/${path}`),
    ".tidemark/tidemark.db-wal",
    ".tidemark/tidemark.db.suspect",
  ];
  rmSync(made, { recursive: true, force: true });
  for (const path of paths) {
    const [folder, other] = [folderOf(), folderOf()];
    const laws: string[] = [];
    try {
      await (await furnished(folder)).tidemark.close();
      const place = join(folder, path);
      mkdirSync(dirname(place), { recursive: true });
      const target = join(other, "theirs");
      const isFolder = lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
      if (isFolder) renameSync(place, target);
      else {
        rmSync(place, { force: true });
        writeFileSync(target, WORDS);
      }
      const before = stateOf(other);
      symlinkSync(target, place);
      for (const error of await useAll(folder))
        if (!isTidemarkError(error)) laws.push(`a raw error: ${String(error)}`);
      if (stateOf(other) !== before) laws.push("what the link leads to was written to");
    } catch (thrown) {
      laws.push(String(thrown));
    } finally {
      for (const each of [folder, other]) rmSync(each, { recursive: true, force: true });
    }
    if (laws.length > 0) broken.push({ at: `a link at ${path}`, laws });
  }
  return { tried: paths.length, survived: paths.length - broken.length, broken };
}

/** Every file below, byte for byte. */
const stateOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => `${path} ${lstatSync(path).mode} ${readFileSync(path).toString("base64")}`)
    .join("\n");

/** What a host does with a folder. Answers what was thrown. */
async function useAll(workspace: string): Promise<unknown[]> {
  const thrown: unknown[] = [];
  const attempt = async (work: () => Promise<unknown>): Promise<void> =>
    void (await work().catch((error: unknown) => thrown.push(error)));
  await attempt(async () => {
    const tidemark: Tidemark = await openTidemark({ workspace, distil: "extractive" });
    await attempt(() => tidemark.stats());
    await attempt(() => tidemark.memory.recall("quay"));
    await attempt(() => tidemark.memory.save("The pier is long."));
    await attempt(() => tidemark.tidy());
    await attempt(() => tidemark.close());
  });
  return thrown;
}
