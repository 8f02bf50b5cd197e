import { describe, expect, it } from "vitest";
import type { Message } from "../../src/core/request.ts";
import { asked, prose, setUp, typesOf } from "../support/anthropic.ts";

interface Talk {
  readonly reminded: boolean;
  readonly recall: boolean;
}

/** A caller that puts a reminder of its own behind each turn of the user's, or none. */
async function talk({ reminded, recall }: Talk) {
  const { server, tidemark, client, events } = await setUp({
    inject: false,
    window: { tokens: 20_000 },
    server: { window: 20_000 },
    ...(recall ? { recall: { tokens: 150 } } : {}),
  });
  if (recall)
    for (let at = 0; at < 6; at++)
      await tidemark.memory.save(`The quiet boat number ${at} lies by the old pier.`);
  const messages: Message[] = [];
  for (let at = 0; at < 45; at++) {
    messages.push(
      { role: "user", content: `Turn ${at}. ${prose(350, at)}` },
      ...(reminded ? [{ role: "system", content: "Answer briefly." }] : []),
    );
    const reply = await client.messages.create({
      model: "claude-opus-5-5",
      max_tokens: 800,
      messages: [...messages] as never,
    });
    messages.push({ role: "assistant", content: reply.content });
    await tidemark.idle();
  }
  expect(server.refusals).toEqual([]);
  expect(typesOf(events)).toContain("folded");
  expect(typesOf(events)).not.toContain("distil-failed");
  if (recall) expect(typesOf(events)).toContain("recalled");
  return asked(server);
}

describe("the request to distil", () => {
  const talks: Talk[] = [
    { reminded: false, recall: true },
    { reminded: true, recall: false },
  ];
  for (const one of talks)
    it(`reads the cache${one.reminded ? ", behind a system message of the caller's" : ""}${one.recall ? ", behind what was recalled" : ""}`, async () => {
      const distils = await talk(one);
      expect(distils.length).toBeGreaterThan(0);
      for (const { body, usage } of distils) {
        const sent = body.messages as Message[];
        expect(sent.length).toBeGreaterThan(10);
        // Behind the user's words, where nothing but them was cut away.
        expect(sent.slice(-2).map(({ role }) => role)).toEqual(["user", "user"]);
        expect(
          usage!.cacheRead / (usage!.cacheRead + usage!.input + usage!.cacheWrite),
        ).toBeGreaterThan(0.8);
      }
    });
});
