import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freshFolder } from "./afterwards.ts";
import type { Tidemark } from "../../src/index.ts";
import type { TidemarkEvent } from "../../src/core/errors-and-events.ts";
import type { Scope } from "../../src/core/identity.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { createWorkspace, type Workspace } from "../../src/workspace/workspace.ts";
import { readPage, type ShownMemory, writePage } from "../../src/workspace/pages/memory-page.ts";

export { freshFolder };
export const TEMPLATE = fileURLToPath(new URL("../../workspace-template", import.meta.url));
export const NOON = Date.UTC(2026, 7, 22, 12);

/** An index of pages for one workspace. */
export const freshPages = () => openStorage(":memory:");

/** A workspace in a folder of its own, what it told, and a clock the test turns. */
export function freshWorkspace(root = join(freshFolder(), "ws")) {
  const events: TidemarkEvent[] = [];
  const clock = { now: NOON };
  const workspace = createWorkspace({
    root,
    templateDir: TEMPLATE,
    now: () => clock.now,
    store: freshPages(),
    listen: (event) => events.push(event),
  });
  return { root, workspace, events, clock };
}

/** MEMORY.md with these memories on it, as it is written where memory holds them. */
export async function showing(
  workspace: Workspace,
  memories: readonly ShownMemory[],
  scope: Scope,
): Promise<void> {
  await workspace.alone(async () => {
    const text = await workspace.pages.read(scope);
    const page = writePage(memories, { head: readPage(text ?? "").head, lifted: new Map() });
    await workspace.pages.write(scope, page.text);
  });
}

/** The same, whose pages say what memory says as soon as a change of it is answered. */
export const withPages = (tidemark: Tidemark): Tidemark => ({
  ...tidemark,
  memory: Object.fromEntries(
    Object.entries(tidemark.memory).map(
      ([name, work]: [string, (...given: never[]) => unknown]) => [
        name,
        async (...given: never[]) => {
          const answer = await work(...given);
          await tidemark.idle();
          return answer;
        },
      ],
    ),
  ) as unknown as Tidemark["memory"],
});

const databaseOf = (workspace: string): string => join(workspace, ".tidemark/tidemark.db");

/** What a workspace keeps under a name in its database. */
export async function noteIn(workspace: string, name: string): Promise<string | undefined> {
  const store = openStorage(databaseOf(workspace));
  try {
    return await store.note(name);
  } finally {
    await store.close();
  }
}

export async function putNote(workspace: string, name: string, text?: string): Promise<void> {
  const store = openStorage(databaseOf(workspace));
  await store.commit({ notes: { [name]: text } });
  await store.close();
}
