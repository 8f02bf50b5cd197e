import { breathe } from "../model/breath.ts";
import { type Distilled, type Distiller, type DistilTask, type Fact } from "./distiller.ts";
import { factsFound } from "./extract/found.ts";
import { story } from "./extract/story.ts";
import { readTranscript } from "./extract/transcript.ts";

/** The tag of what was quoted and not told by a model: a model's later word on the same messages takes its place. */
export const QUOTED = "quoted";

/** Messages quoted in one go. What was said in a longer range is carried on from part to part, as from fold to fold. */
export const PART = 400;

/**
 * The distiller without a model: the same input always gives the same facts and summary, in time
 * linear in the text. It quotes and never rewords, so what it keeps is true as far as it was said.
 */
export const extractive: Distiller = async (task) => {
  const { messages } = task;
  const size = Math.max(1, Math.ceil(messages.length / Math.max(1, Math.ceil(messages.length / PART))));
  let { previous = "", record } = task;
  const facts: Fact[] = [];
  for (let from = 0; from < messages.length || from === 0; from += size) {
    await breathe();
    task.signal.throwIfAborted();
    const part = { ...task, previous, messages: messages.slice(from, from + size), factsFrom: Math.max(0, task.factsFrom - from) };
    const made = await quoted({ ...part, ...(record === undefined ? {} : { record }) });
    facts.push(...made.facts.map((fact) => ({ ...fact, from: fact.from.map((at) => at + from) })));
    previous = made.summary;
    record = record && standingAfter(record, made.facts);
  }
  return { facts: latest(facts), summary: previous, by: "extractive" };
};

/** One part of a range, with a turn for others between the steps. */
async function quoted({ dialect, messages, factsFrom, previous = "", summaryTokens, record }: DistilTask): Promise<Distilled & { readonly summary: string }> {
  const transcript = readTranscript(messages, dialect);
  await breathe();
  const found = factsFound(transcript, { messages, factsFrom: Math.min(factsFrom, messages.length), ...(record === undefined ? {} : { record }) });
  await breathe();
  const summary = summaryTokens <= 0 ? "" : story(transcript, previous, summaryTokens);
  return { facts: found.map((fact) => ({ ...fact, tags: [QUOTED] })), summary, by: "extractive" };
}

/** What stands of the work behind a part, for the next one. */
function standingAfter({ key, done: before }: NonNullable<DistilTask["record"]>, facts: readonly Fact[]): NonNullable<DistilTask["record"]> {
  const said = (part: string): string | undefined => facts.find((fact) => fact.key === `${key}/${part}`)?.content;
  const [open, done = before] = [said("open-request"), said("outcome")];
  return { key, ...(open === undefined ? {} : { open }), ...(done === undefined ? {} : { done }) };
}

/** Of facts with one name the last: a fact without words ends the one it names. */
function latest(facts: readonly Fact[]): readonly Fact[] {
  const nameOf = ({ content, key, supersedes }: Fact): string | undefined => (content === "" ? supersedes : key);
  const last = new Map(facts.map((fact) => [nameOf(fact) ?? fact, fact]));
  return facts.filter((fact) => last.get(nameOf(fact) ?? fact) === fact);
}
