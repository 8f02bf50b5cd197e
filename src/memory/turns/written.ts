import type { TurnIndex } from "../../model/turns.ts";
import { terms } from "../../text/terms.ts";
import { apart, type Otherwise, thoseUsed } from "../recalling/otherwise.ts";
import type { Question } from "./question.ts";

/** Stretches in which two words are looked for side by side. */
const LOOKED_IN = 5;

/** The question in the words of the turns: "wifi" as "Wi-Fi", "wi fi" as "wifi"; undefined where it stands in them. */
export async function asWritten(
  question: Question,
  holding: readonly number[],
  turns: TurnIndex,
  root: string,
): Promise<Question | undefined> {
  const ways = await thoseUsed(
    apart({ asked: question.terms, holding }),
    async (words) => (await turns.frequencies(root, words)).holding,
  );
  for (const { asked, stored } of ways) {
    if (stored.length > 1 && !(await standTogether(turns, root, stored))) continue;
    const [first] = asked;
    const instead = <T>(all: readonly T[], termOf: (one: T) => string, made: (term: string) => T) =>
      all.flatMap((one) => {
        if (termOf(one) === first) return stored.map(made);
        return asked.includes(termOf(one)) ? [] : [one];
      });
    return {
      ...question,
      terms: instead(
        question.terms,
        ({ term }) => term,
        (term) => ({ term, loose: false }),
      ),
      telling: instead(
        question.telling,
        (term) => term,
        (term) => term,
      ),
    };
  }
  return undefined;
}

/** Do these words stand side by side in some turn? */
async function standTogether(
  turns: TurnIndex,
  root: string,
  stored: Otherwise["stored"],
): Promise<boolean> {
  const asked = stored.map((term) => ({ term, weight: 1 }));
  const stretches = await turns.stretches({ root, terms: asked, limit: LOOKED_IN });
  const keys = stretches.flatMap(({ number: stretch, places, lengths }) =>
    [...lengths.keys()]
      .filter((place) => places.every((held) => Math.floor(held / 2 ** place) % 2 === 1))
      .map((place) => ({ stretch, place })),
  );
  const together = stored.join(" ");
  return (await turns.turns(root, keys)).some(({ text }) =>
    ` ${terms(text).join(" ")} `.includes(` ${together} `),
  );
}
