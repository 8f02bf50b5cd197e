// What a turn costs below the marks, beside another checkout of Tidemark: both in processes of their own, by turns, on the same work.
//   npm run bench -- overhead-against FOLDER [RUNS]     (FOLDER: a checkout with its packages installed)
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { openTidemark } from "../src/index.ts";
import { median, record, round } from "./support.ts";
import { turnsBelow, type Way } from "./support/turns-below.ts";

const WAYS: Readonly<Record<string, Way>> = {
  "a model of 60 ms": { model: 60 },
  "a model of 60 ms, history parsed anew": { model: 60, parsed: true },
  "a model of 5 ms": { model: 5 },
  "no model": { model: 0 },
  "no model, history parsed anew": { model: 0, parsed: true },
};
const HERE = join(import.meta.dirname, "..");

/** Conversations of a hundred turns that are measured behind the first two: of one alone, the collector's phase decides. */
const LATER = 4;
/** Medians of the first hundred turns of a process, and of those when it has served two conversations. */
interface Run {
  readonly first: number;
  readonly later: number;
}

async function play(folder: string, way: Way): Promise<Run> {
  const { openTidemark: open } = (await import(
    pathToFileURL(join(folder, "src/index.ts")).href
  )) as { openTidemark: typeof openTidemark };
  const first = median(await turnsBelow(open, way));
  await turnsBelow(open, way);
  const later: number[] = [];
  for (let served = 0; served < LATER; served += 1) later.push(...(await turnsBelow(open, way)));
  return { first, later: median(later) };
}

const [given, runs = "6"] = process.argv.slice(2);
if (given === "play") {
  const [folder = HERE, name = ""] = process.argv.slice(3);
  console.log(JSON.stringify(await play(folder, WAYS[name] ?? { model: 0 })));
} else if (given === undefined) {
  console.error(
    "npm run bench -- overhead-against FOLDER [RUNS]: FOLDER is a checkout of another Tidemark, its packages installed.",
  );
  process.exitCode = 2;
} else {
  const other = resolve(given);
  const commit = (folder: string): string =>
    execFileSync("git", ["-C", folder, "rev-parse", "--short", "HEAD"], {
      encoding: "utf8",
    }).trim();
  const ask = (folder: string, name: string): Run =>
    JSON.parse(
      execFileSync(process.execPath, [import.meta.filename, "play", folder, name], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }),
    ) as Run;
  const figures = Object.keys(WAYS).map((name) => {
    const pairs = Array.from({ length: Number(runs) }, () => ({
      theirs: ask(other, name),
      ours: ask(HERE, name),
    }));
    const of = (when: keyof Run) => {
      const [ours, theirs] = [
        median(pairs.map((pair) => pair.ours[when])),
        median(pairs.map((pair) => pair.theirs[when])),
      ];
      // Each run beside the one before it: a machine's slow minutes fall on both.
      return {
        oursMs: ours,
        theirsMs: theirs,
        ratio: round(median(pairs.map((pair) => pair.ours[when] / pair.theirs[when]))),
      };
    };
    return [name, { firstHundredTurns: of("first"), laterTurns: of("later") }];
  });
  record(
    "overhead-against",
    {
      against: commit(other),
      runs: Number(runs),
      begin_and_end: Object.fromEntries(figures) as Record<string, unknown>,
    },
    `FOLDER ${runs}`,
  );
}
