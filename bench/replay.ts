// Every transcript of ../shared/data/agents, at four windows, with six kinds of distiller: each request judged, each law held.
//   npm run bench -- replay [part of a name] [windows]
import { BEHAVIOURS } from "../test/support/replay-distillers.ts";
import { realHistories } from "../test/support/histories.ts";
import { replay, type ReplayReport } from "../test/support/replay.ts";
import { median, record } from "./support.ts";

const [part = "", windows = "8000,16000,32000,100000"] = process.argv.slice(2);
const transcripts = realHistories().filter(({ name }) => name.includes(part));
if (transcripts.length === 0) {
  console.error(
    "There are no transcripts: ../shared/data/agents is not there, or holds none of that name.",
  );
  process.exit(2);
}

const reports: ReplayReport[] = [];
for (const window of windows.split(",").map(Number)) {
  for (const distiller of BEHAVIOURS) {
    const play = (transcript: (typeof transcripts)[number]) =>
      replay(transcript, { window, distiller });
    // Runs with a distiller that hangs wait for it when they close; they wait together.
    if (distiller === "hang") reports.push(...(await Promise.all(transcripts.map(play))));
    else for (const transcript of transcripts) reports.push(await play(transcript));
    for (const report of reports.slice(-transcripts.length))
      for (const law of report.broken)
        console.error(`${report.name} at ${window}, distiller ${distiller}: ${law}`);
  }
}

const sum = (
  some: readonly ReplayReport[],
  key: "turns" | "folds" | "shortened" | "overflows" | "rejected" | "asked" | "memories",
): number => some.reduce((total, report) => total + report[key], 0);
const figures = (some: readonly ReplayReport[]) => ({
  runs: some.length,
  brokenLaws: some.reduce((total, report) => total + report.broken.length, 0),
  turns: sum(some, "turns"),
  folds: sum(some, "folds"),
  turnsThatShortened: sum(some, "shortened"),
  overflowsRecovered: sum(some, "overflows"),
  rejected: sum(some, "rejected"),
  fullest: Math.max(...some.map(({ highest }) => highest)),
  medianFullest: median(some.filter(({ folds }) => folds > 0).map(({ highest }) => highest)),
  distillerCalls: sum(some, "asked"),
  memories: sum(some, "memories"),
});
const by = (key: "window" | "distiller") =>
  Object.fromEntries(
    [...new Set(reports.map((report) => report[key]))].map((value) => [
      value,
      figures(reports.filter((report) => report[key] === value)),
    ]),
  );
record("replay", {
  transcripts: transcripts.length,
  maxTokens: 1024,
  whole: figures(reports),
  byWindow: by("window"),
  byDistiller: by("distiller"),
});
