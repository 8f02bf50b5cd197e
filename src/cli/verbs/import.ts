import { closeSync, openSync, readSync, statSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { defined, present } from "../../core/base.ts";
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
import { shownPlace, teller, withWorkspace } from "../input/workspace-of-verb.ts";
import { progressOn } from "../render/hits-and-spent.ts";
import { type Io, paint, plain, some } from "../render/layout.ts";
import { count, filesAndHeld } from "../render/numbers.ts";
import { type Held, heldAt } from "../transcripts/held.ts";
import type { ForeignMemory } from "../transcripts/memories.ts";
import type { Conversation } from "../transcripts/read.ts";

/** An archive, or what other programs kept, into a workspace: what is there stays. */
export const importing: Verb = {
  says: "an exported file, or what other programs keep: a file, a folder or a ZIP",
  takes: "FILE",
  words: "some",
  flags: {
    "no-learn": { says: "keep conversations, and remember nothing of them" },
    undated: { says: "leave out the moments that the files name" },
  },
  examples: [
    "tidemark import friday.jsonl --workspace restored",
    "tidemark import chatgpt-export.zip",
    "tidemark import ~/.claude/projects --no-learn",
    "tidemark import ~/.openclaw/workspace --user ada",
  ],
  async run(given, io) {
    const [from = ""] = given.words;
    if (given.words.length > 1 || !isArchive(from)) return importForeign(given, io);
    const named = given.text("workspace") ?? given.store ?? USUAL;
    const found = await importArchive({
      ...given.where,
      workspace: named,
      from,
      now: Date.now,
      emit: teller(io),
      progress: progressOn(io),
    });
    const where = given.store === undefined ? named : shownPlace(given);
    const lines = [
      `${paint.green("✓")} New in ${where}: ${filesAndHeld(found)}.`,
      found.left.length > 0 && paint.yellow(staying(found.left)),
    ];
    return { found, lines };
  },
};

const staying = (pages: readonly string[]): string =>
  `! These stand there with other words, and stay: ${plain(some(pages, 5))}.`;

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
    leave([one, more]: readonly [string, string], many = 1): void {
      left.set(one, { more, many: (left.get(one)?.many ?? 0) + many });
    },
    left: (): string[] => Array.from(left, ([one, { more, many }]) => count(many, one, more)),
  };
}

type Tally = ReturnType<typeof tally>;

async function importForeign(given: Given, io: Io): Promise<VerbAnswer> {
  // The heap would grow to several times what is held: most is read, written and let go.
  setFlagsFromString("--optimize-for-size");
  const [all, pages] = [tally(), [] as ArchivedFile[]];
  const held = heldOf(given);
  // A path that holds nothing is told before anything is written.
  const first = await held.next();
  const queued = await withWorkspace(
    given,
    io,
    async (tidemark) => {
      const taker = takerOf(tidemark, homeOf(given.identity), all);
      const take = takerIn(given, io, { all, pages, taker });
      const before = (await tidemark.stats()).memories;
      for (let next = first; next.done !== true; next = await held.next()) await take(next.value);
      const after = await tidemark.stats();
      all.came.memories = after.memories - before;
      return after.queued;
    },
    // What was said is indexed by the first search: an import is long enough.
    { makes: "any", recall: false },
  );
  const { came: written, left } = await bringPages(given.workspace, pages);
  all.came.pages = written;
  for (const one of all.wrong.slice(0, TOLD)) io.warn(`tidemark: ${plain(one)}`);
  if (all.wrong.length > TOLD)
    io.warn(`tidemark: … and ${all.wrong.length - TOLD} more like these`);
  return answerOf(all, left, queued);
}

async function* heldOf(given: Given): AsyncGenerator<Held, undefined> {
  let begun = false;
  for (const path of given.words)
    try {
      for await (const one of heldAt(path, given.identity)) {
        begun = true;
        yield one;
      }
    } catch (thrown) {
      if (!begun || !(thrown instanceof Failure)) throw thrown;
      yield { wrong: thrown.message };
    }
}

