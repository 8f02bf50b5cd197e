import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import type { Format } from "../../src/core/request.ts";
import { kindOf } from "../support/anthropic.ts";
import { HOSTS, type HostName } from "./hosts.ts";
import { openHouse, say, type House, type Way } from "./play.ts";
import { type Exchange, madeUp } from "./said.ts";

const names = (house: House): string[] => house.events.map(kindOf);

const tell = async (house: House, way: Way, line: readonly Exchange[]): Promise<void> => {
  for (const [turn, exchange] of line.entries())
    await say(house, way, { before: line.slice(0, turn).flat(), exchange, turn });
};

describe.each<Format>(["anthropic", "openai-chat"])("conversations (%s)", (format) => {
  const open = (name: HostName) => {
    const way: Way = { open: openTidemark, format, host: HOSTS[name], window: 8_000 };
    return openHouse(way).then((house) => ({ way, house }));
  };

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
