import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Failure, lineOf } from "../input/failure.ts";
import type { Verb } from "../input/flags.ts";
import { drawn } from "../render/io.ts";
import { count } from "../render/numbers.ts";
import type { Played } from "../replay/figures.ts";
import { explainLines, unremembered } from "../replay/explain.ts";
import { play } from "../replay/play.ts";
import { report } from "../replay/report.ts";
import { readConversation } from "../transcripts/read.ts";

/** Plays conversations that were had through Tidemark, and shows what it would have done. */
export const replay: Verb = {
  flags: {
    window: { takes: "N", says: "the window to play at: 16k, 200k, 1m (default: the model's)" },
    model: { takes: "NAME", says: "count and price as this model (default: the file's own)" },
    explain: { says: "what was not remembered, and why" },
    json: { says: "all figures as one JSON object" },
  },
  needs: "a file",
  examples: [
    "tidemark replay session.jsonl --window 200k",
    "tidemark replay conversation.json --window 16k --workspace ./replayed",
    "tidemark replay logs/*.jsonl --json > figures.json",
  ],
  async run(given, io) {
    if ((io.env.TIDEMARK ?? "") === "off")
      throw new Failure("TIDEMARK=off is set, so nothing would be folded; unset it to replay.");
    const { identity } = given;
    const folder = given.text("workspace");
    const settings = { identity, model: given.text("model"), window: given.tokens("window") };
    const conversations: Played[] = [];
    const failed: { file: string; error: string }[] = [];
    for (const file of given.words) {
      const progress = (done: number, all: number, folds: number): void => {
        const figures = `${done}/${all}${folds > 0 ? ` · ${count(folds, "fold")}` : ""}`;
        drawn(io, basename(file), done === all ? "" : figures);
      };
      try {
        const conversation = readConversation(file);
        const one = await inWorkspace(folder, (workspace) =>
          play(conversation, { ...settings, file, workspace, progress }),
        );
        const between = ["", io.paint.dim("─".repeat(Math.min(80, io.columns))), ""];
        const said = [
          ...(conversations.length > 0 ? between : []),
          ...report(one, io),
          ...(given.on("explain")
            ? explainLines(unremembered(conversation, one.remembered), io)
            : []),
        ];
        conversations.push(one);
        if (!given.on("json")) for (const line of said) io.say(line);
      } catch (thrown) {
        if (io.env.TIDEMARK_DEBUG === "1") throw thrown;
        const error = lineOf(thrown);
        failed.push({ file, error });
        io.warn(`tidemark: ${error.startsWith(file) ? error : `${file}: ${error}`}`);
      }
    }
    const end =
      folder === undefined
        ? "Played in a folder that is gone again; --workspace DIR keeps it."
        : `Kept in ${folder}; "tidemark recall" and "tidemark search" look into it.`;
    return {
      found: { conversations, failed },
      lines: conversations.length > 0 ? ["", io.paint.dim(end)] : [],
      code: failed.length > 0 ? 1 : 0,
    };
  },
};

/** In the folder named, or in one of its own that goes away with whatever happens. */
async function inWorkspace<T>(
  named: string | undefined,
  work: (workspace: string) => Promise<T>,
): Promise<T> {
  if (named !== undefined) return work(named);
  const folder = mkdtempSync(join(tmpdir(), "tidemark-replay-"));
  const clear = (): void => rmSync(folder, { recursive: true, force: true });
  const stop = (): void => {
    clear();
    process.exit(130);
  };
  process.once("SIGINT", stop);
  try {
    return await work(folder);
  } finally {
    process.off("SIGINT", stop);
    clear();
  }
}
