import { breathe, either } from "../../core/base.ts";
import { QUOTED } from "../../core/memory.ts";
import { oneLine } from "../../core/text/cut.ts";
import {
  bareWords,
  contentWords,
  fitting,
  saying,
  specifics,
  telling,
  withoutSpeaker,
} from "../../core/text/sentences.ts";
import { contentTerms } from "../../core/text/terms.ts";
import { estimateTokens } from "../../core/tokens/estimate.ts";
import { outdates, saysChange } from "../recalling/outdated.ts";
import { isCommon } from "../recalling/word-weights.ts";
import { isQuestion } from "./frames.ts";
import { answered, plain, recordOf } from "./outcomes.ts";
import {
  EARLIER,
  goesOn,
  isChange,
  isOrder,
  isRule,
  LEANS,
  meantIn,
  REMEMBER,
  sayings,
  THANKS,
  UNSURE,
} from "./statements.ts";
import type { Distiller, DistilTask, Fact } from "./task.ts";
import {
  isBrief,
  type PartLine,
  partLines,
  readTranscript,
  renderParts,
  type SummaryPart,
  type Turn,
} from "./transcript.ts";

/** Messages read in one go, before others have their turn. */
const PART = 100;
/** Facts of all other categories are rules. */
const PARTS: Readonly<Record<string, SummaryPart>> = {
  decision: "decisions",
  "open-request": "open",
  outcome: "done",
};
/** Tokens of all headings together, at most. */
const HEADS = 40;

/**
 * The distiller without a model: the same input always gives the same facts and summary, in time
 * linear in the text. It quotes and never rewords, so what it keeps is true as far as it was said.
 */
export const extractive: Distiller = async (task) => {
  const { messages, dialect } = task;
  const turns: Turn[] = [];
  const told: Fact[] = [];
  for (let from = 0; from < messages.length; from += PART) {
    await breathe();
    task.signal.throwIfAborted();
    const part = readTranscript(messages.slice(from, from + PART), dialect, from);
    await breathe();
    turns.push(...part);
    told.push(...sayings(part), ...answered(part));
  }
  const said = await corrected(turns, told);
  await breathe();
  const facts = factsFound(turns, task, said).map((fact) => ({ ...fact, tags: [QUOTED] }));
  return { facts, summary: story(turns, said, task), by: "extractive" };
};

/** The next session acts on these; they stand in the order in which they were said. */
export const factsFound = (
  turns: readonly Turn[],
  { factsFrom, record }: Pick<DistilTask, "factsFrom" | "record">,
  said: readonly Fact[] = [...sayings(turns), ...answered(turns)],
): Fact[] =>
  turns.length <= factsFrom
    ? []
    : [
        ...said.filter(({ from }) => from.some((index) => index >= factsFrom)),
        ...recordOf(turns, record),
      ];

/**
 * The story that a conversation needs to go on: asked, ruled, decided, done. It holds names and
 * figures where they stand in a sentence, never for their own sake. Of what does not fit the
 * weightiest stays, of the same weight the newest.
 */
function story(
  turns: readonly Turn[],
  said: readonly Fact[],
  { previous = "", summaryTokens }: Pick<DistilTask, "previous" | "summaryTokens">,
): string {
  const stood = partLines(previous);
  const told = [...said, ...recordOf(turns, { open: stood.find(isOpen)?.text })];
  const isAnew = told.some(({ category }) => category === "open-request");
  const last = turns.findLast(({ speaker, text }) => speaker === "assistant" && text !== "");
  const state = plain(last?.text.replace(/```[\s\S]*?(?:```|$)/g, " ") ?? "");
  const line = (part: SummaryPart, text: string, weight: number) => ({ part, text, weight });
  const lines = [
    // Open requests are told anew; where the work stood is history by now.
    ...stood
      .filter((one) => !isOpen(one) || !isAnew)
      .map(({ part, text }) => line(part === "state" ? "done" : part, text, 0.6)),
    ...turns
      .filter(({ speaker, asked }) => speaker === "user" && asked !== "")
      .map(({ asked }) => line("done", `Asked: ${fitting(oneLine(asked), 200)}`, 0.45)),
    ...told.map(({ content, category = "", importance }) =>
      line(PARTS[category] ?? "rules", bareWords(content), importance),
    ),
    line("state", fitting(oneLine(state), 360), 1),
  ];
  const kept = new Set([""]);
  let room = summaryTokens - HEADS;
  const weighty = lines.toReversed().sort((a, b) => b.weight - a.weight);
  const fit = new Set(
    weighty.filter(({ text }) => {
      const cost = estimateTokens(text) + 2;
      if (cost > room || kept.has(text)) return false;
      room -= cost;
      return kept.add(text);
    }),
  );
  return renderParts(lines.filter((one) => fit.has(one)));
}
const isOpen = ({ part }: PartLine): boolean => part === "open";

