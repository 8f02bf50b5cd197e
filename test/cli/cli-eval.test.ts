import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { fileFolder } from "../support/afterwards.ts";
import { executeHere } from "../support/cli-here.ts";
import { embeddingsServer } from "../support/embeddings-server.ts";

/** "Felines" means cats to it, and each number of a service is a direction of its own. */
const meaning = (text: string): number[] => {
  const vector = Array.from({ length: 64 }, () => 0.01);
  for (const word of text.toLowerCase().match(/[a-z]+\d+/g) ?? []) {
    const [, number = "0"] = /(\d+)$/.exec(word) ?? [];
    vector[Number(number)] = 1;
  }
  return vector;
};

let server: Awaited<ReturnType<typeof embeddingsServer>>;
let folder = "";
beforeAll(async () => {
  folder = fileFolder();
  server = await embeddingsServer({ vector: meaning });
});
afterAll(() => server.close());

interface Told {
  readonly questions: number;
  readonly rows: readonly {
    readonly type: string;
    readonly way: string;
    readonly questions: number;
    readonly recall: { mean: number; low: number; high: number };
  }[];
}

const evaluate = async (...args: string[]) => {
  const { code, out, err } = await executeHere(["eval", ...args], {
    env: { TIDEMARK_EMBEDDER_KEY: server.key },
  });
  return { code, out, err, told: args.includes("--json") ? (JSON.parse(out) as Told) : undefined };
};

/** Thirty events of two people; half of the questions name the thing in words that no event has. */
function madial(): string {
  const events = Array.from({ length: 60 }, (_, at) => at).map((at) => {
    const id = at < 30 ? 2 * at + 1 : 2 * (at - 30) + 2;
    const event = {
      time: "2024-02-03",
      scene: at % 2 ? "odd" : "even",
      event: `Bart fed cat${id}.`,
    };
    return JSON.stringify({ [String(id)]: event });
  });
  const dialogues = Array.from({ length: 60 }, (_, at) => at + 1).map((id) =>
    JSON.stringify({
      dialogue: [
        "<BOD>\n",
        `<Bart>: "Hello."\n`,
        '<Assistant>: "Hello!"\n',
        `<Bart>: "Who looked after ${id % 4 < 2 ? "cat" : "feline"}${id}?"\n`,
        '<Assistant>: "You did."\n',
      ],
      "test-turn": [4],
      "relevant-id": [id],
      "user-id": id % 2 ? 1 : 2,
    }),
  );
  writeFileSync(join(folder, "memory.jsonl"), `${events.join("\n")}\n`);
  const file = join(folder, "dialogue.jsonl");
  writeFileSync(file, `${dialogues.join("\n")}\n`);
  return file;
}

describe("tidemark eval", () => {
  it("says by type, with intervals, what words, memory and each embedder find", async () => {
    const file = madial();
    const plain = await evaluate("--questions", file, "--json");
    const rows = plain.told?.rows ?? [];
    expect(rows.slice(0, 2)).toMatchObject([
      { type: "all", way: "words alone", questions: 60 },
      { type: "all", way: "ours", questions: 60 },
    ]);
    const { mean = 0, low = 1, high = 0 } = rows[0]?.recall ?? {};
    expect([mean > 0.4, mean < 0.6, low < mean, high > mean]).toEqual([true, true, true, true]);
    expect(new Set(rows.map(({ type }) => type))).toEqual(new Set(["all", "even", "odd"]));
    // The same again, to the digit.
    expect((await evaluate("--questions", file, "--json")).told).toEqual(plain.told);

    const asked = [
      "--embedder",
      server.url,
      "--model",
      "one",
      "--embedder",
      server.url,
      "--model",
      "two",
    ];
    const { out, code } = await evaluate("--questions", file, ...asked);
    expect(code).toBe(0);
    expect(out).toMatch(/all +two +60 +100\.0 \(100\.0 to 100\.0\)/);
    expect(new Set(server.asked.map(({ model }) => model))).toEqual(new Set(["one", "two"]));
  });

  it("asks the questions of one's own turns whose reply used what was recalled", async () => {
    const workspace = join(folder, "own");
    const few = await executeHere(["init", "--workspace", workspace]);
    expect(few.code).toBe(0);
    expect((await evaluate("--workspace", workspace)).out).toMatch(
      /^Too little to judge by: no questions whose reply used a memory, and 20 are needed;/,
    );
    let now = Date.parse("2026-03-01T09:00Z");
    const tidemark = await openTidemark({
      ...{ workspace, distil: "extractive", embed: false, now: () => now },
    });
    const ports = Array.from({ length: 24 }, (_, at) => [`relay${at}`, String(7100 + at)] as const);
    for (const [name, port] of ports) await tidemark.memory.save(`${name} answers at gate${port}.`);
    for (const [name, port] of ports) {
      const messages = [{ role: "user", content: `Where does ${name} listen?` }];
      const turn = await tidemark.begin(
        { model: "claude-sonnet-5-5", max_tokens: 100, messages },
        { conversation: name },
      );
      now += 1_000;
      // The last four replies speak of something else, so nothing was used.
      const used = Number(port) < 7120;
      const text = used ? `It answers at gate${port}.` : "I cannot say.";
      await turn.end({ role: "assistant", content: [{ type: "text", text }] });
      now += 1_000;
    }
    await tidemark.close();
    const { told } = await evaluate("--workspace", workspace, "--json");
    expect(told?.questions).toBe(20);
    expect(told?.rows[1]).toMatchObject({ way: "ours", recall: { mean: 1 } });
  });

  it("says in one sentence what cannot be meant", async () => {
    const one = async (...args: string[]) => {
      const { code, err } = await evaluate(...args);
      expect(err.trim().split("\n")).toHaveLength(1);
      return [code, err] as const;
    };
    expect(await one("--model", "x")).toEqual([2, expect.stringContaining("name both")]);
    expect(await one("--questions", join(folder, "none.jsonl"))).toEqual([
      1,
      expect.stringContaining("memory.jsonl beside it"),
    ]);
    const file = madial();
    server.whims.push({ status: 401, body: "no such key" });
    const refused = await one("--questions", file, "--embedder", server.url, "--model", "one");
    expect(refused).toEqual([1, expect.stringMatching(/answered 401/)]);
  });
});
