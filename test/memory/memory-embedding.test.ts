import { kindOf, freshTidemark } from "../support/anthropic.ts";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Options } from "../../src/index.ts";
import { toyEmbedder } from "../support/embedder.ts";
import { fileFolder } from "../support/afterwards.ts";

const home = fileFolder();
let made = 0;
const fresh = (): string => join(home, `${(made += 1)}`);

async function open(options: Options) {
  const { tidemark, events } = await freshTidemark(options);
  return {
    tidemark,
    events,
    of: (kind: string) => events.filter((event) => kindOf(event) === kind),
  };
}
/** Texts of the memories a toy embedder was given, calibration left out. */
const memoriesOf = (calls: readonly string[][]): string[] =>
  calls.flat().filter((text) => text.startsWith("fact number"));

describe("facts saved while the embedder is down", () => {
  it("are embedded by the next process, without a word from anybody", async () => {
    const workspace = fresh();
    const down = toyEmbedder();
    down.failing = "down";
    const first = await open({ workspace, embed: down });
    const { id } = await first.tidemark.memory.save("The kitten sleeps on the sofa");
    await first.tidemark.close();
    const second = await open({ workspace, embed: toyEmbedder() });
    await second.tidemark.idle();
    expect((await second.tidemark.memory.recall("where is the cat?")).map((hit) => hit.id)).toEqual(
      [id],
    );
    expect(second.of("degraded")).toEqual([]);
  });
});

describe("a changed model", () => {
  it("embeds anew behind the conversation, goes on after a kill where it was, and never mixes", async () => {
    const workspace = fresh();
    const first = await open({ workspace, embed: toyEmbedder({ model: "first" }) });
    for (let at = 0; at < 300; at += 1)
      await first.tidemark.memory.save(`fact number ${at} of the harbour`);
    const { id } = await first.tidemark.memory.save("The kitten sleeps on the sofa");
    await first.tidemark.idle();
    expect((await first.tidemark.memory.recall("where is the cat?"))[0]?.id).toBe(id);
    await first.tidemark.close();

    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL("../support/embedding-child.ts", import.meta.url)), workspace, "2"],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const ended = new Promise((resolve) => child.on("close", resolve));
    let said = "";
    for await (const part of child.stdout) {
      said += String(part);
      // Two batches were stored; the third is under way.
      if (said.includes("batch 0")) break;
    }
    child.kill("SIGKILL");
    await ended;

    const toy = toyEmbedder({ model: "second", turn: 7 });
    const second = await open({ workspace, embed: toy });
    await second.tidemark.idle();
    const embedded = memoriesOf(toy.calls);
    expect(embedded).toHaveLength(300 - 2 * 64);
    expect(new Set(embedded).size, "none twice").toBe(embedded.length);
    expect((await second.tidemark.memory.recall("where is the cat?")).map((hit) => hit.id)).toEqual(
      [id],
    );
    expect(second.of("degraded")).toEqual([]);
  });
});
