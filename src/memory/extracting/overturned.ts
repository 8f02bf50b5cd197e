import { phrases } from "../../core/base.ts";
import { contentTerms } from "../../core/text/terms.ts";
import { isCommon } from "../recalling/word-weights.ts";
import { outdates, saysChange } from "../recalling/outdated.ts";
import { isQuestion } from "./frames.ts";
import type { Fact } from "./task.ts";
import { isWork, type Turn } from "./transcript.ts";

/** What is guessed, wished or only said in fun makes nothing untrue. */
const UNSURE = phrases(
  "\\b",
  "maybe|perhaps|might|may|could|would|should|if|unless|probably|seems?|looks like|imagine",
  "i (?:think|guess|suppose|hope|wish|bet|wonder)|kidding|jok(?:e|ing)|almost|nearly|some ?day",
);
/** Something is otherwise by now; what, the words beside it say. */
const SINCE = phrases(
  "\\b",
  "now|instead|any ?more|no longer|after all|already|back|quit|stopped|dropped|turned|slipped",
  "transferred|moved|switched|changed|raised|cut|sold|installed|started|left|cancelled|canceled",
  "put (?:down|off)|died|bought",
);
/** A longer sentence is a text that is worked on, and in a longer talk much is told in passing. */
const BRIEF = { characters: 200, turns: 12 } as const;

const tellingIn = (text: string): Set<string> =>
  new Set(contentTerms(text).terms.filter((term) => !isCommon(term)));

/**
 * Sentences of the user's that may make something untrue that is known or was said before, and that
 * no other rule keeps: without them the old word would stand alone. In doubt both are told, each
 * with its day.
 */
export function overturning(
  turns: readonly Turn[],
  said: readonly Fact[],
  known: readonly Pick<Fact, "content" | "category">[],
): Fact[] {
  const kept = new Set(said.map(({ content }) => content));
  const isBrief = turns.length <= BRIEF.turns && !isWork(turns);
  return turns.flatMap(({ heard, index }) =>
    (heard?.statements ?? []).flatMap((text): Fact[] => {
      const content = `User: ${text}`;
      if (text.length > BRIEF.characters || kept.has(content) || isQuestion(text)) return [];
      const isTold = isBrief && SINCE.test(text);
      if (UNSURE.test(text) || !(isTold || saysChange(content))) return [];
      const words = tellingIn(text);
      const before = said.filter(({ from }) => from.every((at) => at < index));
      const old = [...before, ...known].findLast(
        ({ content: then }) =>
          outdates(content, then) ||
          (isTold && !words.isDisjointFrom(tellingIn(then.replace(/^User: /, "")))),
      );
      const category = old?.category ?? "core";
      return old === undefined
        ? []
        : [{ content, category, importance: 0.7, origin: "user", from: [index] }];
    }),
  );
}
