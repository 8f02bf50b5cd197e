import { clip } from "../../core/text/cut.ts";
import { openTidemark } from "../../tidemark/open-tidemark.ts";
import { rebuildIndexes } from "../../tidemark/upkeep/mended-database.ts";
import { isWorkspace, USUAL, type Verb } from "../input/flags.ts";
import {
  needWorkspace,
  opened,
  othersLine,
  othersThan,
  shownPlace,
  teller,
} from "../input/workspace-of-verb.ts";
import { progressOn, spentLines } from "../render/hits-and-spent.ts";
import { paint, table } from "../render/layout.ts";
import { ago, count } from "../render/numbers.ts";
import { SUMS, sumLines, sumsAsked } from "./turns.ts";

const WHAT: readonly (readonly [path: string, says: string])[] = [
  ["SOUL.md", "who the agent is; a page in your words"],
  ["USER.md", "who you are, and how you like to be talked to"],
  ["AGENTS.md", "the rules of the house"],
  ["MEMORY.md", "what is remembered; change, delete or add a line"],
  ["learnings/", "errors and corrections, noted as they pass"],
  ["memory/", "a log for each day, from the first memory on"],
  [".tidemark/", "the database: conversations and memories"],
];

const KEPT = ["verbatim", "masked"] as const;

/** Makes a workspace and says what is what; a second time it only puts back what is missing. */
export const init: Verb = {
  says: "make a workspace: a folder of Markdown files",
  flags: {
    history: { takes: "HOW", says: "keep messages verbatim or masked (no secrets); remembered" },
  },
  examples: [
    "tidemark init",
    "tidemark init --workspace ~/agents/support",
    "tidemark init --history masked",
  ],
  async run(given, io) {
    const workspace = given.text("workspace") ?? USUAL;
    const known = isWorkspace(workspace);
    const isKept = (text: string) => KEPT.find((how) => how === text);
    const keep = given.read("history", "verbatim or masked", isKept, KEPT);
    const tidemark = await openTidemark({
      ...{ ...given.place, workspace },
      ...{ identity: given.identity, history: { keep }, listen: teller(io) },
    });
    await tidemark.close();
    const found = { workspace, made: !known };
    if (known)
      return {
        found,
        lines: [`${workspace} is a workspace already; what was missing is made anew.`],
      };
    const lines = [
      `${paint.green("✓")} Made ${paint.bold(workspace)}`,
      WHAT.map(([path, says]) => `  ${paint.cyan(path.padEnd(12))} ${says}`),
      'Next: write a line in USER.md, then "tidemark chat"; or "tidemark replay FILE" to ' +
        "see it work.",
    ];
    return { found, lines };
  },
};

/** Counts are of what this identity sees. */
export const stats: Verb = {
  says: "what a workspace holds, what its calls cost",
  flags: SUMS,
  examples: ["tidemark stats", "tidemark stats --since 2026-11-01 --by model"],
  run: opened(async (tidemark, given) => {
    const workspace = shownPlace(given);
    const counted = await tidemark.stats(sumsAsked(given));
    const { conversations, messages, folds, memories, queued, calls, turns } = counted;
    const latest = Math.max(
      0,
      ...(await tidemark.history.list()).map(({ updatedAt }) => updatedAt),
    );
    const others = othersLine(given, "stats");
    const rows = [
      [`conversations${latest === 0 ? "" : paint.dim(`, the last ${ago(latest)}`)}`, conversations],
      ["messages", messages],
      ["folds", folds],
      ["memories", memories],
      [`queued work${queued > 0 ? paint.dim(", done with the next chat") : ""}`, queued],
    ];
    return {
      found: {
        ...{ workspace, identity: given.identity, conversations, messages, folds, memories },
        ...{ queued, calls, turns },
        others: othersThan(given),
      },
      lines: [
        paint.bold(workspace),
        table(rows.map((row) => row.map(String))),
        spentLines(calls),
        turns && ["", ...sumLines(turns)],
        others && paint.dim(others),
      ],
    };
  }),
};

/**
 * Housekeeping: what has expired goes, what was queued is done where it can be, history is copied.
 */
export const tidy: Verb = {
  says: "take out what has expired, back up history",
  examples: ["tidemark tidy", "tidemark tidy --dry-run", "tidemark tidy --json"],
  flags: { "dry-run": { says: "only tell what would go" } },
  run: opened(async (tidemark, given) => {
    const found = await tidemark.tidy({ dryRun: given.on("dry-run") });
    const { expired, archived, caughtUp, beyond, backup } = found;
    const lines = [
      given.on("dry-run") && "Nothing was changed. Without --dry-run:",
      `Expired: ${count(expired, "memory", "memories")}.`,
      archived.length > 0 &&
        `Archived, for others say it or there are too many: ${archived.length}.`,
      ...archived.slice(0, 20).map(({ id, content }) => `  ${id}  ${clip(content, 80)}`),
      caughtUp > 0 && `${count(caughtUp, "piece")} of queued work done now.`,
      beyond !== undefined &&
        `By its level "${beyond.level}" there should be none, but from before there stand ` +
          `${count(beyond.memories, "memory", "memories")} and ` +
          `${count(beyond.conversations, "conversation")}; nothing of them is deleted.`,
      backup !== undefined && `The database was copied to ${backup}.`,
    ];
    return { found, lines };
  }),
};

/** Makes the indexes anew from what is true. */
export const rebuild: Verb = {
  says: "make the indexes anew",
  examples: ["tidemark rebuild"],
  async run(given, io) {
    needWorkspace(given.workspace);
    const values = await rebuildIndexes({
      ...given.place,
      now: Date.now,
      emit: teller(io),
      progress: progressOn(io),
    });
    const lines = [
      `The index was made anew of ${count(values, "memory", "memories")} and earlier values; ` +
        "conversations and pages are read anew with the next search.",
    ];
    return { found: { values }, lines };
  },
};