function takerIn(
  given: Given,
  io: Io,
  { all, pages, taker }: { all: Tally; pages: ArchivedFile[]; taker: ReturnType<typeof takerOf> },
) {
  const progress = progressOn(io);
  return async (one: Held): Promise<void> => {
    if ("conversation" in one && one.conversation.subAgent)
      all.leave(["log of a sub-agent", "logs of sub-agents"]);
    else if ("conversation" in one) {
      const { said, ...more } = one.conversation;
      const learn = more.learn && !given.on("no-learn");
      const undated = said.map(({ at: _at, ...words }) => words);
      const told = { ...more, said: given.on("undated") ? undated : said, learn };
      const added = await taker.talk(told);
      all.came.conversations += added === undefined ? 0 : 1;
      all.came.messages += added ?? 0;
      progress(all.came.conversations, "conversations read");
    } else if ("memory" in one) {
      const isOver = Number(one.memory.until ?? Infinity) <= Date.now();
      if (isOver) all.leave(["memory that has ended", "memories that have ended"]);
      else await taker.keep(one.memory);
    } else if ("page" in one) pages.push(one.page);
    else if ("left" in one) all.leave(one.left, one.many);
    else if ("wrong" in one) all.wrong.push(one.wrong);
    else all.unread.push(...one.unread);
  };
}

/** As many as one list holds. */
const ALL = 100_000;

/**
 * Takes in what is not a page, which are for when the workspace is closed; undefined where it was
 * refused.
 */
function takerOf({ history, memory }: Tidemark, scope: Scope, all: Tally) {
  const list = async () => {
    const found = await memory.list({ limit: ALL, scope });
    return {
      words: new Set(found.map(({ content }) => content)),
      changed: new Map(found.map(({ key, updatedAt }) => [key, updatedAt])),
    };
  };
  let known: ReturnType<typeof list> | undefined;
  /** What cannot be meant is left out and told; where nothing can be written, all ends. */
  const gently = <T>(work: Promise<T>, name = "", cure = "") =>
    work.catch((thrown: unknown) => {
      const { conversations } = all.came;
      if (!isTidemarkError(thrown) || thrown.code !== "config")
        throw new Failure(
          `${firstLine(thrown)} ${count(conversations, "conversation")} came in before that: ` +
            "mend it and import again, and the rest comes.",
        );
      all.wrong.push(`${name}: ${firstLine(thrown)}${cure}`);
      return undefined;
    });
  return {
    /** How many messages are new. */
    talk: ({ id, said: messages, learn }: Conversation) =>
      gently(history.import({ id, messages, learn }), id, " --undated leaves all moments out."),
    async keep({ changed: there = 0, owner: _owner, ...input }: ForeignMemory) {
      const { words, changed } = await (known ??= list());
      // What was changed here later than there stays.
      const isLater = input.key !== undefined && (changed.get(input.key) ?? -1) >= there;
      if (!isLater && !words.has(input.content))
        await gently(memory.save(defined({ ...input, scope }) as SaveInput), input.source);
    },
  };
}

/** Troubles that are told one by one. */
const TOLD = 20;

/** `standing`: pages that stand here with other words. */
function answerOf(all: Tally, standing: readonly string[], queued: number): VerbAnswer {
  const { came, wrong, unread } = all;
  const left = all.left();
  const messages = count(came.messages, "new message");
  const parts = present([
    came.conversations > 0 && `${count(came.conversations, "conversation")} with ${messages}`,
    came.memories > 0 && count(came.memories, "new memory", "new memories"),
    came.pages > 0 && count(came.pages, "new page"),
  ]);
  const lines = [
    `${paint.green("✓")} ${parts.join(", ") || "nothing new"}.`,
    left.length > 0 && paint.dim(`Left out: ${plain(left.join("; "))}.`),
    standing.length > 0 && paint.yellow(staying(standing)),
    unread.length > 0 &&
      paint.dim(`Not read: ${count(unread.length, "other file")} (${plain(some(unread, 5))}).`),
    came.messages > 0 &&
      queued > 0 &&
      paint.dim(
        `Rules have read what they teach; ${count(queued, "conversation")} ` +
          `${queued === 1 ? "waits" : "wait"} for the next program with a model to read them.`,
      ),
  ];
  const code = wrong.length > 0 ? 1 : 0;
  return { found: { ...came, left, standing, unread, wrong, queued }, lines, code };
}
