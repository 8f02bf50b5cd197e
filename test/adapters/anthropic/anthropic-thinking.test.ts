import type Anthropic from "@anthropic-ai/sdk";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  clientOf,
  freshFolder,
  freshServer,
  freshTidemark,
  type Loop,
  loopOf,
  MODEL,
  prose,
  setUp,
  spoken,
  systemText,
  typesOf,
  UNBOUND,
} from "../../support/anthropic.ts";
import type { MessagesServer } from "../../support/messages-server/index.ts";

type Params = Partial<Anthropic.MessageCreateParamsNonStreaming>;
interface Block {
  readonly type: string;
}

const adaptive: Params = { thinking: { type: "adaptive" } };
const manual: Params = {
  model: UNBOUND,
  max_tokens: 2_000,
  thinking: { type: "enabled", budget_tokens: 1_024 },
};
const look: Anthropic.Tool = {
  name: "look",
  description: "Looks.",
  input_schema: { type: "object" },
};

/** How many thinking blocks the last request carried, and how many its conversation has. */
function thoughts(server: MessagesServer, loop: Loop) {
  const count = (messages: readonly unknown[]) =>
    (messages as { content: string | readonly Block[] }[])
      .flatMap(({ content }) => (typeof content === "string" ? [] : content))
      .filter(({ type }) => type === "thinking").length;
  // The reply to that request was not in it.
  return {
    sent: count(spoken(server).at(-1)!.body.messages as unknown[]),
    had: count(loop.messages.slice(0, -1)),
  };
}

async function talk(loop: Loop, turns: number, from = 0): Promise<void> {
  for (let turn = from; turn < from + turns; turn++)
    await loop.say(`Turn ${turn}: ${prose(60, turn)}`);
}

describe("thinking that is bound to its prefix", () => {
  it("is all sent on below the mark, over a restart too, and nothing is refused", async () => {
    const server = await freshServer();
    const workspace = freshFolder();
    const messages: Anthropic.MessageParam[] = [];
    for (let run = 0; run < 3; run++) {
      const { tidemark, events } = await freshTidemark({ workspace });
      if (run === 0) await tidemark.memory.save("The harbour master is called Zephyrine.");
      // A host that keeps its conversation in a file has it back as other objects.
      const loop = loopOf(
        clientOf(server, tidemark),
        adaptive,
        JSON.parse(JSON.stringify(messages)) as Anthropic.MessageParam[],
      );
      for (let turn = 0; turn < 5; turn++) {
        await talk(loop, 1, run * 5 + turn);
        const { sent, had } = thoughts(server, loop);
        expect(sent).toBe(run * 5 + turn);
        expect(sent).toBe(had);
      }
      expect(typesOf(events)).not.toContain("thinking-dropped");
      messages.splice(0, messages.length, ...(loop.messages as Anthropic.MessageParam[]));
      await tidemark.close();
    }
    expect(systemText(server.requests[0]!.body)).toContain("Zephyrine");
    expect(server.refusals).toEqual([]);
  });

  it("is kept when a template file is changed between restarts: the frozen text stays as it was", async () => {
    const server = await freshServer();
    const workspace = freshFolder();
    const one = await freshTidemark({ workspace });
    const loop = loopOf(clientOf(server, one.tidemark), { ...adaptive, system: "Be kind." });
    await talk(loop, 4);
    await one.tidemark.close();
    for (const file of ["SOUL.md", "USER.md", "AGENTS.md"])
      appendFileSync(
        join(workspace, file),
        "\n\n## News\n\nThe tide table has changed completely.\n",
      );

    const two = await freshTidemark({ workspace });
    const again = loopOf(
      clientOf(server, two.tidemark),
      { ...adaptive, system: "Be kind." },
      loop.messages as Anthropic.MessageParam[],
    );
    await talk(again, 4, 4);
    expect(thoughts(server, again)).toEqual({ sent: 7, had: 7 });
    expect(new Set(server.requests.map(({ body }) => systemText(body))).size).toBe(1);
    expect(server.refusals).toEqual([]);

    // A session of its own begins with the files as they are now.
    await loopOf(clientOf(server, two.tidemark), { system: "Be kind." }).say("A new conversation.");
    expect(systemText(server.requests.at(-1)!.body)).toContain(
      "The tide table has changed completely.",
    );
  });

  it.each([adaptive, manual])(
    "is sent only behind it after folds were undone: %j",
    async (base) => {
      const { server, client, tidemark } = await setUp({
        window: { tokens: 6_000 },
        inject: false,
      });
      const loop = loopOf(client, { ...base, system: "Be kind." });
      let undone = 0;
      for (let turn = 0; turn < 40; turn++) {
        await talk(loop, 1, turn);
        const stands = (await tidemark.history.folds()).find(
          ({ undoneAt }) => undoneAt === undefined,
        );
        if (turn % 4 === 0 && stands && (await tidemark.history.undo(stands.id))) undone += 1;
      }
      expect(undone).toBeGreaterThan(2);
      expect(server.refusals).toEqual([]);
    },
  );

  it.each(["was there when it was made", "comes in now"])(
    "is left out behind an edit or another system text, and kept before it, by a Tidemark that %s",
    async (which) => {
      const server = await freshServer();
      const isThere = which.startsWith("was");
      const first = await freshTidemark(isThere ? {} : { mode: "observe" });
      const base: Params = { ...adaptive, system: "Be kind." };
      const loop = loopOf(clientOf(server, first.tidemark), base);
      await talk(loop, 6);
      const copy = () => structuredClone(loop.messages) as Anthropic.MessageParam[];
      const isThought = ({ type }: Block) => type.includes("thinking");
      const bare = copy();
      for (const message of bare)
        if (message.role === "assistant" && typeof message.content !== "string")
          message.content = message.content.filter((block) => !isThought(block));
      const edit = { role: "user" as const, content: "Turn 2, put differently." };
      const cases: [asked: Params, messages: Anthropic.MessageParam[], counts: object][] = [
        [base, copy(), { sent: 7, had: 7 }],
        [base, copy().with(4, edit), { sent: 3, had: 7 }],
        [{ ...base, system: "Be brief." }, copy(), { sent: 1, had: 7 }],
        [base, copy().slice(0, 10), { sent: 6, had: 6 }],
        [base, bare, { sent: 1, had: 1 }],
      ];
      const { tidemark } = isThere ? first : await freshTidemark({ inject: false });
      for (const [asked, messages, counts] of cases) {
        const again = loopOf(clientOf(server, tidemark), asked, messages);
        await talk(again, 2, 6);
        expect(thoughts(server, again)).toEqual(counts);
      }
      expect(server.refusals).toEqual([]);
    },
  );
});

