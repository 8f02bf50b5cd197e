import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { forgetUser } from "../../../src/engine/upkeep/forget-user.ts";
import { openTidemark, type Tidemark } from "../../../src/index.ts";
import { toyEmbedder } from "../../support/embedder.ts";
import { asReply, assistant, requestOf, user } from "../../support/talk.ts";
import { freshFolder, NOON } from "../../support/workspace.ts";

const WORD = "zeppelinharbour";

it("takes a user's notes, records and pages of conversations, with what they said before, and leaves those of others", async () => {
  const root = join(freshFolder(), "ws");
  const open = (): Promise<Tidemark> =>
    openTidemark({
      ...{ workspace: root, listen: false, distil: "extractive", archive: true },
      ...{ now: () => NOON, embed: toyEmbedder() },
    });
  const house = await open();
  for (const [name, word] of [
    ["ada", WORD],
    ["bob", "submarine"],
  ] as const) {
    const view = house.as({ user: name });
    const scope = `user:${name}` as const;
    await view.notes.write("deep/a.md", `The ${word} leaves at noon.`, { scope });
    await view.notes.write("deep/a.md", `The ${word} leaves at ten.`, { scope });
    const record = await view.records.add({
      ...{ content: `Moor the ${word} at dusk.`, category: "procedure", scope },
    });
    await view.records.update(record.id, { content: `Moor the ${word} at dawn.` });
    const turn = await view.begin(requestOf([user(`Where is the ${word}?`)]));
    await turn.end(asReply(assistant("At the quay.")));
    await view.memory.search(word);
  }
  await house.idle();
  await house.close();
  const files = (): string[] =>
    readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
      statSync(join(root, name)).isFile(),
    );
  const holding = (): string[] =>
    files().filter((name) => readFileSync(join(root, name)).includes(WORD));
  expect(
    holding().filter((name) => /notes|records|conversations/.test(name)).length,
  ).toBeGreaterThan(4);
  const { files: count } = await forgetUser({ workspace: root, user: "ada", now: () => NOON });
  expect(count).toBeGreaterThanOrEqual(5);
  expect(holding()).toEqual([]);
  expect(existsSync(join(root, "scopes/user/ada"))).toBe(false);
  const again = await open();
  const found = async (name: string, word: string): Promise<number> =>
    (await again.as({ user: name }).memory.search(word, { in: ["files"] })).length;
  expect(await found("ada", WORD)).toBe(0);
  expect(await found("bob", "submarine")).toBeGreaterThanOrEqual(3);
  await again.close();
});
