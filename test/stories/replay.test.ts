import { describe, expect, it } from "vitest";
import { realHistories } from "../support/histories.ts";
import { replay, type ReplayReport } from "../support/replay.ts";
import { BEHAVIOURS, type Behaviour } from "../support/replay-distillers.ts";

const transcripts = realHistories();
const WINDOWS = [8_000, 16_000, 32_000, 100_000] as const;
/** Every transcript at one window, with one distiller; both go round, so that each distiller meets each window. REPLAY=all plays them all. */
const all = process.env.REPLAY === "all";
const pairs = transcripts.flatMap((transcript, row) =>
  WINDOWS.map((window, column) => ({ transcript, window, row, column })),
);
const withDistiller = (distiller: Behaviour) =>
  pairs.filter(
    ({ row, column }) =>
      all ||
      (column === (row + Math.floor(row / BEHAVIOURS.length)) % WINDOWS.length &&
        BEHAVIOURS[row % BEHAVIOURS.length] === distiller),
  );

const broken = (reports: readonly ReplayReport[]) =>
  reports
    .filter((report) => report.broken.length > 0)
    .map(({ name, window, distiller, broken: laws }) => ({ name, window, distiller, laws }));
const sum = (reports: readonly ReplayReport[], part: "folds" | "turns" | "rejected") =>
  reports.reduce((total, report) => total + report[part], 0);

describe.skipIf(transcripts.length === 0)(
  "a replay of real transcripts (skipped without ../shared/data)",
  () => {
    it.each(["extractive", "well", "junk", "fail", "cut"] as const)(
      "breaks no law with a distiller that is %s",
      async (distiller) => {
        const reports: ReplayReport[] = [];
        for (const { transcript, window } of withDistiller(distiller))
          reports.push(await replay(transcript, { window, distiller }));
        expect(broken(reports)).toEqual([]);
        expect(sum(reports, "folds")).toBeGreaterThan(0);
        expect(sum(reports, "rejected")).toBe(0);
      },
    );

    it("breaks no law with a distiller that hangs, and closes without it", async () => {
      // Side by side: each waits some seconds for its distiller when it closes.
      const reports = await Promise.all(
        withDistiller("hang").map(({ transcript, window }) =>
          replay(transcript, { window, distiller: "hang" }),
        ),
      );
      expect(broken(reports)).toEqual([]);
      expect(sum(reports, "folds")).toBeGreaterThan(0);
    });

    it("finds what the distiller said in the daily log and in MEMORY.md before anything is folded", async () => {
      const some = transcripts.filter(({ name }) =>
        /task2-trial1|function_calling_replace|subagent|sub-nt-aa84377/.test(name),
      );
      const reports: ReplayReport[] = [];
      for (const transcript of some)
        reports.push(await replay(transcript, { window: 8_000, distiller: "well", disk: true }));
      expect(broken(reports)).toEqual([]);
      expect(sum(reports, "folds")).toBeGreaterThan(0);
    });

    it("is the same for a host that parses its history anew for each call", async () => {
      const some = transcripts.filter(({ name }) => /task4-trial2|4d5611e5/.test(name));
      const reports: ReplayReport[] = [];
      for (const transcript of some)
        reports.push(
          await replay(transcript, { window: 16_000, distiller: "well", reparse: true }),
        );
      expect(broken(reports)).toEqual([]);
    });

    it("begins with an error of code window, and no other, where system and tools alone do not fit", async () => {
      const long = transcripts.filter(({ name }) => name.startsWith("tau-airline-task0"));
      for (const transcript of long) {
        const report = await replay(transcript, {
          window: 1_600,
          distiller: "extractive",
          maxTokens: 400,
        });
        expect(report).toMatchObject({ turns: 0, rejected: 1, broken: [] });
      }
    });
  },
);
