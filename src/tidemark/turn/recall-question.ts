import { phrases } from "../../core/base.ts";
import type { TurnSearch } from "../../agents/history-api.ts";
import type { Recalled } from "../../core/turns.ts";
import { type Hit, type Memory, QUOTED } from "../../core/memory.ts";
import { asQuestion, normalForm, oneLine, tail } from "../../core/text/cut.ts";
import { withoutFences } from "../../core/text/fence.ts";
import { namesOf } from "../../core/text/identifiers.ts";
import { pointOf, saying, sentences } from "../../core/text/sentences.ts";
import { queryTerms, terms } from "../../core/text/terms.ts";
import { heard } from "../../memory/extracting/frames.ts";
import { excerpt, gist } from "../../memory/recalling/excerpt.ts";
import { relevanceOf } from "../../memory/recalling/rank.ts";
import { isCommon } from "../../memory/recalling/word-weights.ts";
import { valuesOf } from "../../memory/saving/commit.ts";
import { readQuestion } from "../../memory/turns/question.ts";
import { type Past, pastTurns } from "../../memory/turns/recall-turns.ts";
import type { Call, Kept } from "../../session/ports.ts";
import {
  firstInView,
  foldIn,
  type Outgoing,
  type PlacedCall,
} from "../../session/outgoing-request.ts";
import { recalledAt, type SaidBefore, standingIn } from "../../session/recalled-text.ts";
import type { TurnRow } from "../../storage/rows.ts";
import { lastTalk } from "./last-talk.ts";

/**
 * Characters of the user's words that are looked at, from the end: a long paste ends in what is
 * wanted of it.
 */
const READ = 4_000;
/** A longer text asks for so much that no memory holds a good share of it. */
const WHOLE = 400;
/** Sentences asked one by one. */
const SENTENCES = 3;
/** A sentence of one word ("Continue.") asks for nothing. */
const LEAST_TERMS = 2;

/** The message the user's turn came with; -1 where a tool has the word, or none has. */
export function newTurn({ dialect, conversation }: Pick<Call, "dialect" | "conversation">): number {
  const index = conversation.findLastIndex((message) => dialect.speaker(message) !== "system");
  const message = conversation[index];
  return message !== undefined && dialect.speaker(message) === "user" ? index : -1;
}

/** The user's newest words, of a long text the last ones. */
export function wordsOf(
  { dialect, conversation }: Pick<Call, "dialect" | "conversation">,
  index: number,
): string {
  const said: string[] = [];
  for (let at = index; at >= 0; at--) {
    const message = conversation[at];
    if (message === undefined || dialect.speaker(message) !== "user") break;
    said.unshift(withoutFences(dialect.text(message)).trim());
  }
  return tail(said.join("\n"), READ).trim();
}

/**
 * What to ask of memory for a turn: its words as a whole, if they are few, and the sentences that
 * ask, the last ones first.
 */
export function questionsOf(said: string): string[] {
  const text = asQuestion(said);
  if (text === "") return [];
  const all = sentences(text)
    .filter(({ code }) => !code)
    // A question without capitals ends all the same.
    .flatMap((sentence) => sentence.text.split(/(?<=[?？])\s+/));
  const telling = all.filter((sentence) => queryTerms(sentence).length >= LEAST_TERMS).reverse();
  const asking = telling.filter((sentence) => /[?？]\W*$/.test(sentence));
  const whole = text.length <= WHOLE ? [text] : [];
  const single = [...new Set([...asking, ...telling])].slice(0, SENTENCES);
  return [...new Set([...whole, ...single])];
}

/**
 * A fact that says less to a question shares a word with it by chance. Of the asker's own things,
 * and of somebody or something that has a name, more is meant than is said.
 */
