import {
  clientOf,
  freshServer,
  freshTidemark,
  type Loop,
  loopOf,
  prose,
  typesOf,
} from "../../support/anthropic.ts";
import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import type { Options } from "../../../src/index.ts";
import type { Json, MessagesServer, Received } from "../../support/messages-server/index.ts";

const adaptive = { thinking: { type: "adaptive" } } as const;
const spoken = (server: MessagesServer): Received[] => server.requests.filter((one) => !one.distil);
const blocksIn = (body: Json, type: string): Json[] =>
  (body.messages as { content: unknown }[]).flatMap(({ content }) =>
    Array.isArray(content) ? (content as Json[]).filter((block) => block.type === type) : [],
  );

async function talk(loop: Loop, turns: number, from = 0): Promise<void> {
  for (let turn = from; turn < from + turns; turn++)
    await loop.say(`Turn ${turn}: ${prose(60, turn)}`);
}

describe("thinking that is refused after all", () => {
  /** A conversation whose provider is another one in the middle: nothing it signed before holds any more. */
  async function changed(base: object, options: Options = {}) {
    const one = await freshServer({ secret: "one" });
    const two = await freshServer({ secret: "another" });
    const { tidemark, events } = await freshTidemark(options);
    const loop = loopOf(clientOf(one, tidemark), base);
    await talk(loop, 6);
    const other = loopOf(clientOf(two, tidemark), base, loop.messages as Anthropic.MessageParam[]);
    return { two, events, other };
  }

  it("goes out once more without, and never again; what is thought from then on holds", async () => {
    const { two, events, other } = await changed({ ...adaptive, system: "Be kind." });
    await talk(other, 5, 6);
    expect(two.refusals).toHaveLength(1);
    expect(typesOf(events).filter((type) => type === "thinking-refused")).toHaveLength(1);
    expect(blocksIn(spoken(two).at(-1)!.body, "thinking")).toHaveLength(4);
    expect(other.messages).toHaveLength(22);
  });
});
