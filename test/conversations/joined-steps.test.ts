// Mastra without memory shows the tool steps of a turn as one: what was said stays one conversation, stored once.
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Message } from "../../src/core/request.ts";
import { HOSTS, type HostName } from "../hosts/hosts.ts";
import { asMessages, type Said } from "../hosts/said.ts";
import { chance } from "../support/histories-random.ts";
import { runs } from "../support/runs.ts";
import { conversations, leaveRooms, openRoom } from "../support/talk.ts";

/** A turn of up to six steps, whose calls and results may be alike; an agent may run out of steps. */
function turnOf(seed: number, turn: number): Said[] {
  const random = chance(seed * 100 + turn, turn);
  let tag = turn * 100;
  const tagged = (): string => `«${(tag += 1)}» ${random.text(120)}`;
  const said: Said[] = [{ who: "user", text: tagged() }];
  for (let steps = random.nat(7); steps > 0; steps -= 1) {
    const calls = Array.from({ length: 1 + random.nat(3) }, () => ({
      ...{ id: random.id("call_"), name: random.pick(["look", "count"]) },
      input: random.maybe(0.3) ? {} : { place: `pier ${random.nat(40)}` },
    }));
    said.push({ who: "assistant", text: random.maybe(0.3) ? tagged() : "", calls });
    for (const { id } of calls)
      said.push({ who: "tool", id, text: random.maybe(0.3) ? "ok" : tagged() });
  }
  const isCut = said.length > 1 && random.maybe(0.1);
  return isCut ? said : [...said, { who: "assistant", text: tagged() }];
}

/** How a format has a request, and a reply. */
const WIRES = {
  "ai-sdk": {
    asked: (prompt: Message[]) => ({ prompt }),
    replied: ({ content }: Message) => ({
      content: (content as { input?: object }[]).map((part) =>
        part.input ? { ...part, input: JSON.stringify(part.input) } : part,
      ),
    }),
  },
  gemini: {
    asked: (contents: Message[]) => ({ contents }),
    replied: (content: Message) => ({ candidates: [{ content }] }),
  },
  anthropic: {
    asked: (messages: Message[]) => ({ messages }),
    replied: (message: Message) => ({ type: "message", ...message }),
  },
};

async function archived(format: keyof typeof WIRES, seed: number, name: HostName) {
  const window = { tokens: 3_000, reserve: 200, patience: 0 };
  const room = await openRoom({ inject: false, window });
  const before: Said[] = [];
  let [folded, cut] = [false, false];
  for (let turn = 0; turn < 6; turn += 1) {
    const said = turnOf(seed, turn);
    for (const [at, one] of said.entries()) {
      if (one.who !== "assistant") continue;
      const shown = asMessages(HOSTS[name]([...before, ...said.slice(0, at)], turn), format);
      const given = { model: "m", max_tokens: 100, ...WIRES[format].asked(shown) };
      const begun = await room.tidemark.begin(given as never, { format });
      folded ||= begun.folded !== undefined;
      if (!folded) expect(begun.request).toBe(given);
      await begun.end(WIRES[format].replied(asMessages([one], format)[0]!));
    }
    before.push(...said);
    cut ||= said.at(-1)?.who === "tool";
    await room.tidemark.idle();
    if (turn === 3) await room.reopen();
  }
  expect(room.events.filter(({ type }) => type === "degraded")).toEqual([]);
  return { all: await conversations(room.tidemark), cut };
}

it.each(["ai-sdk", "gemini", "anthropic"] as const)(
  "steps that come back joined are archived as they were said (%s)",
  async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(10_000), async (seed) => {
        const { all, cut } = await archived(format, seed, "joins the steps of a turn");
        const plain = await archived(format, seed, "unchanged");
        await leaveRooms();
        expect(all.map(({ length }) => length)).toEqual(plain.all.map(({ length }) => length));
        // Results that no model was shown before they came back joined are kept as they came.
        if (!cut) expect(all).toEqual(plain.all);
      }),
      { numRuns: runs(6), seed: 42 },
    );
  },
);
