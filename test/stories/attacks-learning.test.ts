import { expect, it } from "vitest";
import { isTidemarkError, openTidemark, type Tidemark } from "../../src/index.ts";
import { type Payload, PAYLOADS } from "../support/attacks.ts";
import { faultsOf } from "../support/attacks-world.ts";

const NOW = Date.UTC(2026, 0, 2, 9);
/** Where an attacker's words come in beside what test/support/attacks.ts lists; each has a canary of its own. */
const DOORS = {
  note: "kanari50x",
  record: "kanari51x",
  keyword: "kanari52x",
  task: "kanari53x",
  "task's note": "kanari54x",
  result: "kanari55x",
  error: "kanari56x",
  "lead's word": "kanari57x",
  "tool: memory": "kanari58x",
  "tool: record": "kanari59x",
  "tool: note": "kanari60x",
} as const;
type Door = keyof typeof DOORS;
/** A megabyte is refused by all of them, and is nothing more to fence. */
const BOUNDED = PAYLOADS.filter((payload) => payload.text("").length < 100_000);

const systemOf = async (tidemark: Tidemark): Promise<string> => {
  const messages = [{ role: "user", content: "Where is the marmalade?" }];
  const turn = await tidemark.begin({ model: "claude-sonnet-5-5", max_tokens: 10, messages });
  const { system } = turn.request as { system?: string | { text: string }[] };
  return typeof system === "string" ? system : (system ?? []).map(({ text }) => text).join("\n\n");
};

/** The payload through every door of a workspace of its own; answers what a model is shown of it, by where. */
async function play(payload: Payload): Promise<Record<string, string>> {
  const lead = await openTidemark({
    workspace: false,
    distil: "extractive",
    embed: false,
    listen: false,
    identity: { agent: "boss", team: "crew", role: "lead" },
    now: () => NOW,
  });
  const worker = lead.as({ agent: "w", role: "worker" });
  const say = (door: Door): string => `marmalade ${payload.text(DOORS[door])}`;
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (thrown) {
      const isSentence =
        isTidemarkError(thrown) && thrown.code === "config" && !thrown.message.includes("\n");
      expect(isSentence, `${payload.name}: ${String(thrown)}`).toBe(true);
    }
  };
  const tools = new Map(worker.tools({ tokens: 20_000 }).map((tool) => [tool.name, tool]));
  const run = async (name: string, input: unknown) => (await tools.get(name)?.run(input)) ?? "";

  await worker.workspace.write("HEARTBEAT.md", "Look after the marmalade.", "agent:w");
  await attempt(() => worker.notes.write("a.md", say("note")));
  await attempt(() => worker.records.add({ category: "incident", content: say("record") }));
  await attempt(() =>
    worker.records.add({
      category: "incident",
      content: "The marmalade jar has a keyword.",
      keywords: [payload.text(DOORS.keyword)],
    }),
  );
  await attempt(() => worker.task({ description: say("task"), id: "open" }));
  const done = await worker.task({ description: "Boil the marmalade" });
  await attempt(() => done.note(say("task's note")));
  await attempt(() => done.done(say("result")));
  const failed = await worker.task({ description: "Fill the marmalade jars" });
  await attempt(() => failed.failed(new Error(say("error"))));
  await attempt(() => lead.memory.inject({ to: "agent:w", content: say("lead's word") }));
  const calls = {
    memory_save: { content: say("tool: memory") },
    record_add: { category: "incident", content: say("tool: record") },
    note_write: { name: "b.md", content: say("tool: note") },
  };
  for (const [name, input] of Object.entries(calls))
    expect(await run(name, input)).toMatch(/^(Saved as|Added|Written|Error: )/);

  const again = await worker.task({ description: "Boil and fill the marmalade", tokens: 20_000 });
  const memories = await worker.memory.list({ limit: 1_000 });
  const shown = {
    brief: (await worker.brief("marmalade", { tokens: 20_000 })).text,
    "task's brief": again.brief.text,
    heartbeat: (await worker.heartbeat()).prompt ?? "",
    system: await systemOf(worker),
    "other's system": await systemOf(lead),
    search: await run("memory_search", { query: "marmalade", limit: 30 }),
    recall: await run("memory_recall", { query: "marmalade", limit: 30 }),
    list: await run("memory_list", { limit: 100 }),
    conversation: await run("memory_read", { conversation: "task:open" }),
    got: (await Promise.all(memories.map(({ id }) => run("memory_get", { id })))).join("\n\n"),
  };
  await lead.close();
  return shown;
}

it("an attacker's words change no fence, wherever a model reads them; a task's error stands in no system text and is marked elsewhere", async () => {
  for (const payload of BOUNDED) {
    const shown = await play(payload);
    for (const [place, text] of Object.entries(shown))
      expect(faultsOf(text), `${payload.name}, ${place}`).toEqual([]);
    const { system = "", "other's system": other = "", got = "", ...places } = shown;
    expect(system + other, payload.name).not.toContain(DOORS.error);
    const lines = Object.values(places).flatMap((text) => text.split("\n"));
    const memories = got.split("</tidemark-memory>");
    for (const one of [...lines, ...memories])
      if (one.includes(DOORS.error)) expect(one, payload.name).toMatch(/unverified/);
  }
});

it("a plain order is shown as data by every door, so that the laws above are about something", async () => {
  const [plain] = PAYLOADS;
  if (plain === undefined) throw new Error("there is no payload");
  const { "other's system": other, system: _, ...places } = await play(plain);
  const all = Object.values(places).join("\n");
  for (const [door, canary] of Object.entries(DOORS)) expect(all, door).toContain(canary);
  expect(other).not.toContain("kanari");
  expect(places.got).toContain("from lead");
});