/** "9443, not 8080"; "use pnpm instead"; "not any more". */
const CONTRAST = either(
  /[,;]\s(?:not|no)\s(?!(?:one|doubt|time|matter|sure|only|even|just|to|that|problem|way)\b)\w/i,
  /\b(?:is|are|was)(?:n['’]t| not)\b[^.;]{1,60},\s(?:it['’]s|they['’]re|it)\b|\bno longer\b/i,
  /\binstead\b(?! of \w+ing\b)|\brather than\b|\bany ?more\b|\bany longer\b|\bmisunderstood\b/i,
  /\bi (?:meant|said)\b|\bthat(?:['’]s| is) not\b|(?:['’]s| is) wrong\b|\bshould have\b|\bundid\b/i,
  /^(?:actually|correction|i was wrong)\b|^not\b.+,/i,
);
const OPENS = /^(?:no|nope|nah|wrong|sorry)\s*[,.!:;–—-]\s*/i;

/** Does the sentence say that something was wrong, and what is right? What is longer is a text. */
export function isCorrection(sentence: string): boolean {
  const text = sentence.trim();
  const said = text.replace(OPENS, "");
  if (text.length > 400 || isQuestion(text) || /\bnever mind\b/i.test(text)) return false;
  if (telling(said) < 2 || (THANKS.test(text) && specifics(said) === 0)) return false;
  return CONTRAST.test(text) || (said !== text && (specifics(said) > 0 || isRule(said)));
}

const tellingIn = (text: string): Set<string> =>
  new Set(contentTerms(withoutSpeaker(text)).terms.filter((term) => !isCommon(term)));

/**
 * A statement is left out where a newer one says another value; where the newer words say little by
 * themselves they stand behind the old ones in one line, so that neither is told without the other.
 * In a longer talk much is told in passing: there only what plainly ends the old counts.
 */
async function corrected(turns: readonly Turn[], said: readonly Fact[]): Promise<Fact[]> {
  const brief = isBrief(turns);
  const takesBack = (one: string) => brief && isChange(one);
  const isMeant = (one: string) =>
    takesBack(one) || (!UNSURE.test(one) && (!isOrder(one) || isRule(one)));
  const earlier: string[] = [];
  let facts = [...said];
  for (const { speaker, text: whole, own, index } of turns) {
    if (index % PART === 0) await breathe();
    if (speaker !== "user" || !(brief || saysChange(own))) continue;
    const isOf = ({ from }: Fact) => from.includes(index);
    const isFresh = (one?: Fact) => one?.from.some((at) => at > index - 3) === true;
    const told = facts.filter(isOf).length;
    // What stands beside the one thing that is told says why.
    const isSaid = (one: string) => takesBack(one) || (brief && told === 1);
    const meant = meantIn(own, earlier.slice(-EARLIER), isSaid).filter(isMeant);
    if (goesOn(whole)) earlier.push(own);
    // A message that says several things changes something by one of them.
    for (const text of told > 1 ? meant : [meant.join(" ")]) {
      if (!(takesBack(text) || saysChange(text))) continue;
      const content = `User: ${text}`;
      const words = brief ? tellingIn(text) : new Set<string>();
      const isAbout = (then: Pick<Fact, "content">) =>
        outdates(content, then.content) || !words.isDisjointFrom(tellingIn(then.content));
      const here = facts.filter((one) => isOf(one) && text.includes(withoutSpeaker(one.content)));
      const before = facts.filter(({ from }) => from.every((at) => at < index));
      const last = LEANS.test(text) || isFresh(before.at(-1)) ? before.at(-1) : undefined;
      const old = before.findLast(isAbout) ?? (takesBack(text) ? last : undefined);
      if (!old || here.some((one) => outdates(one.content, old.content))) continue;
      const behind = outdates(content, old.content) ? undefined : old;
      // A wish beside a fact, or several things, stand by themselves.
      if (behind && here.some((one) => here.length > 1 || one.category !== behind.category))
        continue;
      facts = facts.filter((one) => !here.includes(one) && one !== behind);
      facts.push({
        importance: 0.7,
        origin: "user",
        ...behind,
        category: old.category ?? "core",
        content: behind === undefined ? content : `${behind.content} — ${text}`,
        from: [...(behind?.from ?? []), index],
      });
    }
  }
  return facts;
}

/** Share of a point's words that one line must hold to say it. */
const SAYS = 0.5;

/** A rule that says by its first words, or by these, that it is to stand. */
const STATED = either(
  /^(?:(?:and|also|but|so|ok|okay|please|oh|one more thing)[,:]? )*(?:always|never|whenever)\b/i,
  /\b(?:from now on|from here on|going forward|in (?:the )?future|every time you)\b/i,
);

/** A text that holds a rule which is to stand, or a wish to remember, has one of these words. */
const MAY_ASK = /\b(?:always|never|whenever|remember|mind|forget|now|here|forward|future|every)\b/i;

/**
 * A model's word is final: code adds no fact beside it but what the user asked in so many words to
 * remember, or stated as a rule, in the user's own sentence, where no fact of the model says it.
 */
export function withAsked(task: DistilTask, told: readonly Fact[]): readonly Fact[] {
  const isTold = saying(
    told.map(({ content }) => content),
    SAYS,
  );
  // No other sentence can be one of these, and to judge each takes its time.
  const turns = readTranscript(task.messages, task.dialect).map((turn) =>
    MAY_ASK.test(turn.own) ? turn : { ...turn, own: "" },
  );
  const asked = factsFound(turns, task).filter(
    ({ content, category, from }) =>
      ((category === "principle" && STATED.test(withoutSpeaker(content))) ||
        REMEMBER.test(withoutSpeaker(content))) &&
      !isTold(content) &&
      // The model has told it otherwise where both rest on one message and share a word.
      !told.some(
        (fact) =>
          fact.from.some((at) => from.includes(at)) &&
          !wordsIn(fact.content).isDisjointFrom(wordsIn(content)),
      ),
  );
  return [...told, ...asked];
}

const wordsIn = (text: string): Set<string> => new Set(contentWords(bareWords(text)));
