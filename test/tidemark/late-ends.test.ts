import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TidemarkEvent, Turn } from "../../src/index.ts";
import type { Message } from "../../src/core/request.ts";
import { prose } from "../support/anthropic.ts";
import { counted } from "../support/counted-distiller.ts";
import { chance } from "../support/histories-random.ts";
import { asReply, assistant, requestOf, user } from "../support/talk.ts";
import { runs } from "../support/runs.ts";
import { openTimed } from "../support/timed.ts";

const LIMIT = 40_000;

/** Lets what is under way go on. */
async function rounds(count: number): Promise<void> {
  for (let round = 0; round < count; round += 1)
    await new Promise((resolve) => setImmediate(resolve));
}

describe("turns that end whenever they end", () => {
  it("lose no summary that is ready, and have nothing told again that a fold says", async () => {
    const met = { folds: 0, late: 0, quiet: 0 };
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 1e9 }), async (seed) => {
        const random = chance(seed);
        const distiller = counted();
        const tagsIn = (value: unknown): string[] => JSON.stringify(value).match(/«m\d+»/g) ?? [];
        const gone = new Set<string>();
        const again: string[] = [];
        const events: TidemarkEvent[] = [];
        const quiet: { work: () => void; off: boolean }[] = [];
        const tidemark = await openTimed({
          workspace: false,
          cache: false,
          inject: false,
          window: { tokens: LIMIT, patience: 0 },
          listen: (event) => events.push(event),
          timer: (ms, work) => {
            const made = { work, off: false };
            if (ms > 60_000) quiet.push(made);
            return () => void (made.off = true);
          },
          distil: {
            complete: (request) => {
              again.push(...tagsIn(request.messages).filter((tag) => gone.has(tag)));
              return distiller.complete(request);
            },
          },
        });
        const messages: Message[] = [];
        const under: { turn: Turn; reply: Message }[] = [];
        let answered = false;
        for (let step = 0, count = 0; step < 70; step++) {
          messages.push(
            user(`«one» «m${count++}» ${prose(random.pick([100, 600, 1_600]), count)}`),
          );
          const before = events.length;
          const turn = await tidemark.begin(requestOf(messages));
          const reply = assistant(`«m${count++}» Noted.`);
          messages.push(reply);
          if (turn.folded) {
            met.folds += 1;
            answered = false;
            const kept = new Set(tagsIn(turn.request.messages));
            for (const tag of tagsIn(messages.slice(0, -1))) if (!kept.has(tag)) gone.add(tag);
          } else if (turn.window.mark === "compact" && answered)
            expect(events.slice(before).map(({ type }) => type)).toContain("fold-refused");
          under.push({ turn, reply });
          while (under.length > 0 && (under.length > 4 || random.maybe(0.5))) {
            const [one] = under.splice(random.nat(under.length - 1), 1);
            if (one!.turn !== turn) met.late += 1;
            await one!.turn.end(asReply(one!.reply));
          }
          const [asked] = random.maybe(0.5) ? distiller.open() : [];
          if (asked !== undefined) {
            asked.answer();
            // Others may be open still, for whose answers `idle` would wait.
            await rounds(200);
            // What is read at rest leaves no summary to fold with.
            answered ||= asked.summary;
          }
          const due = quiet.filter(({ off }) => !off);
          if (due.length > 0 && random.maybe(0.3)) {
            met.quiet += 1;
            for (const one of due) {
              one.off = true;
              one.work();
            }
            await rounds(20);
          }
          expect(again).toEqual([]);
          expect(events.filter(({ type }) => type === "degraded")).toEqual([]);
        }
        distiller.answerAll();
        await tidemark.close();
      }),
      { numRuns: runs(12), seed: 7 },
    );
    for (const times of Object.values(met)) expect(times).toBeGreaterThan(3);
  });
});
