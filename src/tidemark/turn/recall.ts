import type { TurnSearch } from "../../agents/history-api.ts";
import { isTidemarkError, telling } from "../../core/errors-and-events.ts";
import type { Recalled } from "../../core/turns.ts";
import { type Hit, isTrusted, lessTrusted, type Memory } from "../../core/memory.ts";
import { outdates } from "../../memory/recalling/outdated.ts";
import {
  type Embedded,
  isOthersTask,
  type Ports,
  type Settings,
  type Weighing,
} from "../../session/ports.ts";
import {
  keeping,
  type Outgoing,
  outgoingOf,
  placementFor,
} from "../../session/outgoing-request.ts";
import { readerIn, recallText } from "../../session/recalled-text.ts";
import {
  answering,
  besideAt,
  inView,
  linesOf,
  newTurn,
  questionsOf,
  saidBefore,
  wordsOf,
} from "./recall-question.ts";

const TOKENS = 600;
/** Hits asked of each question; the tokens decide how many of them are shown. */
const HITS = 12;
/** Share of the limit one turn's recall may take, and all of an epoch's that stay in view. */
const SHARE = 0.05;
const EPOCH_SHARE = 0.05;
/** And tokens: what was said before of a thing should not fill the window. */
const EPOCH_TOKENS = 3_000;
/** Characters of all that is kept with a session: it is written with every turn. */
const STORED = 200_000;
/** Less room holds no fact. */
const LEAST_TOKENS = 60;
/**
 * ms a turn waits for words, which take some ten: as many as the host has patience, within these
 * bounds.
 */
const WAIT = { least: 50, most: 200 } as const;
/** A process that stood still has not been waiting: its time is counted in so many parts. */
const PARTS = 4;
/** Share of the host's patience for which an embedder is waited for. */
const UNHURRIED = 2 / 3;

/** Past turns that are told of. */
const TURNS_TOLD = 6;

export type Recalling = Ports & Weighing & Embedded & { readonly turns: TurnSearch };

/** undefined where nothing is recalled for turns. */
export function recallOptions({
  options: { recall },
  observes,
}: Pick<Settings, "options" | "observes">) {
  if (!recall || observes) return undefined;
  const { tokens = TOKENS, minScore } = recall;
  return { tokens, minScore };
}

/**
 * What memory holds on the user's newest words, beside them. It is stored with the session before
 * it is sent, and goes with that message, byte for byte, until a fold takes both. Trouble is told;
 * the turn goes on without.
 */
export async function withRecall(core: Recalling, outgoing: Outgoing): Promise<Outgoing> {
  const tell = telling(core.emit, "recall for a turn");
  const { who, positions, entries } = outgoing;
  try {
    const found = await recallFor(core, outgoing);
    const position = positions[found?.index ?? -1] ?? -1;
    const entry = entries[position];
    if (found === undefined || entry === undefined) return outgoing;
    const { text, tokens } = found;
    const scored = [...found.hits, ...found.turns];
    const hits = scored.map(({ id, score }) => ({ id, score: Number(score.toFixed(3)) }));
    // Words of a tool or a page never get the voice of the system.
    const as = found.vouched ? placementFor(outgoing) : "text";
    const recalled: Recalled = { chain: entry.chain, text, tokens, as, hits };
    const kept = await keeping(core, outgoing, (state) => {
      // A later turn may be under way already: what it was shown stands behind this line.
      const still = Object.entries(state.recalled ?? {}).filter(
        ([at, { chain }]) => (entries[Number(at)]?.chain ?? chain) === chain,
      );
      // The same turn under way twice: what was stored first is what was sent.
      return { recalled: { [String(position)]: recalled, ...Object.fromEntries(still) } };
    });
    core.background.run(who.memories.used(found.hits));
    return outgoingOf(core, kept);
  } catch (thrown) {
    tell(thrown);
    return outgoing;
  }
}

/** Lines that go with the message at `index`. */
async function recallFor(core: Recalling, outgoing: Outgoing) {
  const { session, entries, positions } = outgoing;
  const options = recallOptions(core);
  if (options === undefined) return undefined;
  const index = newTurn(outgoing);
  // A message that was sent before without anything beside it is sent so again: the provider has it
  // in its cache.
  if (
    entries[positions[index] ?? -1] === undefined ||
    index < outgoing.added ||
    besideAt(outgoing, index) !== undefined
  )
    return undefined;
  const room = roomFor(core, outgoing, options.tokens);
  const words = room < LEAST_TOKENS ? "" : wordsOf(outgoing, index);
  const questions = questionsOf(words);
  if (questions.length === 0) return undefined;
  const started = core.now();
  const [found, said, view] = await answers(core, outgoing, { words, questions });
  const telling = found.flatMap((hits, at) =>
    hits.filter(answering(questions[at] ?? "", options.minScore)),
  );
  const hits = best(telling).filter(
    ({ memory }) =>
      memory !== undefined && !view.told(memory) && !isOthersTask(outgoing.who, memory),
  );
  const asked = hits.flatMap(({ memory }) => memory ?? []);
  const memories = besideUsers(await core.untold(outgoing, asked));
  const here = session.id;
  const before = (tokens: number) =>
    said === undefined ? [] : linesOf(said, { here, tokens, standing: view.standing });
  const manner = { zone: core.options.zone, reader: readerIn(outgoing) };
  const made = recallText(memories, room, before, manner);
  core.emit(
    {
      type: "recalled",
      characters: questions.reduce((sum, { length }) => sum + length, 0),
      hits: (made?.shown.length ?? 0) + (made?.turns.length ?? 0),
      ms: core.now() - started,
      session: here,
      tokens: made?.tokens ?? 0,
    },
    questions.join(" "),
  );
  if (made === undefined) return undefined;
  const shown = new Set(made.shown.map(({ id }) => id));
  return {
    index,
    text: made.text,
    tokens: made.tokens,
    // No word of a tool or a page is in it.
    vouched: made.turns.length === 0 && made.shown.every(({ origin }) => isTrusted(origin)),
    hits: hits.filter(({ id }) => shown.has(id)),
    turns: made.turns
      .slice(0, TURNS_TOLD)
      .map((one) => ({ id: `${one.session}#${one.position}`, score: one.weight })),
  };
}

