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

it("has the model read what is left, where the host asks for that", async () => {
  const workspace = freshFolder();
  const fact = { content: "Ada's boat is called Nixe.", category: "fact", importance: 0.8 };
  const text = JSON.stringify({ facts: [{ ...fact, from: [1] }], summary: "" });
  const distil = { complete: async () => ({ text }), atClose: "model" } as const;
  const at = Date.UTC(2026, 10, 1);
  let clock = at;
  const now = () => clock;
  const tidemark = await openTidemark({ workspace, listen: false, distil, now });
  const messages = [{ role: "user", content: "I am Ada, and my boat is called Nixe." }];
  const turn = await tidemark.begin({ model: "m", max_tokens: 100, messages });
  await turn.end({ role: "assistant", content: "A fine name." });
  clock += 86_400_000;
  await tidemark.close();
  const again = await openTidemark({ workspace, listen: false, distil: "extractive" });
  // What is read late is as old as its words.
  expect(await again.memory.list()).toMatchObject([{ ...fact, at }]);
  await again.close();
});
