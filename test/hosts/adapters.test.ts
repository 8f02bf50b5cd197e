// Hosts that change what they keep, through every way in: one conversation each, folded as by `begin` and `end`.
import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { afterwards, kindOf } from "../support/anthropic.ts";
import { runs } from "../support/runs.ts";
import { HOSTS, type HostName } from "./hosts.ts";
import { openHouse, play, type Way } from "./play.ts";
import { madeUp, type Said } from "./said.ts";
import { WAYS_IN } from "./ways-in.ts";

const STORY = madeUp(7, 32);
const WINDOW = 8_000;
const HOSTS_THROUGH: HostName[] = [
  "unchanged",
  "keeps texts only",
  "prunes calls before the last two messages",
  "cleans thoughts, Markdown and citations",
  "joins the replies of a turn",
  "joins the steps of a turn",
  "keeps 500 characters of a reply",
];

const begun: Way = {
  open: openTidemark,
  format: "anthropic",
  host: HOSTS.unchanged,
  window: WINDOW,
};
const asBegun = play(STORY, begun);

/** Each way is played by three hosts and each host through three ways and more; `TIDEMARK_RUNS=2` plays all. */
const meets = (way: number) => (name: HostName, host: number) =>
  name === "unchanged" || (way + host) % 3 === 0 || runs(1) > 1;

const WAYS = Object.entries(WAYS_IN).map(([name, open], way) => ({ name, open, way }));
describe.each(WAYS)("through $name, a host that", ({ open, way: number }) => {
  it.each(HOSTS_THROUGH.filter(meets(number)))(
    "%s has one conversation, and nothing is refused",
    async (name) => {
      let next: Said | undefined;
      const way = await open(() => next!);
      afterwards(() => way.close());
      const house = await openHouse(begun);
      const ask = way.ask(house.tidemark);
      const before: Said[] = [];
      for (const [turn, exchange] of STORY.entries()) {
        for (const [index, said] of exchange.entries()) {
          if (said.who !== "assistant") continue;
          next = said;
          await ask(HOSTS[name]([...before, ...exchange.slice(0, index)], turn));
        }
        before.push(...exchange);
        await house.tidemark.idle();
      }
      expect(way.refusals()).toEqual([]);
      expect(await house.tidemark.history.list()).toHaveLength(1);
      const names = house.events.map(kindOf);
      expect(names).not.toContain("conversations-in-a-row");
      // Each message is distilled once.
      expect(house.seen.length - new Set(house.seen).size).toBeLessThanOrEqual(1);
      if (name === "unchanged")
        expect(names.filter((one) => one === "folded")).toHaveLength((await asBegun).folds);
      await house.leave();
    },
  );
});
