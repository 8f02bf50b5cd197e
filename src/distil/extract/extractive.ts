import { breathe } from "../../base/async.ts";
import type { Distiller, DistilTask, Fact } from "../task/distiller.ts";
import { story } from "./extractive-summary.ts";
import { isWork, readTranscript, type Turn } from "./transcript.ts";
import { oneLine } from "../../text/cut.ts";
import { fitting } from "../../text/sentences.ts";
import { type Candidate, distinct } from "./candidate.ts";
import { recordOf } from "./record.ts";
import { answered, sayings, traps } from "./user-statements.ts";

/**
 * The tag of what was quoted and not told by a model: a model's later word on the same messages
 * takes its place.
 */
export const QUOTED = "quoted";

/**
 * Messages quoted in one go. What was said in a longer range is carried on from part to part, as
 * from fold to fold.
 */
const PART = 400;

/**
 * The distiller without a model: the same input always gives the same facts and summary, in time
 * linear in the text. It quotes and never rewords, so what it keeps is true as far as it was said.
 */
export const extractive: Distiller = async (task) => {
  const { messages, dialect, factsFrom, summaryTokens } = task;
  const parts = Math.max(1, Math.ceil(messages.length / PART));
  const size = Math.max(1, Math.ceil(messages.length / parts));
  let { previous: summary = "", record } = task;
  const facts: Fact[] = [];
  for (let from = 0; from < messages.length || from === 0; from += size) {
    await breathe();
    task.signal.throwIfAborted();
    const part = messages.slice(from, from + size);
    const turns = readTranscript(part, dialect);
    await breathe();
    const found = factsFound(turns, {
      messages: part,
      factsFrom: Math.max(0, factsFrom - from),
      record,
    });
    await breathe();
    summary = summaryTokens <= 0 ? "" : story(turns, summary, summaryTokens);
    facts.push(
      ...found.map((fact) => ({ ...fact, tags: [QUOTED], from: fact.from.map((at) => at + from) })),
    );
    const said = (name: string): string | undefined =>
      found.find((fact) => fact.key === `${record?.key}/${name}`)?.content;
    // The next part goes on from the work's state behind this one.
    record = record && {
      key: record.key,
      open: said("open-request"),
      done: said("outcome") ?? record.done,
    };
  }
  return { facts: latest(facts), summary, by: "extractive" };
};

/** The last fact of a name stands; a fact without words ends the one it names. */
function latest(facts: readonly Fact[]): readonly Fact[] {
  const nameOf = (fact: Fact): string | Fact =>
    (fact.content === "" ? fact.supersedes : fact.key) ?? fact;
  const last = new Map(facts.map((fact) => [nameOf(fact), fact]));
  return facts.filter((fact) => last.get(nameOf(fact)) === fact);
}

/**
 * Messages quoted while a turn waits, from the beginning and from the end: what was set out to do,
 * and what it came to.
 */
const [FIRST, LAST] = [400, 1_600];

/**
 * The task without the midst of a very long range: for a turn that must go out, when a model is
 * asked for all of it later.
 */
export function abridged(task: DistilTask): DistilTask {
  const { messages, injected, factsFrom } = task;
  const gap = messages.length - FIRST - LAST;
  if (gap <= 0) return task;
  // Lines beside the messages lose their places: they count as beside all of them.
  return {
    ...task,
    messages: [...messages.slice(0, FIRST), ...messages.slice(-LAST)],
    injected: injected?.map(({ text, origin }) => ({ text, origin })),
    factsFrom: factsFrom < FIRST ? factsFrom : Math.max(FIRST, factsFrom - gap),
  };
}

/**
 * Of a hundred messages so many lines at most: people say more of themselves where no tools are.
 */
const SHARE = { chat: 0.18, work: 0.07 } as const;
const LEAST_LINES = 6;
/** The record of a work with several requests is the longest line. */
const LONGEST_LINE = 600;
const TRAPS_SHARE = 0.02;

/** Finds without a model the facts the next session would act on. */
export function factsFound(
  turns: readonly Turn[],
  { messages, factsFrom, record: standing }: Pick<DistilTask, "messages" | "factsFrom" | "record">,
): Fact[] {
  const length = messages.length - factsFrom;
  if (length <= 0) return [];
  const isFresh = ({ from }: Candidate): boolean => from.some((index) => index >= factsFrom);
  const share = isWork(turns) ? SHARE.work : SHARE.chat;
  const record = recordOf(turns, standing);
  const told = record.filter(({ content }) => content !== "").length;
  const causes = distinct(
    traps(turns).filter(isFresh),
    Math.max(1, Math.ceil(length * TRAPS_SHARE)),
  );
  const all = [...sayings(turns), ...answered(turns)].filter(isFresh);
  const said = distinct(all, Math.max(LEAST_LINES, Math.ceil(length * share)) - told);
  return [...said, ...causes, ...record].map((fact) => ({
    ...fact,
    content: fitting(oneLine(fact.content), LONGEST_LINE),
    from: [...new Set(fact.from)].filter((index) => index >= 0).sort((a, b) => a - b),
  }));
}
