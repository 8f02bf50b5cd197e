import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { allValues } from "../../memory/saving/values.ts";
import { patiently } from "../../store/sqlite/busy.ts";
import { openSqliteStore } from "../../store/open-index.ts";
import { rebuildIndex } from "../../engine/upkeep/rebuild.ts";
import { readPage } from "../../workspace/memory-page.ts";
import { copiesOf } from "../../workspace/page-copies.ts";
import { pageEdits, writtenAs } from "../../workspace/page-edits.ts";
import { shownText } from "../../workspace/page-line.ts";
import { count } from "../render/numbers.ts";
import { broken, type Check, type Fix, look, well } from "./machine.ts";

/** Every MEMORY.md beside what the index holds: a line that was not edited shows a memory in the words it has there. */
export async function checksOfPages(folder: string): Promise<Check[]> {
  const pages = pagesOf(folder);
  if (pages.length === 0) return [];
  const index = join(folder, ".tidemark", "index.db");
  const known = existsSync(index)
    ? await memoriesIn(index).catch(() => undefined)
    : new Map<string, string>();
  // What is wrong with an index that cannot be read is said where the index itself is looked at.
  if (known === undefined) return [];
  const checks = pages.flatMap((page) => checkPage(folder, page, known));
  return checks.length > 0
    ? checks
    : [well(`${count(pages.length, "page")} of memories and the index agree`)];
}

interface Page {
  readonly file: string;
  readonly text: string;
  readonly copies: ReturnType<typeof copiesOf>;
}

function pagesOf(folder: string): Page[] {
  const backups = join(folder, ".tidemark", "backups");
  if (!existsSync(backups)) return [];
  const copies = readdirSync(backups, { recursive: true, encoding: "utf8" }).filter((path) =>
    /(?:^|[\\/])MEMORY\.json$/.test(path),
  );
  return copies.flatMap((path) => {
    const scope = dirname(path).replace(/^root$/, "");
    const file = join(scope, "MEMORY.md");
    if (!existsSync(join(folder, file))) return [];
    return [
      {
        file,
        text: readFileSync(join(folder, file), "utf8"),
        copies: copiesOf(readFileSync(join(backups, path), "utf8")),
      },
    ];
  });
}

async function memoriesIn(index: string): Promise<Map<string, string>> {
  const store = await patiently(() => openSqliteStore(index));
  try {
    const current = (await allValues(store)).filter(({ until }) => until === undefined);
    return new Map(current.map(({ stored: { memory } }) => [memory.id, shownText(memory.content)]));
  } finally {
    await store.close();
  }
}

function checkPage(
  folder: string,
  { file, text, copies }: Page,
  known: ReadonlyMap<string, string>,
): Check[] {
  const read = readPage(text);
  const written = writtenAs(read, copies);
  const { changed, gone, added } = pageEdits(read, copies, written);
  const edited = new Set([...changed.map(({ line }) => line.id), ...gone.map(({ id }) => id)]);
  const stale = (written?.lines ?? []).filter(
    (line) => !edited.has(line.id) && known.get(line.id) !== line.text,
  );
  const edits = changed.length + gone.length + added.length;
  return [
    ...(stale.length > 0
      ? [
          broken(
            `${file} and the memory index disagree about ${count(stale.length, "line")}`,
            "tidemark rebuild makes the index anew from the daily logs; the next start writes the page",
            rebuild(folder),
          ),
        ]
      : []),
    ...(edits > 0
      ? [
          look(
            `${count(edits, "edit")} of ${file} ${edits === 1 ? "waits" : "wait"} to be taken over`,
            "the next start, turn or search does it",
          ),
        ]
      : []),
  ];
}

const rebuild = (folder: string): Fix => ({
  does: "make the index anew from the daily logs",
  run: async () =>
    `${count((await rebuildIndex({ workspace: folder, now: Date.now })).memories, "memory", "memories")} stand in the index now`,
});
