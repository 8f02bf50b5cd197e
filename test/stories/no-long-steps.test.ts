import { expect, it } from "vitest";
import { allValues } from "../../src/memory/saving/commit.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { counted } from "../support/turns.ts";

it("reads all of a memory page by page, with a turn for others between two, and no further than it is asked to", async () => {
  const store = openStorage(":memory:");
  const memory = (at: number) => ({
    id: `m${at}`,
    content: `tea ${at}`,
    scope: "user:ada" as const,
    kind: "fact" as const,
    category: "general",
    importance: 0.5,
    source: "manual" as const,
    origin: "host" as const,
    tags: [],
    at: 1,
    updatedAt: 1,
    uses: 0,
    version: 1,
  });
  await store.commit({
    memories: Array.from({ length: 1_700 }, (_, at) => ({
      do: "insert" as const,
      row: { memory: memory(at), statedAt: 1, validFrom: 1, same: `tea ${at}` },
    })),
  });
  const { made, turns } = await counted(() => allValues(store));
  expect(made).toHaveLength(1_700);
  expect(turns).toBeGreaterThanOrEqual(3);
  await store.close();
});