/**
 * What memory, past turns and the request itself say to the questions, within the turn's patience;
 * an embedder that is late is done without.
 */
async function answers(
  core: Recalling,
  outgoing: Outgoing,
  { words, questions }: { words: string; questions: readonly string[] },
) {
  const { who, patience } = outgoing;
  const { promise: hurried, resolve: hurry } = Promise.withResolvers<undefined>();
  const work = Promise.all([
    Promise.all(
      questions.map((question) =>
        who.memories.look(question, { limit: HITS }, { told: false, hurried }),
      ),
    ),
    saidBefore(core, outgoing, words),
    inView(core, outgoing),
  ]);
  const meant = core.embedding && (await patience.wait(work, patience.left() * UNHURRIED));
  hurry(undefined);
  const most = Math.min(WAIT.most, Math.max(WAIT.least, core.marks.patience));
  let answered = meant?.result;
  for (let part = 0; answered === undefined && part < PARTS; part += 1)
    answered = (await patience.wait(work, most / PARTS)).result;
  // A caller that waits no longer does not hear of it either.
  if (answered === undefined) {
    work.catch(() => undefined);
    throw new Error(`memory did not answer within ${most} ms; this turn goes without`);
  }
  if (meant !== undefined && meant.result === undefined)
    core.emit({
      type: "degraded",
      where: "recall for a turn",
      error:
        `the question's meaning was not known within ${Math.round(meant.ms)} ms; this turn ` +
        "goes by words",
    });
  return answered;
}

/** Tokens, by our own scan, that may be put beside this turn without bringing it to the brim. */
function roomFor({ marks }: Weighing, outgoing: Outgoing, tokens: number): number {
  const { session, limit, ratio, view, level } = outgoing;
  const recalled = view.recalls.map((index) => besideAt(outgoing, index));
  const standing = recalled.reduce(
    (sum, one) => sum + (one === undefined || one.as === "cleared" ? 0 : one.tokens),
    0,
  );
  const stored = Object.values(session.state.recalled ?? {}).reduce(
    (sum, { text }) => sum + text.length,
    0,
  );
  if (stored >= STORED) return 0;
  return Math.floor(
    Math.min(
      tokens,
      (limit * SHARE) / ratio,
      Math.min((limit * EPOCH_SHARE) / ratio, EPOCH_TOKENS) - standing,
      (limit * marks.brim - level.used) / ratio - 1,
    ),
  );
}

/** What a tool claims otherwise stands behind the user's word, never alone. */
const besideUsers = (memories: readonly Memory[]): Memory[] => {
  const found = memories.flatMap((one) => [
    ...memories.filter(
      (other) => lessTrusted(one.origin, other.origin) && outdates(one.content, other.content),
    ),
    one,
  ]);
  return [...new Set(found)];
};

/** Each memory once, by its best question. */
function best(hits: readonly Hit[]): Hit[] {
  const ranked = hits.toSorted(
    (one, other) => other.score - one.score || (one.id < other.id ? -1 : 1),
  );
  return ranked.filter(({ id }, at) => ranked.findIndex((hit) => hit.id === id) === at);
}

/**
 * What was recalled for the turn under way, as a section of its prompt; in a tool loop also what
 * its steps were told.
 */
export function recallSection(outgoing: Outgoing) {
  const { dialect, conversation, view } = outgoing;
  const last = conversation.findLastIndex((message) => dialect.speaker(message) === "user");
  const tokens = view.recalls
    .filter((index) => index >= last)
    .map((index) => besideAt(outgoing, index)?.tokens ?? 0);
  return tokens.length === 0
    ? []
    : [{ section: "recall", tokens: tokens.reduce((sum, one) => sum + one, 0) }];
}

/** Memories that went with the message the turn came with. */
export function recalledIn(outgoing: Outgoing): NonNullable<Recalled["hits"]> {
  const index = newTurn(outgoing);
  return (outgoing.view.recalls.includes(index) && besideAt(outgoing, index)?.hits) || [];
}

/**
 * A request that cannot be made to fit goes without anything recalled: the caller's own words come
 * first.
 */
export async function fitting<R extends { readonly outgoing: Outgoing }>(
  core: Recalling,
  outgoing: Outgoing,
  work: (outgoing: Outgoing) => Promise<R>,
): Promise<R> {
  try {
    const done = await work(outgoing);
    const bare =
      done.outgoing.level.used > done.outgoing.limit
        ? await withoutRecall(core, done.outgoing)
        : undefined;
    return bare === undefined ? done : { ...done, outgoing: bare };
  } catch (thrown) {
    const bare =
      isTidemarkError(thrown) && thrown.code === "window"
        ? await withoutRecall(core, outgoing)
        : undefined;
    if (bare === undefined) throw thrown;
    return work(bare);
  }
}

/** Undefined where nothing was recalled. */
const withoutRecall = async (core: Recalling, outgoing: Outgoing): Promise<Outgoing | undefined> =>
  outgoing.view.recalls.length === 0
    ? undefined
    : outgoingOf(core, await keeping(core, outgoing, { recalled: {} }));
