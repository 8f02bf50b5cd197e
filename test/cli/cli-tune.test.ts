import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpEmbedder } from "../../src/adapters/embedders.ts";
import { openTidemark, type TidemarkEvent } from "../../src/index.ts";
import { fileFolder } from "../support/afterwards.ts";
import { executeHere } from "../support/cli-here.ts";
import { embeddingsServer } from "../support/embeddings-server.ts";

const [SIZE, TOPICS] = [96, 12];
const topicOf = (text: string): number => Number(/topic(\d+)/.exec(text)?.[1] ?? 0) % TOPICS;

/** A topic says little in it, and the look of the words much: what a map can mend. */
function muddled(text: string): number[] {
  let state = [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_521, 7);
  return Array.from({ length: SIZE }, (_, at) => {
    state = (state * 48_271) % 2_147_483_647;
    if (at < TOPICS) return at === topicOf(text) ? 1.5 : 0;
    return state / 2_147_483_647 - 0.5;
  });
}
/** Each number of a piece is a direction of its own: nothing is left to mend. */
const clear = (text: string): number[] => {
  const number = Number(/piece(\d+)/.exec(text)?.[1] ?? 0);
  return Array.from({ length: 130 }, (_, at) => (at === number ? 1 : 0.01));
};

let workspace = "";
const servers: Awaited<ReturnType<typeof embeddingsServer>>[] = [];
const server = async (vector: typeof muddled) => {
  const one = await embeddingsServer({ vector });
  servers.push(one);
  return one;
};
beforeAll(async () => {
  workspace = join(fileFolder(), "workspace");
  await executeHere(["init", "--workspace", workspace]);
  await executeHere(["save", "The harbour closes at nine.", "--workspace", workspace]);
});
afterAll(() => Promise.all(servers.map((one) => one.close())));

const tune = async ({ url, key }: { url: string; key: string }, model: string) =>
  executeHere(["tune", "--workspace", workspace, "--embedder", url, "--model", model], {
    env: { TIDEMARK_EMBEDDER_KEY: key },
  });
const fileOf = (model: string): string => join(workspace, ".tidemark/tuned", `${model}.json`);

/** A workspace with an embedder: what it was told, and what it asked of the server. */
async function opened(at: Awaited<ReturnType<typeof server>>, model: string) {
  const told: TidemarkEvent[] = [];
  const from = at.asked.length;
  const tidemark = await openTidemark({
    ...{ workspace, distil: "extractive", listen: (event: TidemarkEvent) => void told.push(event) },
    embed: httpEmbedder({ url: at.url, apiKey: at.key, model }),
  });
  await tidemark.idle();
  const [hit] = await tidemark.memory.recall("When does the harbour close?");
  await tidemark.close();
  const degraded = told.flatMap((event) => (event.type === "degraded" ? [event.error] : []));
  return { hit, degraded, asked: at.asked.slice(from).flatMap(({ input }) => input) };
}

describe("tidemark tune", () => {
  it("says where there is too little to learn from, and what it needs", async () => {
    const { out, code } = await tune(await server(muddled), "muddled");
    expect(code).toBe(0);
    expect(out).toMatch(/^Too little to learn from: \d+ pairs .* 60 are needed\.\n$/);
    const bare = await executeHere(["tune", "--workspace", workspace]);
    expect(bare).toMatchObject({ code: 2, err: expect.stringContaining("--embedder") as string });
  });

  it("keeps a map that was better on what was held out, and makes vectors anew by it", async () => {
    const pieces = Array.from(
      { length: 120 },
      (_, at) =>
        `## What of topic${at % TOPICS}, part piece${at}?\n\nWord${at * 7} topic${at % TOPICS}, piece${at}.\n`,
    );
    writeFileSync(join(workspace, "AGENTS.md"), `# House\n\n${pieces.join("\n")}`);
    const one = await server(muddled);
    const before = await opened(one, "muddled");
    expect(before.asked).toContain("The harbour closes at nine.");
    expect((await opened(one, "muddled")).asked).not.toContain("The harbour closes at nine.");

    const { out, err } = await tune(one, "muddled");
    expect([out, err]).toEqual([expect.stringContaining("it is in .tidemark/tuned/muddled"), ""]);
    const [, from = 0, to = 0] = /MRR was ([\d.]+) and is ([\d.]+)/.exec(out) ?? [];
    expect(Number(to)).toBeGreaterThan(Number(from) + 1);
    const first = readFileSync(fileOf("muddled"), "utf8");
    expect(await tune(one, "muddled")).toMatchObject({ out });
    expect(readFileSync(fileOf("muddled"), "utf8")).toBe(first);

    const after = await opened(one, "muddled");
    expect(after.degraded).toEqual([]);
    expect(after.asked).toContain("The harbour closes at nine.");
    expect(after.hit?.text).toBe("The harbour closes at nine.");
    // The same map again: its vectors are there.
    expect((await opened(one, "muddled")).asked).not.toContain("The harbour closes at nine.");
  });

  it("writes nothing where the embedder was as good without", async () => {
    const { out } = await tune(await server(clear), "clear");
    expect(out).toMatch(/MRR was 100\.0 and is 100\.0 with the map: nothing was written\./);
    expect(existsSync(fileOf("clear"))).toBe(false);
  });

  it("goes without a file that is no map, or that lies elsewhere, and says so once", async () => {
    const one = await server(muddled);
    const good = readFileSync(fileOf("muddled"), "utf8");
    mkdirSync(join(workspace, ".tidemark/tuned"), { recursive: true });
    for (const text of ["", "{", '{"map":["x"]}', '{"map":"AADAfw=="}', '{"map":"AAA="}']) {
      writeFileSync(fileOf("junk"), text);
      const { degraded, hit } = await opened(one, "junk");
      expect(degraded).toEqual([expect.stringMatching(/tuned\/junk\.json is no map of junk/)]);
      expect(hit?.text).toBe("The harbour closes at nine.");
    }
    rmSync(fileOf("junk"));
    symlinkSync(fileOf("muddled"), fileOf("junk"));
    expect((await opened(one, "junk")).degraded).toEqual([
      expect.stringMatching(/leads out of its folder/),
    ]);
    // No name of a model leads out of the folder.
    writeFileSync(join(workspace, "out.json"), good);
    expect((await opened(one, "../../out")).degraded).toEqual([]);
  });
});
