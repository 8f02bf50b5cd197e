import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { executeHere } from "../support/cli-here.ts";
import { fileFolder } from "../support/afterwards.ts";

let workspace = "";
const tidemark = (args: string[], look: Parameters<typeof executeHere>[1] = {}) =>
  executeHere([...args, "--workspace", workspace], look);

beforeAll(async () => {
  workspace = join(fileFolder(), "workspace");
  await tidemark(["init"]);
});

const markOf = (out: string, text: string): string =>
  new RegExp(`(\\S{4,}) ${text}`).exec(out)?.[1] ?? "";

describe("what is remembered, by hand", () => {
  it("is saved, listed, shown by the mark it has in MEMORY.md, and forgotten for good", async () => {
    const saved = await tidemark(["save", "The deploy key lives", "in the blue vault."]);
    expect(saved).toMatchObject({ code: 0, err: "" });
    expect((await tidemark(["save", "I am vegetarian.", "--category", "preference"])).code).toBe(0);
    const listed = await tidemark(["list"]);
    const mark = markOf(listed.out, "The deploy key");
    expect(readFileSync(join(workspace, "MEMORY.md"), "utf8")).toContain(`<!-- ${mark} -->`);
    expect((await tidemark(["list", "--category", "preference"])).out).not.toContain("deploy");
    const shown = await tidemark(["show", mark]);
    expect(shown.out).toMatch(
      /The deploy key lives in the blue vault\.\n[\s\S]*scope +agent:default[\s\S]*version +1/,
    );
    const [{ id }] = JSON.parse(
      (await tidemark(["list", "--json", "--category", "preference"])).out,
    ) as { id: string }[] as [{ id: string }];
    expect((await tidemark(["show", id.slice(-7)])).out).toContain("I am vegetarian.");

    expect(await tidemark(["forget", mark])).toMatchObject({
      code: 1,
      out: expect.stringContaining("Nothing was deleted") as string,
    });
    expect((await tidemark(["forget", mark, "--yes"])).out).toMatch(/✓ Forgotten: The deploy key/);
    expect((await tidemark(["recall", "deploy key"])).out).toContain("Nothing is remembered");
    expect(await tidemark(["show", mark])).toMatchObject({
      code: 1,
      err: expect.stringContaining(`there is no memory "${mark}"`) as string,
    });
  });
});

describe("conversations", () => {
  beforeAll(async () => {
    const memory = await openTidemark({ workspace, listen: false });
    const call = { type: "tool_use", id: "t1", name: "weather", input: { place: "Lisbon" } };
    const messages: unknown[] = [{ role: "user", content: "How is the weather?" }];
    for (const message of [
      { role: "assistant", content: [call] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t1", content: "Sun.\nWind.\n".repeat(40) }],
      },
      { role: "assistant", content: [{ type: "text", text: "Sunny and windy." }] },
    ]) {
      if (message.role === "assistant") {
        const turn = await memory.begin(
          { model: "claude-sonnet-5-5", max_tokens: 100, messages: messages as never },
          { conversation: "sky" },
        );
        await turn.end(message);
      }
      messages.push(message);
    }
    await memory.close();
  });

  it("are listed and read word for word", async () => {
    const { out } = await tidemark(["conversations"]);
    expect(out).toMatch(/sky +4 messages/);
    const read = await tidemark(["read", "sky"]);
    expect(read.out).toMatch(
      /^user\n {2}How is the weather\?\nassistant\n {2}→ weather \{"place":"Lisbon"\}\n/,
    );
    expect(read.out).toMatch(/← Sun\.\n[\s\S]*\nassistant\n {2}Sunny and windy\.\n$/);
    expect(read.out.match(/Wind\./g)).toHaveLength(40);
  });
});
