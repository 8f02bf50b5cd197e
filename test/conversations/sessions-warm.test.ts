import type { VectorStorage } from "../../src/storage/port.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import { createSessions, type Placed, type Sessions } from "../../src/conversations/sessions.ts";
import type { Message } from "../../src/core/request.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { runs } from "../support/runs.ts";

const step = fc.record({
  do: fc.constantFrom(
    "ask",
    "ask",
    "ask",
    "ask",
    "edit",
    "clear",
    "restore",
    "back",
    "trim",
    "fresh",
    "learn",
  ),
  which: fc.nat({ max: 30 }),
  answered: fc.boolean(),
  tool: fc.boolean(),
});

const RESULT = "two hundred lines of the harbour's tide table";
let ids = 0;
const sessionsOver = (store: VectorStorage): Sessions =>
  createSessions({
    store,
    now: () => 1,
    newId: () => `session-${ids++}`,
    weigh: (_, message) => JSON.stringify(message).length,
  });
const view = ({ session, entries, positions, added, cleared, tokens }: Placed) => ({
  positions,
  added,
  line: entries.map(({ content }) => content),
  of: [session.confirmed, session.watermark, session.noted],
  cleared: entries.map((_, position) => cleared?.(position, position + 1)),
  tokens: tokens(),
});

it("places a request where a process would that has never seen it, whatever the caller did to the messages it keeps", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 24 }), async (steps) => {
      const stores = [openStorage(":memory:"), openStorage(":memory:")] as const;
      const warm = sessionsOver(stores[0]);
      let turn = 0;
      let messages: Message[] = [];
      const both = async <T>(
        work: (sessions: Sessions, from: (messages: readonly Message[]) => Message[]) => Promise<T>,
      ): Promise<[T, T]> => [
        await work(warm, (own) => [...own]),
        await work(sessionsOver(stores[1]), (own) => structuredClone([...own])),
      ];
      for (const { do: what, which, answered, tool } of steps) {
        const chosen = messages[which % Math.max(1, messages.length)];
        const result = Array.isArray(chosen?.content)
          ? (chosen.content[0] as { type: string; content?: string })
          : undefined;
        if (what === "edit" && typeof chosen?.content === "string")
          Object.assign(chosen, { content: `${chosen.content}!` });
        else if (what === "clear" && result?.type === "tool_result") result.content = "[cleared]";
        else if (what === "restore" && result?.type === "tool_result") result.content = RESULT;
        else if (what === "back") messages = messages.slice(0, messages.length - (which % 5));
        // Before the user's own words: a result without its call is no message of a request's.
        else if (what === "trim")
          messages = messages.slice(
            Math.max(
              0,
              messages.findIndex(
                ({ role, content }, index) =>
                  index >= which % 6 && role === "user" && typeof content === "string",
              ),
            ),
          );
        else if (what === "fresh") messages = structuredClone(messages);
        const calls = messages.at(-1)?.content;
        const open = Array.isArray(calls) && (calls[0] as { type: string }).type === "tool_use";
        turn++;
        if (messages.at(-1)?.role !== "user")
          messages.push(
            open
              ? {
                  role: "user",
                  content: [
                    {
                      type: "tool_result",
                      tool_use_id: (calls[0] as { id: string }).id,
                      content: RESULT,
                    },
                  ],
                }
              : { role: "user", content: `question ${turn}` },
          );
        const [own, other] = await both((sessions, of) =>
          sessions.place({ dialect: anthropic, messages: of(messages), root: "ada" }),
        );
        expect(view(own)).toEqual(view(other));
        if (what === "learn")
          await both(async (sessions, of) => {
            const { session } = await sessions.place({
              dialect: anthropic,
              messages: of(messages),
              root: "ada",
            });
            await sessions.update(session.id, { watermark: 1 });
          });
        if (!answered) continue;
        const reply: Message = {
          role: "assistant",
          content: tool
            ? [{ type: "tool_use", id: `call-${turn}`, name: "read", input: { turn } }]
            : `answer ${turn} about the harbour and its tides`,
        };
        await both(async (sessions, of) => {
          const sent = of(messages);
          const { session, entries } = await sessions.place({
            dialect: anthropic,
            messages: sent,
            root: "ada",
          });
          await sessions.archive(session.id, {
            dialect: anthropic,
            message: structuredClone(reply),
            before: sent,
            line: entries,
          });
        });
        messages.push(reply);
      }
      for (const store of stores) await store.close();
    }),
    { numRuns: runs(50) },
  );
});
