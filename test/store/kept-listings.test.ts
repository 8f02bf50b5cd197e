import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Scope } from "../../src/model/identity.ts";
import type { Store, Stored } from "../../src/model/store.ts";
import { openSqliteStore } from "../support/open-store.ts";
import { runs } from "../support/runs.ts";

const NOW = 1_768_000_000_000;
const SCOPES: Scope[] = ["user:ada", "user:bob"];
const ORDERS = ["importance", "stated", "used"] as const;

const row = (
  id: string,
  scope: Scope,
  {
    importance,
    expires,
    uses = 0,
    version = 1,
  }: { importance: number; expires: number; uses?: number; version?: number },
): Stored => ({
  memory: {
    ...{
      id,
      content: `fact ${id} of ${scope}`,
      scope,
      kind: "fact",
      category: "general",
      importance: importance / 10,
      source: "manual",
      origin: "host",
      tags: [],
      at: NOW,
      updatedAt: NOW + uses,
      uses,
      version,
    },
    ...(expires === 0 ? {} : { expiresAt: NOW + expires }),
  },
  statedAt: NOW + importance,
  validFrom: NOW,
  same: `${id} ${scope}`,
});

const step = fc.record({
  by: fc.nat({ max: 1 }),
  do: fc.constantFrom("put", "put", "use", "remove", "wait", "back", "nothing"),
  id: fc.constantFrom("a", "b", "c", "d", "e"),
  scope: fc.constantFrom(...SCOPES),
  importance: fc.nat({ max: 9 }),
  expires: fc.constantFrom(0, 0, 3, 8),
});

it("lists what matters most as it is now, whoever wrote, whatever has expired and however time goes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const folder = mkdtempSync(join(tmpdir(), "tidemark-listings-"));
      const path = join(folder, "tidemark.db");
      const stores: Store[] = [openSqliteStore(path), openSqliteStore(path)];
      try {
        let now = NOW;
        for (const { by, do: what, id: name, scope, importance, expires } of steps) {
          const store = stores[by]!;
          const id = `${name}-${scope}`;
          const known = await store.get(id, [scope]);
          if (what === "put" && known === undefined)
            await store.put([{ do: "insert", row: row(id, scope, { importance, expires }) }]);
          else if (what === "put" && known)
            await store.put([
              {
                do: "amend",
                row: row(id, scope, {
                  importance,
                  expires,
                  uses: known.memory.uses,
                  version: known.memory.version + 1,
                }),
                was: known.memory.version,
              },
            ]);
          else if (what === "use") await store.used([id], [scope], now);
          else if (what === "remove") await store.remove([id], [scope]);
          else if (what === "wait") now += 2;
          else if (what === "back") now -= 4;
          for (const one of stores)
            for (const order of ORDERS) {
              const all = await one.list({ scopes: [scope], now, limit: 100 });
              const listed = await one.list({ scopes: [scope], now, limit: 3, order });
              const by = (stored: Stored): number =>
                order === "importance"
                  ? stored.memory.importance
                  : order === "stated"
                    ? stored.statedAt
                    : stored.memory.uses;
              expect(listed).toEqual(
                [...all]
                  .sort((a, b) => by(b) - by(a) || (a.memory.id < b.memory.id ? -1 : 1))
                  .slice(0, 3),
              );
            }
        }
      } finally {
        for (const one of stores) await one.close();
        rmSync(folder, { recursive: true, force: true });
      }
    }),
    { numRuns: runs(20) },
  );
});
