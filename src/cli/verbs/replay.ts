import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure, lineOf } from "../input/failure.ts";
import type { Verb } from "../input/flags.ts";
import { type Played, play } from "../replay/play.ts";
import { report } from "../replay/report.ts";
import { readConversations } from "../transcripts/read.ts";

/** Plays conversations that were had through Tidemark, and shows what it would have done. */
export const replay: Verb = {
  flags: {
    window: { takes: "N", says: "the window to play at: 16k, 200k, 1m (default: the model's)" },
    model: { takes: "NAME", says: "count and price as this model (default: the file's own)" },
    branches: { says: "play what was dropped by a rewind, too" },
  },
  needs: "a file",
  examples: [
    "tidemark replay session.jsonl --window 200k",
    "tidemark replay conversation.json --window 16k --workspace ./replayed",
    "tidemark replay logs/*.jsonl --json > figures.json",
  ],
  async run(given, io) {
    if (io.env.TIDEMARK === "off")
      throw new Failure("TIDEMARK=off is set, so nothing would be folded; unset it to replay.");
    const kept = given.text("workspace");
    const settings = {
      identity: given.identity,
      model: given.text("model"),
      window: given.tokens("window"),
    };
    const stop = (): never => process.exit(130);
    process.once("SIGINT", stop);
    const conversations: Played[] = [];
    const failed: { file: string; error: string }[] = [];
    for (const file of given.words) {
      const workspace = kept ?? mkdtempSync(join(tmpdir(), "tidemark-replay-"));
      const clear = (): void => {
        if (kept === undefined) rmSync(workspace, { recursive: true, force: true });
      };
      process.once("exit", clear);
      try {
        for (const one of readConversations(file, given.on("branches"))) {
          const played = await play(one, { ...settings, ...given.place, workspace, file });
          conversations.push(played);
          if (!given.on("json")) for (const line of [...report(played, io), ""]) io.say(line);
        }
      } catch (thrown) {
        const error = lineOf(thrown);
        failed.push({ file, error });
        io.warn(`tidemark: ${error.startsWith(file) ? error : `${file}: ${error}`}`);
      } finally {
        clear();
        process.off("exit", clear);
      }
    }
    process.off("SIGINT", stop);
    const end =
      kept === undefined
        ? "Played in a folder that is gone again; --workspace DIR keeps it."
        : `Kept in ${kept}; "tidemark recall" and "tidemark search" look into it.`;
    return {
      found: { conversations, failed },
      lines: conversations.length > 0 ? [io.paint.dim(end)] : [],
      code: failed.length > 0 ? 1 : 0,
    };
  },
};
