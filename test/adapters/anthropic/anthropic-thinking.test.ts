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

  for (const [name, base] of [
    ["bound", adaptive],
    ["not bound", { ...adaptive, model: UNBOUND }],
  ] as const)
    it(`never makes a request refused in a long conversation with folds and a restart after each: ${name}`, async () => {
      const server = await freshServer();
      const workspace = freshFolder();
      const messages: Anthropic.MessageParam[] = [];
      let folds = 0;
      let sentOn = 0;
      let dropped = 0;
      for (let run = 0; run < 4; run++) {
        const { tidemark, events } = await freshTidemark({ workspace, window: { tokens: 6_000 } });
        const loop = loopOf(clientOf(server, tidemark), { ...base, system: "Be kind." }, messages);
        for (let turn = 0; turn < 14; turn++) {
          await talk(loop, 1, run * 14 + turn);
          sentOn += thoughts(server, loop).sent;
        }
        dropped += typesOf(events).filter((type) => type === "thinking-dropped").length;
        folds += typesOf(events).filter((type) => type === "folded").length;
        await tidemark.close();
      }
      expect(server.refusals).toEqual([]);
      expect(folds).toBeGreaterThan(1);
      // Between folds nearly every request carries the thinking of the replies since the last one; where nothing binds it, all do.
      expect(sentOn).toBeGreaterThan(150);
      expect(dropped === 0).toBe(name === "not bound");
      const { tidemark } = await freshTidemark({ workspace });
      const [session] = await tidemark.history.list();
      expect((await tidemark.history.read({ conversation: session!.id })).messages).toEqual(
        messages,
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

  it("made before Tidemark was installed is left out behind an edit or another system text, and kept before it", async () => {
    const server = await freshServer();
    const bare = await freshTidemark({ mode: "observe" });
    const loop = loopOf(clientOf(server, bare.tidemark), { ...adaptive, system: "Be kind." });
    await talk(loop, 6);
    const workspace = freshFolder();
    for (const change of ["none", "edit", "system"]) {
      const { tidemark } = await freshTidemark({ workspace, inject: false });
      const messages = structuredClone(loop.messages) as Anthropic.MessageParam[];
      if (change === "edit") messages[4] = { role: "user", content: "Turn 2, put differently." };
      const again = loopOf(
        clientOf(server, tidemark),
        { ...adaptive, system: change === "system" ? "Be brief." : "Be kind." },
        messages,
      );
      await talk(again, 2, 6);
      expect(thoughts(server, again)).toEqual(
        { none: { sent: 7, had: 7 }, edit: { sent: 3, had: 7 }, system: { sent: 1, had: 7 } }[
          change
        ],
      );
      await tidemark.close();
    }
    expect(server.refusals).toEqual([]);
  });

  it("behind an edited message, a regenerated reply or another system text is left out, never refused", async () => {
    const { server, client } = await setUp();
    const base: Params = { ...adaptive, system: "Be kind." };
    const loop = loopOf(client, base);
    await talk(loop, 6);

    const edited = structuredClone(loop.messages) as Anthropic.MessageParam[];
    edited[4] = { role: "user", content: "Turn 2, put differently." };
    const branch = loopOf(client, base, edited);
    await talk(branch, 2, 6);
    expect(thoughts(server, branch).sent).toBe(2 + 1);

    const regenerated = loopOf(
      client,
      base,
      structuredClone(loop.messages.slice(0, 10)) as Anthropic.MessageParam[],
    );
    await talk(regenerated, 2, 5);
    expect(thoughts(server, regenerated)).toEqual({ sent: 6, had: 6 });

    const other = loopOf(
      client,
      { ...base, system: "Be brief." },
      structuredClone(loop.messages) as Anthropic.MessageParam[],
    );
    await talk(other, 2, 6);
    expect(thoughts(server, other)).toEqual({ sent: 1, had: 7 });

    const stripped = (
      structuredClone(loop.messages) as { role: string; content: string | Block[] }[]
    ).map((message) => ({
      ...message,
      content:
        typeof message.content === "string"
          ? message.content
          : message.content.filter(({ type }) => type !== "thinking"),
    }));
    const bare = loopOf(client, base, stripped as Anthropic.MessageParam[]);
    await talk(bare, 2, 6);
    expect(server.refusals).toEqual([]);
  });
});

describe("manual thinking", () => {
  for (const model of [UNBOUND, MODEL])
    it(`in a tool loop that runs to the brim: every request is valid, with ${model}`, async () => {
      const { server, client, tidemark, events } = await setUp({
        window: { tokens: 9_000, patience: 600_000 },
        server: {
          reply: (request, { index }) => {
            const thinks = (request.thinking as { type?: string } | undefined)?.type === "enabled";
            const said =
              index % 12 === 11
                ? [{ type: "text", text: `Done ${index}.` }]
                : [{ type: "tool_use", name: "look", input: { at: index } }];
            return [
              ...(thinks ? [{ type: "thinking", thinking: `Thought ${index}.` }] : []),
              ...said,
            ];
          },
        },
      });
      const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Begin." }];
      for (let call = 0; call < 72; call++) {
        const reply = await client.messages.create({
          ...manual,
          model,
          max_tokens: 2_000,
          tools: [look],
          messages,
        });
        await tidemark.idle();
        const use = reply.content.find((block) => block.type === "tool_use");
        messages.push(
          { role: "assistant", content: reply.content },
          {
            role: "user",
            content: use
              ? [{ type: "tool_result", tool_use_id: use.id, content: prose(300, call) }]
              : `And then, ${call}?`,
          },
        );
      }
      expect(server.refusals).toEqual([]);
      expect(typesOf(events).filter((type) => type === "folded").length).toBeGreaterThan(1);
      // Thinking is off only for what is left of a loop that the brim cut into, and only where it is bound to what was cut.
      const off = spoken(server).filter(({ body }) => body.thinking === undefined).length;
      expect(off).toBeLessThan(model === UNBOUND ? 1 : spoken(server).length / 2);
    });

  it("is switched off with what the provider refuses without it: the clearing of thoughts, and no other edit", async () => {
    const { server, client, tidemark } = await setUp({
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
      for (let call = 0; call < 36; call++) {
        const reply = await client.beta.messages.create({
          model: MODEL,
          max_tokens: 2_000,
          thinking: { type: "enabled", budget_tokens: 1_024 },
          tools: [look] as Anthropic.Beta.BetaTool[],
          betas: ["context-management-2025-06-27"],
          context_management: { edits },
          messages,
        });
        await tidemark.idle();
        const use = reply.content.find((block) => block.type === "tool_use");
        messages.push(
          { role: "assistant", content: reply.content },
          {
            role: "user",
            content: use
              ? [{ type: "tool_result", tool_use_id: use.id, content: prose(300, call) }]
              : `And then, ${call}?`,
          },
        );
      }
    }
    expect(server.refusals).toEqual([]);
    const off = server.requests
      .filter(({ body }) => body.thinking === undefined)
      .map(({ body }) => body.context_management);
    expect(off).toContainEqual(undefined);
    expect(off).toContainEqual({ edits: [tools] });
  });
});
