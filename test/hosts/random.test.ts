import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import type { Format } from "../../src/core/request.ts";
import { realHistories } from "../support/histories.ts";
import { type HostName, HOSTS, mixed } from "./hosts.ts";
import { play, type Way } from "./play.ts";
import { exchangesOf, madeUp } from "./said.ts";

const anyHost = fc.subarray(Object.keys(HOSTS) as HostName[], { minLength: 1, maxLength: 2 });
const formats = fc.constantFrom<Format>("anthropic", "openai-chat");
const habits = fc.record({
  clock: fc.boolean(),
  restarts: fc.constantFrom(false, false, true),
  parsed: fc.boolean(),
});

/** A host that may read its history from JSON for each call. */
function wayOf(names: HostName[], format: Format, given: { parsed: boolean; clock: boolean }): Way {
  const { parsed, ...way } = given;
  const host = mixed(names);
  const read: Way["host"] = (history, turn) =>
    JSON.parse(JSON.stringify(host(history, turn))) as typeof history;
  return { open: openTidemark, format, host: parsed ? read : host, ...way };
}

describe("hosts by chance", () => {
  it("have one conversation with a made-up history, whatever they do with it", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyHost,
        formats,
        habits,
        fc.nat(1_000),
        async (names, format, how, seed) => {
          const made = await play(madeUp(seed, 8), { ...wayOf(names, format, how), window: 3_000 });
          expect(made.conversations).toHaveLength(1);
          expect(made.seen).toHaveLength(new Set(made.seen).size);
        },
      ),
      { numRuns: 12, seed: 38 },
    );
  });

  const real = realHistories().filter(({ name }) => name.startsWith("tau-"));
  it.skipIf(real.length === 0)("have one conversation with a real history", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyHost,
        formats,
        habits,
        fc.constantFrom(...real),
        async (names, format, how, history) => {
          const story = exchangesOf(history, 20);
          const made = await play(story, { ...wayOf(names, format, how), window: 40_000 });
          expect(made.conversations).toHaveLength(1);
        },
      ),
      { numRuns: 6, seed: 38 },
    );
  });
});
