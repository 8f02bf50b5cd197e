import { exportArchive } from "../../engine/upkeep/export.ts";
import { importArchive } from "../../engine/upkeep/import.ts";
import { UsageError } from "../input/failure.ts";
import { JSON_FLAG, keyFrom, show, type Verb } from "../input/flags.ts";
import { packageVersion } from "../render/io.ts";
import { needWorkspace, teller } from "../input/open.ts";
import { count, held } from "../render/numbers.ts";

/** All of a workspace, every scope and conversation, as one file of JSON lines. */
export const exporting: Verb = {
  flags: JSON_FLAG,
  examples: [
    "tidemark export friday.jsonl",
    "tidemark export ~/backups/support.jsonl --workspace ~/agents/support",
  ],
  async run(given, io) {
    const { paint } = io;
    const to = fileOf(given.words, "export needs one file to write");
    const { workspace } = given;
    needWorkspace(workspace);
    const report = await exportArchive({
      workspace,
      to,
      now: Date.now,
      by: packageVersion(),
      emit: teller(io),
    });
    return show(given, io, report, () => [
      `${paint.green("✓")} ${to}: ${inWords(report)}.`,
      report.leftOut.map((path) =>
        paint.yellow(`! ${path} was left out: a link, or larger than 20 MB.`),
      ),
      paint.dim(
        report.sealed
          ? "Conversations in it are encrypted as in the history; memories and pages are not."
          : "It holds every conversation word for word: keep it as you would keep them.",
      ),
    ]);
  },
};

const SEALED = {
  now: "The history was in plain text and is encrypted with TIDEMARK_HISTORY_KEY now; the archive and the old folder are not.",
  before: "The history in it is encrypted, with the key it had.",
};

/** An archive into a workspace that is not there yet. */
export const importing: Verb = {
  flags: { "dry-run": { says: "read the archive and say what it holds" } },
  examples: [
    "tidemark import friday.jsonl --workspace restored",
    "tidemark import friday.jsonl --dry-run",
  ],
  async run(given, io) {
    const from = fileOf(given.words, "import needs one archive");
    const { workspace } = given;
    const dry = given.on("dry-run");
    const report = await importArchive({
      from,
      workspace,
      now: Date.now,
      emit: teller(io),
      dry,
      key: keyFrom(io),
    });
    const what = dry
      ? `${from} is whole and could be imported into ${workspace}:`
      : `${workspace} now holds`;
    io.say(`${io.paint.green("✓")} ${what} ${inWords(report)}.`);
    if (report.sealed !== undefined)
      io.say(io.paint.dim(SEALED[report.sealed === "now" ? "now" : "before"]));
    return 0;
  },
};

function fileOf([file, more]: readonly string[], needs: string): string {
  if (file !== undefined && more === undefined) return file;
  throw new UsageError(`${needs}, such as: tidemark ${needs.split(" ")[0] ?? ""} friday.jsonl`);
}

const inWords = (all: Parameters<typeof held>[0] & { files: number }): string =>
  `${count(all.files, "file")}, ${held(all)}`;
