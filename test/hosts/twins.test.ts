import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import type { Format, ProviderRequest } from "../../src/core/request.ts";
import { kindOf } from "../support/anthropic.ts";
import { HOSTS, type HostName } from "./hosts.ts";
import { openHouse, say, type Way } from "./play.ts";
import { asMessages, type Exchange, madeUp, type Said } from "./said.ts";
import { toolsOf } from "../support/replay-judge.ts";

/** The same questions; what is answered is spoken of in words of one's own. */
const told = (who: string, exchanges: readonly Exchange[]): Exchange[] =>
  exchanges.map((exchange, turn) =>
    exchange.map((said, at): Said =>
      said.who === "user"
        ? said
        : {
            ...said,
            text:
              said.text && said.text.replace(/\b(tide|boat|crate)\b|$/g, `${who}${turn}x${at} $1`),
          },
    ),
  );

async function together(format: Format, name: HostName) {
  const story = madeUp(11, 6);
  const lines = [told("uma", story), told("bob", story)];
  const tools = toolsOf(format, asMessages(story.flat(), format)) ?? [];
  const way: Way = { open: openTidemark, format, host: HOSTS[name], window: 3_000, tools };
  const house = await openHouse({ ...way, options: { inject: false } });
  const sent: ProviderRequest[][] = [[], []];
  try {
    for (let turn = 0; turn < story.length; turn += 1)
      for (const [nth, line] of lines.entries()) {
        const before = line.slice(0, turn).flat();
        sent[nth]?.push(...(await say(house, way, { before, exchange: line[turn] ?? [], turn })));
        await house.tidemark.idle();
      }
    const kinds = house.events.map(kindOf);
    return { sent, kinds, list: await house.tidemark.history.list() };
  } finally {
    await house.leave();
  }
}

describe.each<Format>(["anthropic", "openai-chat"])("twins with one spine (%s)", (format) => {
  it.each(Object.keys(HOSTS) as HostName[])("stay two where the host %s", async (name) => {
    const { sent, list, kinds } = await together(format, name);
    expect(JSON.stringify(sent[0])).not.toMatch(/bob\d/);
    expect(JSON.stringify(sent[1])).not.toMatch(/uma\d/);
    expect(kinds).not.toContain("conversations-in-a-row");
    // Where the beginnings of replies are the same, nothing tells the two apart.
    const isEither = name === "keeps 80 characters of a reply";
    expect(kinds.filter((kind) => kind === "conversations-alike")).toHaveLength(isEither ? 1 : 0);
    if (!isEither) expect(list).toHaveLength(2);
  });
});
