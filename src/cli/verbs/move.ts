import { move } from "../../tidemark/upkeep/move.ts";
import { UsageError, type Verb } from "../input/flags.ts";
import { needWorkspace, teller } from "../input/workspace-of-verb.ts";
import { progressOn } from "../render/hits-and-spent.ts";
import { paint, plain, some } from "../render/layout.ts";
import { filesAndHeld } from "../render/numbers.ts";

/** All of a workspace to another place; exit 1 where what came is not the same there. */
export const moving: Verb = {
  says: "all of a workspace to another folder or server; what is there stays",
  takes: "FROM TO",
  words: "some",
  examples: [
    'tidemark move workspace "postgres://ada@db.example/memory?schema=acme"',
    'tidemark move "postgres://ada@db.example/memory?schema=acme" again',
  ],
  async run({ words }, io) {
    const [from = "", to] = words;
    if (to === undefined || words.length > 2)
      throw new UsageError("move needs two places: tidemark move workspace postgres://…");
    needWorkspace(from);
    const key = io.env.TIDEMARK_KEY || undefined;
    const around = { key, now: Date.now, emit: teller(io), progress: progressOn(io) };
    const found = await move({ from, to, ...around });
    const { differ, left, leftOut } = found;
    const warned = (what: string, names: readonly string[]) =>
      names.length > 0 && paint.yellow(`! ${what}: ${plain(some(names, 5))}.`);
    const same = differ.length > 0 ? "" : ` Both sides have the digest ${found.digest}.`;
    const lines = [
      `${paint.green("✓")} From ${found.from} to ${found.to}: ${filesAndHeld(found)}.${same}`,
      warned("Not the same there", differ),
      warned("These stand there with other words, and stay", left),
      warned("Left out, no text or a link or larger than 20 MB", leftOut),
    ];
    return { found, lines, code: Number(differ.length > 0) };
  },
};
