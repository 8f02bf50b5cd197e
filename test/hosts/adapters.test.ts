// Hosts that change what they keep, through every way in: one conversation each, folded and remembered as by `begin` and `end`.
import { describe, expect, it } from "vitest";
import { type Complete, openTidemark, type Tidemark } from "../../src/index.ts";
import { afterwards, kindOf } from "../support/anthropic.ts";
import { runs } from "../support/runs.ts";
import { countingDistiller } from "../support/talk.ts";
import { HOSTS, type HostName } from "./hosts.ts";
import { type House, openHouse, say, type Way } from "./play.ts";
import { type Exchange, madeUp, type Said } from "./said.ts";
import { WAYS_IN } from "./ways-in.ts";

/** A fold leaves the last turns as they are, how many goes by an API's form: these tell nothing. */
const CLOSING = Array.from({ length: 10 }, (_, nth): Exchange => [
  { who: "user", text: `Go on, ${nth}.` },
  { who: "assistant", text: "Aye." },
]);
const STORY = [...madeUp(7, 32), ...CLOSING];
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

/** A distiller that makes a memory of each tag that it sees. */
function remembering() {
  const { complete, seen } = countingDistiller();
  const distil: Complete = async (ask) => {
    const before = seen.length;
    const { facts, summary } = JSON.parse((await complete(ask)).text) as {
      facts: { from: number[] }[];
      summary: string;
    };
    const made = [...new Set(seen.slice(before))].map((tag) => ({
      content: `Crate ${tag} was counted at the harbour.`,
      ...{ category: "project", importance: 0.6, from: facts[0]!.from },
    }));
    return { text: JSON.stringify({ facts: made, summary }) };
  };
  return { distil, seen };
}

async function remembered(tidemark: Tidemark): Promise<string[]> {
  await tidemark.fold();
  return (await tidemark.memory.list({ limit: 1_000 })).map(({ content }) => content);
}

const foldsIn = ({ events }: House): number =>
  events.filter((event) => kindOf(event) === "folded").length;

/** Folds and memories of a host that calls `begin` and `end` itself. */
async function byHand(name: HostName) {
  const way = { ...begun, host: HOSTS[name], options: { distil: remembering().distil } };
  const house = await openHouse(way);
  let folds = 0;
  for (const [turn, exchange] of STORY.entries()) {
    if (exchange === CLOSING[0]) folds = foldsIn(house);
    await say(house, way, { before: STORY.slice(0, turn).flat(), exchange, turn });
    await house.tidemark.idle();
  }
  const memories = await remembered(house.tidemark);
  await house.leave();
  return { folds, memories };
}
const played = new Map<HostName, ReturnType<typeof byHand>>();
function asBegun(name: HostName): ReturnType<typeof byHand> {
  const made = played.get(name) ?? byHand(name);
  played.set(name, made);
  return made;
}

/** Each way is played by two hosts, a proxy, which does as its way does, by one, and each host through a way and more; `TIDEMARK_RUNS=2` plays all. */
const meets = (way: number) => (name: HostName, host: number) =>
  (name === "unchanged" && !WAYS[way]?.name.includes("proxy")) ||
  (way + host) % 6 === 0 ||
  runs(1) > 1;

const WAYS = Object.entries(WAYS_IN).map(([name, open], way) => ({ name, open, way }));
describe.each(WAYS)("through $name, a host that", ({ open, way: number }) => {
  it.each(HOSTS_THROUGH.filter(meets(number)))(
    "%s has one conversation, and nothing is refused",
    async (name) => {
      let next: Said | undefined;
      const way = await open(() => next!);
      afterwards(() => way.close());
      const { distil, seen } = remembering();
      const house = await openHouse({ ...begun, options: { distil } });
      const ask = way.ask(house.tidemark);
      const before: Said[] = [];
      let folds = 0;
      for (const [turn, exchange] of STORY.entries()) {
        if (exchange === CLOSING[0]) folds = foldsIn(house);
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
      expect(seen.length - new Set(seen).size).toBeLessThanOrEqual(1);
      const { memories, ...made } = await asBegun(name);
      // The story may end between two forms' marks.
      if (name === "unchanged") expect(Math.abs(folds - made.folds)).toBeLessThanOrEqual(1);
      const kept = await remembered(house.tidemark);
      // Where a host drops results, one form has shown more of them than another by then.
      const dropped = /texts only|prunes|replies of a turn/.test(name);
      const odd = [...memories, ...(dropped ? [] : kept)].filter(
        (one) => !kept.includes(one) || !memories.includes(one),
      );
      expect(memories.length).toBeGreaterThan(80);
      expect(odd.length).toBeLessThanOrEqual(0.02 * memories.length);
      await house.leave();
    },
  );
});
