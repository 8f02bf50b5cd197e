import { expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { PAYLOADS } from "../support/attacks.ts";
import { faultsOf } from "../support/attacks-world.ts";

const NOW = Date.UTC(2026, 0, 2, 9);

it("an agent that is talked into writing an attack into its own notes changes no fence, no marker and nobody else's notes", async () => {
  for (const payload of PAYLOADS) {
    const house = await openTidemark({
      workspace: false,
      inject: "self-edit",
      distil: "extractive",
      embed: false,
      now: () => NOW,
    });
    const [ada, bob] = [house.as({ user: "ada" }), house.as({ user: "bob" })];
    const tools = new Map(ada.tools().map((tool) => [tool.name, tool]));
    const text = payload.text("kanari99x").slice(0, 1_900);
    for (const block of ["user", "memory"])
      expect(await tools.get("core_memory_append")?.run({ block, text })).toMatch(
        /^(Done\.|Error: )/,
      );
    expect(
      await tools
        .get("core_memory_replace")
        ?.run({ block: "memory", old: "kanari99x", text: `${text} kanari98x` }),
    ).toMatch(/^(Done\.|Error: )/);
    for (const block of ["user", "memory"])
      expect(
        faultsOf((await tools.get("core_memory_view")?.run({ block })) ?? ""),
        payload.name,
      ).toEqual([]);
    const request = {
      model: "claude-sonnet-5-5",
      max_tokens: 10,
      messages: [{ role: "user", content: "Hello" }],
    };
    const { system } = (await ada.begin(request)).request as { system?: unknown };
    const shown = typeof system === "string" ? system : JSON.stringify(system ?? "");
    expect(
      faultsOf(
        typeof system === "string"
          ? system
          : (system as { text: string }[]).map((block) => block.text).join("\n\n"),
      ),
      payload.name,
    ).toEqual([]);
    expect(shown).toContain("kanari");
    expect(JSON.stringify((await bob.begin(request)).request)).not.toContain("kanari");
    const file = await house.workspace.read("MEMORY.md", "user:ada");
    expect(file.match(/^<!-- \/?tidemark:head -->$/gm)).toHaveLength(2);
    await house.close();
  }
});
