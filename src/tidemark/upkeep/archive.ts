import { createHash } from "node:crypto";
import { promises as fs } from "node:fs";
import { resolve } from "node:path";
import { dictIn, isDict } from "../../core/base.ts";
import { asOurs, reasonOf, refuse } from "../../core/errors-and-events.ts";
import { checkIdentity, type Identity } from "../../core/identity.ts";
import { isAddress } from "../../session/options/read-options.ts";
import { rowChecker } from "../../storage/sqlite/archive-rows.ts";
import type { TableRow } from "../../storage/whole.ts";
import { writeWhole } from "../../workspace/disk/write-whole.ts";
import * as pages from "./archive-pages.ts";
import { lookAt, type UpkeepOf } from "./mend.ts";
import { bring, count, noCounts } from "./move.ts";
import {
  type AnyWorkspace,
  type Contents,
  isWithin,
  type Item,
  mayLeave,
  openPlace,
  realOf,
} from "./places.ts";

/** This version writes and reads no other form. */
const FORM = 3;

/** Readers of lines take two more characters for the end of one, which JSON need not write. */
const lineOf = (item: unknown): string =>
  JSON.stringify(item).replace(/[\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16)}`);

interface Export extends Pick<UpkeepOf, "now" | "progress"> {
  /** What this identity may see and nothing else; absent: the whole workspace. */
  readonly of?: Identity | undefined;
}

/**
 * Hands over a workspace as lines while no process writes to its files, and answers what they hold.
 * Rejects with "config", "workspace", "store" or "history".
 */
export async function exportLines(
  place: AnyWorkspace,
  { now, of, progress = () => {} }: Export,
  take: (lines: AsyncIterable<string>) => Promise<void>,
) {
  if (of !== undefined) checkIdentity(of);
  /** Links and files too large stay where they are. */
  const report = { ...noCounts(), leftOut: [] as string[] };
  async function* lines(held: Contents): AsyncGenerator<string> {
    const sum = createHash("sha256");
    let done = 0;
    yield `${lineOf({ "tidemark-archive": FORM, made: new Date(now()).toISOString(), of })}\n`;
    for await (const item of itemsOf(held, of, report.leftOut)) {
      const line = `${lineOf(item)}\n`;
      sum.update(line);
      yield line;
      count(report, item);
      progress((done += 1), "lines written");
    }
    yield `${lineOf({ end: sum.digest("hex") })}\n`;
  }
  await mayLeave(place);
  await place.reading((held) => take(lines(held)), of);
  return report;
}

/** Rows come first: they tell whose the pages of conversations are. */
async function* itemsOf(
  held: Contents,
  of: Identity | undefined,
  leftOut: string[],
): AsyncGenerator<Item> {
  const [sessions, bodies] = [new Set<unknown>(), new Set<unknown>()];
  for await (const items of held.rows())
    for (const { table, row } of items) {
      if (bodies.has(row.hash)) continue;
      if (table === "body") bodies.add(row.hash);
      if (table === "session") sessions.add(row.id);
      yield { table, row };
    }
  for await (const page of held.pages(leftOut))
    if (of === undefined || !pages.isOfOtherTalk(page, sessions)) yield page;
}

/** The same into one file, which is there when it is whole. */
export async function exportArchive({ to, of, ...from }: UpkeepOf & Export & { to: string }) {
  const { workspace } = from;
  const target = resolve(to);
  if (!isAddress(workspace) && isWithin(realOf(resolve(workspace)), realOf(target)))
    refuse(
      `${to} lies inside the workspace ${workspace}: the next export would hold this ` +
        "one. Name a file outside.",
      "workspace",
    );
  if (lookAt(target) !== undefined)
    refuse(`${to} is there already. Name another file, or move it away.`, "workspace");
  return exportFrom({ ...from, of }, (lines) => writeWhole(target, lines)).catch(
    (thrown: unknown) => {
      throw asOurs(
        thrown,
        "workspace",
        (reason) => `The archive ${to} could not be written: ${reason}.`,
      );
    },
  );
}

/** From a place that is not open yet. */
export async function exportFrom(
  { of, ...from }: UpkeepOf & Export,
  take: Parameters<typeof exportLines>[2],
) {
  const place = await openPlace(from);
  return exportLines(place, { ...from, of }, take).finally(place.store.close);
}

/**
 * Reads an archive from end to end. Rejects with "workspace": what is wrong with it, and in which
 * line.
 */
async function* readArchive(
  path: string,
  hear: (of: Identity | undefined) => void = () => {},
): AsyncGenerator<Item> {
  const refused = (why: string): never => refuse(`${path} ${why}`, "workspace");
  const file = await fs.open(path).catch((thrown: unknown) => {
    const cure = 'Name an archive that "tidemark export" has written.';
    return refused(`cannot be read: ${reasonOf(thrown)}. ${cure}`);
  });
  const sum = createHash("sha256");
  const wrongRow = rowChecker();
  const names = new Set<unknown>();
  let [at, ended] = [0, false];
  for await (const line of file.readLines()) {
    at += 1;
    if (line === "") continue;
    const told = dictIn(line);
    const wrong = (why: string): never =>
      refused(`cannot be imported because of line ${at}: ${why}. Nothing was changed.`);
    if (at === 1) {
      const form = told?.["tidemark-archive"];
      if (typeof form !== "number") refused("is no archive of Tidemark.");
      if (form !== FORM)
        refused(`is an archive of form ${String(form)}; this version reads form ${FORM}.`);
      hear(told?.of === undefined ? undefined : checkIdentity(told.of as Identity));
    } else if (told === undefined) wrong("it is cut off, or no JSON");
    else if (ended) wrong("it stands behind the end; archives are imported one by one");
    else if ("end" in told) {
      ended = told.end === sum.digest("hex");
      if (!ended) wrong("the lines before it are not what was exported");
    } else {
      sum.update(`${line}\n`);
      const { table, row } = told;
      const isRow = typeof table === "string" && isDict(row);
      const why = isRow ? wrongRow({ table, row }) : pages.wrongPage(told);
      if (why !== undefined) wrong(why);
      if (names.has(told.file)) wrong(`the file "${String(told.file)}" is there a second time`);
      if (told.file !== undefined) names.add(told.file);
      yield told as unknown as Item;
    }
  }
  if (!ended) refused("is torn: it lacks its end. Export again, or copy it again.");
}

/**
 * Takes an archive into a workspace, which is made where there is none. What is there stays as it
 * is, so that it can be done again. Answers what was new; `left`: files that stand there with other
 * words. Rejects with "config", "workspace" or "store".
 */
export async function importArchive({ from, ...to }: UpkeepOf & { readonly from: string }) {
  const { progress = () => {} } = to;
  const cure = `import into a new folder: tidemark import ${from} --workspace NEW`;
  const target = await openPlace(to, cure);
  const { at, isNew, store, files } = target;
  const counts = noCounts();
  try {
    const read = (): AsyncIterable<Item> => meantIn(from, isNew);
    let lines = 0;
    const { left } = await bring(
      {
        async *rows() {
          const held: TableRow[] = [];
          for await (const item of read()) if ("table" in item) held.push(item);
          yield held;
        },
        async *pages() {
          for await (const item of read()) {
            progress((lines += 1), "lines read");
            if ("file" in item) yield item;
          }
        },
      },
      target,
      (item, isFresh) => isFresh && count(counts, item),
    );
    await store.close();
    return { ...counts, left };
  } catch (thrown) {
    await store.close().catch(() => undefined);
    if (isNew && files)
      await fs.rm(files.workspace, { recursive: true, force: true }).catch(() => undefined);
    const after = isNew ? "Nothing was changed; mend" : "Mend";
    throw asOurs(
      thrown,
      "workspace",
      (reason) =>
        `${from} could not be imported into ${at}: ${reason}. ${after} that and import again.`,
    );
  }
}

/** An identity's archive leaves what a workspace that is not new keeps for its default agent. */
async function* meantIn(from: string, isNew: boolean): AsyncGenerator<Item> {
  let isShared = pages.sharedBy(undefined);
  const hear = (of: Identity | undefined): void =>
    void (isShared = pages.sharedBy(isNew ? undefined : of));
  for await (const item of readArchive(from, hear)) if (!isShared(item)) yield item;
}