const LEAST_RELEVANCE = { any: 0.5, known: 0.3, general: 0.7 } as const;
const OWN = /\b(?:my|mine|ours?|we|us)\b/i;
/** What a thing of its kind is, or how one does something: memory holds the asker's own. */
const GENERAL =
  /^\W*(?:what(?:['’]s| is| are) (?:an? |the difference )|how (?:(?:do|can|should) I|does an?) )/i;

/** Does a hit answer the question enough to be told unasked? */
export function answering(question: string, least?: number): (hit: Hit) => boolean {
  const names = namesOf(question);
  const words = queryTerms(question).map(({ term }) => term);
  // One of several words of every day is met everywhere.
  const fewest = words.length > 1 && words.every(isCommon) ? 2 : 0;
  const usual = GENERAL.test(question) ? "general" : "any";
  return ({ why, text }) => {
    const known = OWN.test(question) || names.some((name) => text.includes(name));
    return (
      relevanceOf(why) >= (least ?? LEAST_RELEVANCE[known ? "known" : usual]) &&
      new Set(words).intersection(new Set(terms(text))).size >= fewest
    );
  };
}

export const besideAt = (
  { positions, entries, session }: PlacedCall,
  index: number,
): Recalled | undefined =>
  recalledAt({ positions, entries, recalled: session.state.recalled }, index);

/** Facts the model has before it are not told again. */
export async function inView({ store }: Kept, outgoing: Outgoing) {
  const { dialect, conversation, session, view } = outgoing;
  const { state, id } = session;
  const recalled = view.recalls.flatMap((index) => besideAt(outgoing, index) ?? []);
  const texts = [
    state.frozen?.text ?? "",
    foldIn(outgoing)?.text ?? "",
    ...recalled.filter(({ as }) => as !== "cleared").map(({ text }) => text),
  ];
  const last = newTurn(outgoing);
  const said = conversation[last];
  const talk = conversation.slice(view.replaced, last);
  const standing = standingIn([...texts, said === undefined ? "" : dialect.text(said)], () =>
    talk.map((message) => dialect.text(message)).join("\n"),
  );
  const from = firstInView(outgoing);
  const learnt = await store.learnt({
    ...{ session: id, from },
    to: outgoing.entries.length,
  });
  const told = new Set(learnt.filter(({ first }) => first >= from).map(({ memory }) => memory));
  return {
    /** Is this in the request already: in the sections, the fold's message or an earlier recall? */
    standing,
    /** Or, of a memory, as the messages it was learnt from? */
    told: (memory: Memory): boolean => told.has(memory.id) || standing(memory),
  };
}

/** The share of an ended fact's words that a sentence must hold to say it. */
const SAYS = 0.6;

/** Says a turn what was learnt of it and has ended since? Then it is not told again. */
async function overIn(
  { store }: Pick<Kept, "store">,
  { talks }: Past,
): Promise<(row: TurnRow) => boolean> {
  const places = Map.groupBy(
    talks.flatMap(({ rows }) => rows),
    ({ session }) => session,
  );
  const learnt = await Promise.all(
    [...places].map(async ([session, rows]) => {
      const at = rows.map(({ position }) => position);
      const of = { session, from: Math.min(...at), to: Math.max(...at) + 1 };
      return (await store.learnt(of)).filter(({ first, last }) =>
        at.some((position) => first <= position && position < last),
      );
    }),
  );
  const values = await valuesOf(store, [...new Set(learnt.flat().map(({ memory }) => memory))]);
  // A model's word takes the place of what was quoted, which is not untrue by that.
  const ended = values
    .filter(({ until, stored }) => until !== undefined && !stored.memory.tags.includes(QUOTED))
    .map(({ stored: { memory } }) => {
      const content = memory.content.replace(OF_USER, "");
      return { marks: content.match(MARK) ?? [], words: pointOf(content) };
    });
  return ({ text }) => {
    if (ended.length === 0) return false;
    const said = sentences(text).map((sentence) => sentence.text);
    const says = saying(said, SAYS);
    return ended.some(({ marks, words }) => {
      const isNamed =
        marks.length > 0 && said.some((one) => marks.every((mark) => one.includes(mark)));
      return isNamed || says(words);
    });
  };
}
/** A name or a figure of a fact. */
const MARK = /(?<=\S )\p{Lu}[\p{L}\p{N}]+|\p{N}[\p{N}.,:]*(?<=\p{N})/gu;
/** Who asks how it was is told how it was. */
const ASKS_BEFORE = phrases(
  "\\b",
  `before|used to|previous(?:ly)?|former(?:ly)?|earlier|originally|back then|ago|at first|old
  last (?:time|week|month|year)|was|were|did|had|so far|history`,
);
const OF_USER = /\b(?:the )?user(?:['’]s)?\b/gi;

/** Characters of one: some 120 tokens. */
const TURN_CHARACTERS = 480;

/**
 * What was said on the words of a turn, if they ask of the past: out of sight or in other
 * conversations, best first.
 */
export async function saidBefore(
  { turns, store }: Kept & { readonly turns: TurnSearch },
  outgoing: Outgoing,
  words: string,
): Promise<Past | undefined> {
  const last = await lastTalk({ store }, outgoing, words);
  if (last !== undefined) return last;
  const { who } = outgoing;
  const here = outgoing.session.id;
  const from = firstInView(outgoing);
  const standing = ({ session, position }: Pick<TurnRow, "session" | "position">): boolean =>
    session === here && position >= from;
  await turns.ready(standing);
  // All of this conversation is in view until a fold, and its gist afterwards: a message that goes
  // on with something, and does not say that it does, is told no second one.
  const { form, refers } = readQuestion(words);
  const besides = from === 0 || (form === "message" && !refers) ? here : undefined;
  const past = await pastTurns(store, words, { root: who.root, besides, standing });
  if (past === undefined) return undefined;
  const isOver = ASKS_BEFORE.test(words) ? () => false : await overIn({ store }, past);
  const talks = past.talks.map(({ rows, ...talk }) => ({
    ...talk,
    rows: rows.filter((row) => !isOver(row)),
  }));
  return { ...past, talks };
}

/** A part shorter than this may stand in another text by chance. */
const BY_CHANCE = 12;
/** A part of a pasted text may have lost what says whose it is. */
function quotesOthers(content: string, text: string): boolean {
  const others = oneLine(heard(text).others.join("\n"));
  const parts = content.split(/(?<=[.!?…]) |…/).map((part) => part.trim());
  return parts.some((part) => part.length > BY_CHANCE && others.includes(part));
}

interface Bounds {
  /** The conversation under way. */
  readonly here: string;
  /** For all lines together. */
  readonly tokens: number;
  readonly standing: (said: Pick<SaidBefore, "content">) => boolean;
}

/**
 * What of it is shown: to a question the turns, to a message the gist of the talks it may go on
 * with.
 */
export function linesOf(
  { terms, form, talks }: Past,
  { here, tokens, standing }: Bounds,
): SaidBefore[] {
  const told = new Set<string>();
  const contents =
    form === "message"
      ? gist(
          talks.map(({ weight, rows }) => ({ weight, texts: rows.map(({ text }) => text) })),
          terms,
          { tokens, standing: (content) => standing({ content }) },
        )
      : talks.map(({ rows }) =>
          rows.map(({ text }) => {
            const said = sentences(text).map((sentence) => normalForm(sentence.text));
            // A turn that says nothing new is not told; one that does is told whole.
            if (said.every((content) => told.has(content) || standing({ content }))) return "";
            for (const one of said) told.add(one);
            return excerpt(text, terms, TURN_CHARACTERS);
          }),
        );
  return talks.flatMap(({ weight, rows }, talk) =>
    rows.flatMap(({ text, role, name, at, session, position }, turn): SaidBefore[] => {
      const content = contents[talk]?.[turn] ?? "";
      if (content === "" || standing({ content })) return [];
      const isCut = content !== oneLine(text);
      const place = session === here ? "earlier here" : `whole in conversation ${session}`;
      return [
        {
          content,
          role: role === "user" && quotesOthers(content, text) ? "pasted by the user" : role,
          name,
          at,
          session,
          position,
          weight,
          place: session === here || isCut ? place : undefined,
        },
      ];
    }),
  );
}
