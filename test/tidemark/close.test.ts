import { expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { freshFolder } from "../support/workspace.ts";

it("waits for saves that its caller does not wait for", async () => {
  const workspace = freshFolder();
  const tidemark = await openTidemark({ workspace, listen: false });
  const saves = Array.from({ length: 50 }, (_, n) => tidemark.memory.save(`Boat ${n} is blue.`));
  await tidemark.close();
  expect(await Promise.all(saves)).toHaveLength(50);
  const again = await openTidemark({ workspace, listen: false });
  expect(await again.memory.list({ limit: 100 })).toHaveLength(50);
  await again.close();
});
