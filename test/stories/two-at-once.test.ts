import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { exclusively } from "../../src/workspace/disk/disk-folder.ts";
import { REPOSITORY } from "../support/packed.ts";
import { fileFolder, freshFolder } from "../support/afterwards.ts";

const execute = promisify(execFile);
const folder = fileFolder();
const child = (name: string, ...args: string[]) =>
  execute(process.execPath, [join(REPOSITORY, "test/support/children", name), ...args], {
    encoding: "utf8",
  });

describe("several processes on one workspace", () => {
  it("take turns at the files, and a dead one holds nobody up", async () => {
    const order: string[] = [];
    await Promise.all([
      exclusively(folder, async () => {
        order.push("a");
        await new Promise(setImmediate);
        order.push("b");
      }),
      exclusively(join(folder, "."), async () => void order.push("c")),
    ]);
    expect(order.join("")).toMatch(/^(?:abc|cab)$/);
    await expect(child("holder.ts", folder)).rejects.toThrow();
    await exclusively(folder, async () => void order.push("d"));
    expect(order.at(-1)).toBe("d");
  });
});

describe("a call at the brim", () => {
  it("that another one overtakes with a fold that reaches less far folds again, and goes out small enough", async () => {
    const home = freshFolder();
    const gates: (() => void)[] = [];
    let armed = false;
    /** Holds up whoever stores facts, until it is let on. */
    const embed = {
      model: "held",
      dimensions: 2,
      embed: async (texts: readonly string[]): Promise<number[][]> => {
        if (armed) await new Promise<void>((resolve) => void gates.push(resolve));
        return texts.map((text) => [text.length, 1]);
      },
    };
    const open = () =>
      openTidemark({
        workspace: home,
        distil: "extractive",
        embed,
        ...{ cache: false, recall: false },
        window: { tokens: 5_000, patience: 1 },
      });
    const both = await Promise.all([open(), open()]);
    const until = async (count: number): Promise<void> => {
      while (gates.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    try {
      const [slow, fast] = both;
      const said = (last: number) =>
        Array.from({ length: last + 1 }, (_, at) => ({
          role: at % 2 === 0 ? "user" : "assistant",
          content: `Please remember that crane ${at} answers on port ${5_000 + at}. ${`It needs oil and a coat of paint ${at}. `.repeat(22)}`,
        }));
      const request = (last: number) => ({ model: "m", max_tokens: 100, messages: said(last) });
      for (let at = 0; at < 16; at += 2)
        await (
          await slow.begin(request(at), { conversation: "one" })
        ).end({ role: "assistant", content: said(at + 1)[at + 1]?.content });
      armed = true;
      const first = slow.begin(request(16), { conversation: "one" });
      await until(1);
      const second = fast.begin(request(40), { conversation: "one" });
      await until(2);
      armed = false;
      gates[0]?.();
      const overtaking = await first;
      gates[1]?.();
      const overtaken = await second;
      expect(overtaking.folded).toBeDefined();
      expect(overtaken.folded).toBeDefined();
      expect(overtaken.folded?.messages).toBeGreaterThan(overtaking.folded?.messages ?? 0);
      expect(overtaken.window.used).toBeLessThan(overtaken.window.limit);
      expect(await fast.history.folds({ conversation: "one" })).toHaveLength(2);
    } finally {
      for (const go of gates) go();
      await Promise.all(both.map((tidemark) => tidemark.close()));
    }
  });
});

describe("one process that opens a workspace twice", () => {
  it("has one memory", async () => {
    const both = await Promise.all([
      openTidemark({ workspace: folder }),
      openTidemark({ workspace: folder }),
    ]);
    await Promise.all(
      both.flatMap((tidemark, at) =>
        Array.from({ length: 10 }, (_, round) => tidemark.memory.save(`Twice ${at % 2} ${round}.`)),
      ),
    );
    await Promise.all(both.map((tidemark) => tidemark.memory.save("Said by both.")));
    const [one, other] = await Promise.all(
      both.map(async (tidemark) =>
        (await tidemark.memory.list({ limit: 1_000 })).map(({ content }) => content).sort(),
      ),
    );
    expect(one).toEqual(other);
    expect(one?.filter((text) => text.startsWith("Twice"))).toHaveLength(20);
    expect(one?.filter((text) => text === "Said by both.")).toHaveLength(1);
    await Promise.all(both.map((tidemark) => tidemark.close()));
  });
});
