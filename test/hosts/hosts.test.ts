import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import type { Format } from "../../src/core/request.ts";
import { kindOf } from "../support/anthropic.ts";
import { HOSTS, type HostName, SHRINKING } from "./hosts.ts";
import { play, type Played, type Way } from "./play.ts";
import { type Exchange, madeUp } from "./said.ts";

const STORY = madeUp(7, 30);
/** In a smaller one a distilling has no room behind the request, and is asked for in pieces. */
const WINDOW = 8_000;

const played = (format: Format, way: Partial<Way> = {}): Promise<Played> =>
  play(STORY, { open: openTidemark, format, host: HOSTS.unchanged, window: WINDOW, ...way });

/** Words of replies and results that no message of the conversation holds. */
function lost(exchanges: readonly Exchange[], { conversations }: Played): string[] {
  const kept = JSON.stringify(conversations);
  return exchanges
    .flat()
    .filter(({ who, text }) => who !== "user" && !kept.includes(JSON.stringify(text).slice(1, -1)))
    .map(({ text }) => text);
}

const troubles = ({ events }: Played): string[] =>
  events
    .map(kindOf)
    .filter((kind) => /degraded|distil-failed|fold-refused|alike|in-a-row/.test(kind));

function expectWhole(made: Played, story: readonly Exchange[] = STORY): void {
  expect(made.conversations).toHaveLength(1);
  expect(lost(story, made)).toEqual([]);
  expect(made.broken).toEqual([]);
  expect(troubles(made)).toEqual([]);
  // Each message is distilled once; the last question may be read with pages, and again without.
  expect(made.seen.length - new Set(made.seen).size).toBeLessThanOrEqual(1);
}

const unchanged = [played("anthropic"), played("openai-chat")] as const;

describe.each<Format>(["anthropic", "openai-chat"])("a host of %s that", (format) => {
  const plain = unchanged[format === "anthropic" ? 0 : 1];
  const ways: [string, Partial<Way>][] = [
    ...Object.entries(HOSTS).map(([name, host]): [string, Partial<Way>] => [name, { host }]),
    ["tells the time in its system text", { clock: true }],
    ["asks each third question twice", { retries: 3 }],
    ["starts anew for each turn", { restarts: true }],
  ];
  it.each(ways)("%s has one conversation, folded as an unchanged one is", async (name, way) => {
    const made = await played(format, way);
    expectWhole(made);
    const { folds, asked } = await plain;
    expect(folds).toBeGreaterThan(0);
    expect(made.folds).toBeLessThanOrEqual(folds);
    // The story may end behind one more flush mark.
    expect(made.asked).toBeLessThanOrEqual(1.2 * asked + 1);
    if (!SHRINKING.has(name as HostName)) expect(made.folds).toBe(folds);
  });
});
