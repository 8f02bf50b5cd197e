import { sizesOf, troublesOf } from "../render/troubles.ts";
import { JSON_FLAG, show, type Verb } from "../input/flags.ts";
import { roomOf } from "../render/io.ts";
import { withWorkspace } from "../input/open.ts";
import { wrap } from "../render/text.ts";
import { ledgerLines } from "../render/ledger.ts";
import { ago, bytes, count } from "../render/numbers.ts";
import { table } from "../render/table.ts";

/** What a workspace holds, as this identity sees it; sizes are of the whole folder. */
export const stats: Verb = {
  flags: JSON_FLAG,
  examples: ["tidemark stats", "tidemark stats --user ada --json"],
  async run(given, io) {
    const folder = given.workspace;
    const { stats, latest } = await withWorkspace(given, io, async (tidemark) => ({
      stats: await tidemark.stats(),
      latest: (await tidemark.history.list()).reduce((newest, { at }) => Math.max(newest, at), 0),
    }));
    const sizes = sizesOf(folder);
    const { conversations, messages, folds, memories, queued, ledger } = stats;
    const { identity } = given;
    const told = {
      ...{ workspace: folder, identity, conversations, messages, folds, memories },
      ...{ queued, bytes: sizes, ledger },
    };
    const named = Object.entries(identity).map(([kind, id]) => `${kind} ${String(id)}`);
    const rows = [
      [
        `conversations${latest === 0 ? "" : io.paint.dim(`, the last ${ago(latest, Date.now())}`)}`,
        String(conversations),
      ],
      ["messages", String(messages)],
      ["folds", String(folds)],
      ["memories", String(memories)],
      [`queued work${queued > 0 ? io.paint.dim(", done with the next chat") : ""}`, String(queued)],
      ["history", bytes(sizes.history)],
      ["memory index", bytes(sizes.index)],
      [count(sizes.files.count, "Markdown file"), bytes(sizes.files.bytes)],
      ...(sizes.other > 0 ? [["backups and others", bytes(sizes.other)]] : []),
    ];
    const troubles = troublesOf(folder, Date.now()).flatMap(({ says, advice }) => [
      "",
      ...wrap(`! ${says}`, roomOf(io) - 2).map((line) => `  ${io.paint.yellow(line)}`),
      ...wrap(`→ ${advice}`, roomOf(io) - 4).map((line) => `    ${io.paint.dim(line)}`),
    ]);
    return show(given, io, told, () => [
      `${io.paint.bold(folder)}${named.length > 0 ? io.paint.dim(` for ${named.join(", ")}`) : ""}`,
      table(rows, { columns: roomOf(io) }),
      troubles,
      ledgerLines(ledger, io),
    ]);
  },
};