/** A tool loop of manual thinking, run to the brim; every twelfth reply ends it. */
describe("manual thinking", () => {
  it("is switched off for a loop that the brim cuts into, with the clearing of thoughts and no other edit", async () => {
    const { server, client, tidemark, events } = await setUp({
      window: { tokens: 9_000, patience: 600_000 },
      server: {
        reply: (request, { index }) => [
          ...(request.thinking === undefined
            ? []
            : [{ type: "thinking", thinking: `Thought ${index}.` }]),
          index % 12 === 11
            ? { type: "text", text: `Done ${index}.` }
            : { type: "tool_use", name: "look", input: { at: index } },
        ],
      },
    });
    const clearing = { type: "clear_thinking_20251015", keep: "all" } as const;
    const tools = { type: "clear_tool_uses_20250919" } as const;
    for (const edits of [[clearing], [clearing, tools]]) {
      const messages: Anthropic.Beta.BetaMessageParam[] = [
        { role: "user", content: `Begin with ${edits.length}.` },
      ];
      for (let call = 0; call < 24; call++) {
        const reply = await client.beta.messages.create({
          ...{ model: MODEL, max_tokens: 2_000, tools: [look], messages },
          thinking: { type: "enabled", budget_tokens: 1_024 },
          betas: ["context-management-2025-06-27"],
          context_management: { edits },
        });
        await tidemark.idle();
        const use = reply.content.find((block) => block.type === "tool_use");
        const result = use && { type: "tool_result" as const, tool_use_id: use.id };
        messages.push(
          { role: "assistant", content: reply.content },
          {
            role: "user",
            content: result ? [{ ...result, content: prose(400, call) }] : `And then, ${call}?`,
          },
        );
      }
    }
    expect(server.refusals).toEqual([]);
    expect(typesOf(events)).toContain("folded");
    const off = spoken(server).filter(({ body }) => body.thinking === undefined);
    expect(off.length).toBeLessThan(spoken(server).length / 2);
    const managed = off.map(({ body }) => body.context_management);
    expect(managed).toContainEqual(undefined);
    expect(managed).toContainEqual({ edits: [tools] });
  });
});
