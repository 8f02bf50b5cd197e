import { closeSync, openSync, readSync, statSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { defined } from "../../core/base.ts";
import { isTidemarkError } from "../../core/errors-and-events.ts";
import { homeOf, type Scope } from "../../core/identity.ts";
import type { SaveInput } from "../../core/memory.ts";
import type { Tidemark } from "../../session/options/tidemark-api.ts";
import { importArchive } from "../../tidemark/upkeep/archive.ts";
import { type ArchivedFile, bringPages } from "../../tidemark/upkeep/archive-pages.ts";
import {
  Failure,
  firstLine,
  type Given,
  USUAL,
  type Verb,
  type VerbAnswer,
} from "../input/flags.ts";
import { teller, withWorkspace } from "../input/workspace-of-verb.ts";
import { progressOn } from "../render/hits-and-spent.ts";
import { type Io, paint, plain, some } from "../render/layout.ts";
import { count, filesAndHeld } from "../render/numbers.ts";
import { type Held, heldAt } from "../transcripts/held.ts";
import type { ForeignMemory } from "../transcripts/memories.ts";
import type { Conversation } from "../transcripts/read.ts";

/** An archive, or what other programs kept, into a workspace: what is there stays. */
export const importing: Verb = {
  says: "an exported file, or conversations and memories of other programs",
  takes: "FILE",
  words: "some",
  flags: {
    "dry-run": { says: "read the files and say what they hold" },
    branches: { says: "take conversations that were dropped by a rewind, too" },
    "no-learn": { says: "keep conversations, and remember nothing of them" },
    undated: { says: "leave out the moments that the files name" },
  },
  examples: [
    "tidemark import friday.jsonl --workspace restored",
    "tidemark import chatgpt-export.zip --dry-run",
    "tidemark import ~/.claude/projects --no-learn",
    "tidemark import ~/.openclaw/workspace --user ada",
  ],
  async run(given, io) {
    const [from = ""] = given.words;
    if (given.words.length > 1 || !isArchive(from)) return importForeign(given, io);
    const workspace = given.text("workspace") ?? USUAL;
    const dry = given.on("dry-run");
    const found = await importArchive({
      ...given.place,
      workspace,
      from,
      now: Date.now,
      emit: teller(io),
      progress: progressOn(io),
      dry,
    });
    const what = dry ? `${from} is whole and holds` : `New in ${workspace}:`;
    const lines = [
      `${paint.green("✓")} ${what} ${filesAndHeld(found)}.`,
      found.left.length > 0 &&
        paint.yellow(`! These stand there with other words, and stay: ${some(found.left, 5)}.`),
    ];
    return { found, lines };
  },
};

function isArchive(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const [file, head] = [openSync(path, "r"), Buffer.alloc(64)];
  readSync(file, head);
  closeSync(file);
  return head.includes('"tidemark-archive"');
}

/** What came in, and what did not. */
function tally() {
  const left = new Map<string, { more: string; many: number }>();
  return {
    came: { conversations: 0, messages: 0, memories: 0, pages: 0 },
    wrong: [] as string[],
    unread: [] as string[],
    /** Pages that stand here with other words. */
    standing: [] as string[],
    leave([one, more]: readonly [string, string], many = 1): void {
      left.set(one, { more, many: (left.get(one)?.many ?? 0) + many });
    },
    left: (): string[] => Array.from(left, ([one, { more, many }]) => count(many, one, more)),
  };
}

type Tally = ReturnType<typeof tally>;

/** Takes in what is not a page; pages are for when the workspace is closed. */
interface Taker {
  readonly talk: (conversation: Conversation) => Promise<number>;
  readonly keep: (memory: ForeignMemory) => Promise<number>;
}

async function importForeign(given: Given, io: Io): Promise<VerbAnswer> {
  // The heap would grow to several times what is held: most is read, written and let go.
  setFlagsFromString("--optimize-for-size");
  const [all, pages, dry] = [tally(), [] as ArchivedFile[], given.on("dry-run")];
  const work = (taker: Taker): Promise<void> => takeAll(given, io, { all, pages, taker });
  // A path that holds nothing is told before anything is written.
  for (const path of given.words) for await (const _one of heldAt(path, askedOf(given))) break;
  const counting: Taker = { talk: async ({ said }) => said.length, keep: async () => 1 };
  let queued = 0;
  if (dry) await work(counting);
  else
    await withWorkspace(
      given,
      io,
      async (tidemark) => {
        const before = (await tidemark.stats()).memories;
        await work(await takerOf(tidemark, homeOf(given.identity), all));
        const after = await tidemark.stats();
        [all.came.memories, queued] = [after.memories - before, after.queued];
      },
      // What was said is indexed by the first search: an import is long enough.
      { makes: "any", recall: false },
    );
  const { came: written, left } = dry
    ? { came: pages.length, left: [] }
    : await bringPages(given.workspace, pages);
  all.came.pages = written;
  all.standing.push(...left);
  for (const one of all.wrong.slice(0, TOLD)) io.warn(`tidemark: ${plain(one)}`);
  if (all.wrong.length > TOLD)
    io.warn(`tidemark: … and ${all.wrong.length - TOLD} more like these`);
  return answerOf(all, { dry, queued });
}

async function takeAll(
  given: Given,
  io: Io,
  { all, pages, taker }: { all: Tally; pages: ArchivedFile[]; taker: Taker },
): Promise<void> {
  const progress = progressOn(io);
  const take = async (one: Held): Promise<void> => {
    if ("conversation" in one) {
      const { said, ...more } = one.conversation;
      const learn = more.learn && !given.on("no-learn");
      const undated = said.map(({ at: _at, ...words }) => words);
      const told = { ...more, said: given.on("undated") ? undated : said, learn };
      all.came.messages += await taker.talk(told);
      all.came.conversations += 1;
      progress(all.came.conversations, "conversations read");
    } else if ("memory" in one) {
      const isOver = Number(one.memory.until ?? Infinity) <= Date.now();
      if (isOver) all.leave(["memory that has ended", "memories that have ended"]);
      else all.came.memories += await taker.keep(one.memory);
    } else if ("page" in one) pages.push(one.page);
    else if ("left" in one) all.leave(one.left, one.many);
    else if ("wrong" in one) all.wrong.push(one.wrong);
    else all.unread.push(...one.unread);
  };
  for (const path of given.words)
    for await (const one of heldAt(path, askedOf(given))) await take(one);
}

const askedOf = (given: Given) => ({ branches: given.on("branches"), identity: given.identity });

/** As many as one list holds. */
const ALL = 100_000;

async function takerOf({ history, memory }: Tidemark, scope: Scope, all: Tally): Promise<Taker> {
  const known = await memory.list({ limit: ALL, scope });
  const words = new Set(known.map(({ content }) => content));
  const keys = new Map(known.map(({ key, updatedAt }) => [key, updatedAt]));
  /** What cannot be meant is left out and told; where nothing can be written, all ends. */
  const gently = async (work: Promise<number>, name = "", cure = ""): Promise<number> =>
    work.catch((thrown: unknown) => {
      const { conversations } = all.came;
      if (!isTidemarkError(thrown) || thrown.code !== "config")
        throw new Failure(
          `${firstLine(thrown)} ${count(conversations, "conversation")} came in before that: ` +
            "mend it and import again, and the rest comes.",
        );
      all.wrong.push(`${name}: ${firstLine(thrown)}${cure}`);
      return 0;
    });
  return {
    talk: ({ id, said: messages, learn }) =>
      gently(history.import({ id, messages, learn }), id, " --undated leaves all moments out."),
    async keep({ changed = 0, owner: _owner, ...input }) {
      // What was changed here later than there stays.
      const isKnown = input.key !== undefined && (keys.get(input.key) ?? -1) >= changed;
      if (isKnown || words.has(input.content)) return 0;
      const saved = memory.save(defined({ ...input, scope }) as SaveInput);
      return gently(
        saved.then(() => 1),
        input.source,
      );
    },
  };
}

/** Troubles that are told one by one. */
const TOLD = 20;

function answerOf(all: Tally, { dry, queued }: { dry: boolean; queued: number }): VerbAnswer {
  const { came, wrong, unread, standing } = all;
  const left = all.left();
  const news = dry ? "" : "new ";
  const parts = [
    `${count(came.conversations, "conversation")} with ${count(came.messages, `${news}message`)}`,
    count(came.memories, `${news}memory`, `${news}memories`),
    ...(came.pages > 0 ? [count(came.pages, `${news}page`)] : []),
  ];
  const lines = [
    `${paint.green("✓")} ${dry ? "Holds " : ""}${parts.join(", ")}.`,
    left.length > 0 && paint.dim(`Left out: ${left.join("; ")}.`),
    standing.length > 0 &&
      paint.yellow(`! These stand there with other words, and stay: ${some(standing, 5)}.`),
    unread.length > 0 &&
      paint.dim(`Not read: ${count(unread.length, "other file")} (${plain(some(unread, 5))}).`),
    queued > 0 &&
      paint.dim(
        `Rules have read what they teach; ${count(queued, "conversation")} ` +
          `${queued === 1 ? "waits" : "wait"} for the next program with a model to read them.`,
      ),
  ];
  const code = wrong.length > 0 ? 1 : 0;
  return { found: { ...came, left, standing, unread, wrong, queued }, lines, code };
}
