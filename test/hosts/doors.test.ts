import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import type { Format } from "../../src/core/request.ts";
import { kindOf, MODEL, setUp, spoken, typesOf } from "../support/anthropic.ts";
import { HOSTS, type HostName } from "./hosts.ts";
import { openHouse, say, type House, type Way } from "./play.ts";
import { asMessages, type Exchange, madeUp, type Said } from "./said.ts";

const STORY = madeUp(7, 16);
const looks = ["look", "count"].map((name) => ({
  name,
  input_schema: { type: "object" as const },
}));

const names = (house: House): string[] => house.events.map(kindOf);

describe("through the SDK's middleware, a host that", () => {
  const hosts: HostName[] = [
    "unchanged",
    "keeps texts only",
    "prunes calls before the last two messages",
    "cleans thoughts, Markdown and citations",
    "joins the replies of a turn",
    "keeps 500 characters of a reply",
  ];
  it.each(hosts)("%s has one conversation, and nothing is refused", async (name) => {
    let next: Said | undefined;
    const { client, server, tidemark, events } = await setUp({
      server: { reply: () => (asMessages([next!], "anthropic")[0]!.content as string) ?? "" },
      window: { tokens: 8_000, reserve: 400 },
    });
    const before: Said[] = [];
    for (const [turn, exchange] of STORY.entries()) {
      for (const [index, said] of exchange.entries()) {
        if (said.who !== "assistant") continue;
        next = said;
        const shown = HOSTS[name]([...before, ...exchange.slice(0, index)], turn);
        const messages = asMessages(shown, "anthropic") as unknown as Anthropic.MessageParam[];
        await client.messages.create({ model: MODEL, max_tokens: 300, tools: looks, messages });
      }
      before.push(...exchange);
      await tidemark.idle();
    }
    expect(server.refusals).toEqual([]);
    expect(spoken(server)).not.toEqual([]);
    expect(await tidemark.history.list()).toHaveLength(1);
    expect(typesOf(events)).not.toContain("conversations-in-a-row");
  });
});

const tell = async (house: House, way: Way, line: readonly Exchange[]): Promise<void> => {
  for (const [turn, exchange] of line.entries())
    await say(house, way, { before: line.slice(0, turn).flat(), exchange, turn });
};

describe.each<Format>(["anthropic", "openai-chat"])("conversations (%s)", (format) => {
  const open = (name: HostName) => {
    const way: Way = { open: openTidemark, format, host: HOSTS[name], window: 8_000 };
    return openHouse(way).then((house) => ({ way, house }));
  };

  it.each<HostName>(["unchanged", "keeps texts only", "escapes markup"])(
    "of two tabs that open alike and take turns are two, where the host %s",
    async (name) => {
      const { house, way } = await open(name);
      const [mine, its] = [madeUp(3, 8), madeUp(4, 8)];
      const tabs = [
        [...mine.slice(0, 1), ...mine.slice(1)],
        [...mine.slice(0, 1), ...its.slice(1)],
      ];
      for (let turn = 0; turn < 8; turn += 1)
        for (const tab of tabs)
          await say(house, way, {
            before: tab.slice(0, turn).flat(),
            exchange: tab[turn]!,
            turn,
          });
      expect(await house.tidemark.history.list()).toHaveLength(2);
      await house.leave();
    },
  );

  it.each<HostName>(["unchanged", "keeps texts only", "cleans thoughts, Markdown and citations"])(
    "branch where words of the user's are edited, and go on on both, where the host %s",
    async (name) => {
      const { house, way } = await open(name);
      const [first, other] = [madeUp(5, 8), madeUp(6, 8)];
      await tell(house, way, first);
      const branch = [...first.slice(0, 4), ...other.slice(4, 5)];
      const more = [
        [...first, ...madeUp(8, 1)],
        [...branch, ...madeUp(9, 1)],
      ];
      for (const line of [branch, ...more]) {
        const before = line.slice(0, -1).flat();
        await say(house, way, { before, exchange: line.at(-1)!, turn: line.length });
      }
      expect(await house.tidemark.history.list()).toHaveLength(2);
      await house.leave();
    },
  );

  it("in a row that nothing joins are told of once, with the cure", async () => {
    const { house, way } = await open("unchanged");
    const story = madeUp(5, 12);
    const strange: Way = {
      ...way,
      // Replies told anew in other words: nothing says that they are the archived ones.
      host: (history) =>
        history.map((said, at) =>
          said.who === "assistant"
            ? { who: "assistant", text: `Reply number ${at} was given.` }
            : said,
        ),
    };
    await tell(
      house,
      strange,
      story.map((exchange) => exchange.filter(({ who, calls }) => who !== "tool" && !calls)),
    );
    expect(names(house).filter((name) => name === "conversations-in-a-row")).toHaveLength(1);
    const told = house.events.find((event) => kindOf(event) === "conversations-in-a-row");
    expect(told).toMatchObject({ text: expect.stringContaining("conversation") });
    await house.leave();
  });
});
