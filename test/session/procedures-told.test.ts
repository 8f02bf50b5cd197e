import { expect, it } from "vitest";
import { openTidemark, type ProviderRequest } from "../../src/index.ts";

const PROCEDURE = [
  "A release of the lighthouse firmware fails where the lamp is lit.",
  "When: you release firmware for the lighthouse.",
  "Do: put the lamp out first.",
  "1. Call the keeper on channel nine.",
  "2. Turn the brass key twice.",
  "Why: the flash memory shares its current with the lamp.",
].join("\n");
const QUESTION = "How do I release the lighthouse firmware when the lamp is lit?";

it("a procedure is told in one line, on recall with condition and action, by memory_get whole", async () => {
  const tidemark = await openTidemark({ workspace: false, distil: "extractive", listen: false });
  const { id } = await tidemark.memory.save({ content: PROCEDURE, kind: "procedure" });
  const asking = (tools: boolean, ...said: string[]): ProviderRequest => ({
    model: "claude-sonnet-5-5",
    max_tokens: 100,
    messages: said.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content })),
    ...(tools && { tools: [{ name: "memory_get", input_schema: { type: "object" } }] }),
  });
  for (const tools of [true, false]) {
    const first = await tidemark.begin(asking(tools, `Hello ${String(tools)}.`));
    await first.end({ role: "assistant", content: "Yes." });
    const system = JSON.stringify(first.request.system);
    expect(system).toContain("fails where the lamp is lit. (");
    expect(system).not.toMatch(/When:|brass key/);

    const turn = await tidemark.begin(asking(tools, `Hello ${String(tools)}.`, "Yes.", QUESTION));
    await turn.end({ role: "assistant", content: "So." });
    const last = JSON.stringify(turn.request.messages.at(-1));
    expect(last).toContain("When: you release firmware for the lighthouse. Do: put the lamp out");
    // Who has no tool to read the steps by is told them.
    expect(last.includes("brass key")).toBe(!tools);
    expect(last.includes(`[steps: memory_get ${id}]`)).toBe(tools);

    // What stands in view is not told again.
    const said = [`Hello ${String(tools)}.`, "Yes.", QUESTION, "So.", `${QUESTION} Tell me more.`];
    const again = await tidemark.begin(asking(tools, ...said));
    expect(JSON.stringify(again.request.messages.at(-1))).not.toContain("put the lamp out");
  }
  const get = tidemark.tools().find(({ name }) => name === "memory_get");
  expect(await get?.run({ id })).toContain("2. Turn the brass key twice.");
  await tidemark.close();
});
