import { join } from "node:path";
import { expect, it } from "vitest";
import type { Tidemark } from "../../src/index.ts";
import type { Embedder } from "../../src/core/request.ts";
import { freshTidemark } from "../support/anthropic.ts";
import { toyEmbedder } from "../support/embedder.ts";
import { chance } from "../support/vectors.ts";
import { freshFolder, NOON } from "../support/workspace.ts";

/** Past turns by what they mean. */

const WIDTH = 256;

/** The toy's meanings, spread over all numbers of a vector as real embedders do. */
function denseEmbedder(): Embedder & { calls: string[][] } {
  const toy = toyEmbedder();
  return {
    ...toy,
    async embed(texts) {
      const plain = await toy.embed(texts);
      return plain.map((vector) => {
        const dense = new Float32Array(WIDTH);
        const random = chance(3);
        for (const value of vector)
          for (let at = 0; at < WIDTH; at += 1)
            dense[at] = (dense[at] ?? 0) + value * (random() - 0.5);
        return dense;
      });
    },
  };
}

const SAID = [
  ["My kitten is called Whiskerino.", "What a lovely name."],
  ["The harbour gets a new crane next spring.", "Noted."],
  ["We painted the fence green on Sunday.", "It must look fresh."],
  ["The physician told me to rest.", "Then rest well."],
] as const;

async function told(embed: Embedder | false, root = join(freshFolder(), "ws")): Promise<Tidemark> {
  const { tidemark } = await freshTidemark({
    ...{ workspace: root, distil: "extractive", now: () => NOON, embed },
  });
  await tidemark.history.import({
    id: "c1",
    messages: SAID.flatMap(([user, assistant]) => [
      { role: "user", text: user },
      { role: "assistant", text: assistant },
    ]),
  });
  await tidemark.memory.search("lighthouse", { in: ["history"] });
  await tidemark.idle();
  return tidemark;
}

const found = async (tidemark: Tidemark, query: string): Promise<string[]> =>
  (await tidemark.memory.search(query, { in: ["history"] })).map(({ text }) => text);

it("finds what was said by its meaning alone, tells how, and finds strangers nothing", async () => {
  const tidemark = await told(denseEmbedder());
  const [hit] = await tidemark.memory.search("Any feline?", { in: ["history"] });
  expect(hit).toMatchObject({ text: SAID[0][0], why: { words: 0 } });
  expect(hit?.why.meaning).toBeGreaterThan(0.2);
  expect((await found(tidemark, "Which medic?"))[0]).toBe(SAID[3][0]);
  expect(await found(tidemark, "sourdough")).toEqual([]);
});

it("finds all that words find, and what names the thing itself first", async () => {
  const [words, both] = [await told(false), await told(denseEmbedder())];
  for (const query of ["harbour crane", "Whiskerino", "fence on Sunday", "rest"]) {
    const [one, other] = [await found(words, query), await found(both, query)];
    expect(other[0]).toBe(one[0]);
    expect(other).toEqual(expect.arrayContaining(one));
  }
});

it("embeds each turn once, masked and cut, and again by another model", async () => {
  const [root, embed] = [join(freshFolder(), "ws"), denseEmbedder()];
  const key = `sk-ant-api03-${"a1B2c3D4".repeat(11)}AA`;
  const tidemark = await told(embed, root);
  const long = { role: "user", text: `${key} opens it. ${"tide ".repeat(900)}` } as const;
  await tidemark.history.import({ id: "c2", messages: [long] });
  await found(tidemark, "tide");
  await tidemark.idle();
  await found(tidemark, "tide");
  await tidemark.close();
  const texts = embed.calls.flat();
  expect(texts.filter((text) => text === SAID[0][0]).length).toBe(1);
  const sent = texts.find((text) => text.includes("opens it"));
  expect([sent?.includes(key), (sent?.length ?? 0) <= 2_100]).toEqual([false, true]);
  const other = { ...denseEmbedder(), model: "another" };
  await (await told(other, root)).close();
  expect(other.calls.flat()).toContain(SAID[0][0]);
});
