import type { Storage } from "../../model/storage.ts";
import type { TurnFrequencies } from "../../model/turns.ts";
import { terms } from "../../text/terms.ts";
import { apart, type Otherwise, thoseUsed } from "../recalling/related-words.ts";
import { countsOf } from "../recalling/word-weights.ts";
import type { Question } from "./question.ts";
import { holdsAt } from "./signs.ts";

/** Stretches in which two words are looked for side by side. */
const LOOKED_IN = 5;

/**
 * The question in the words of the turns: "wifi" as "Wi-Fi", "wi fi" as "wifi"; undefined where it
 * stands in them.
 */
export async function asWritten(
  question: Question,
  frequencies: TurnFrequencies,
  store: Storage,
  root: string,
): Promise<Question | undefined> {
  const ways = await thoseUsed(
    apart(question.terms, countsOf(question.terms, frequencies).holding),
    (terms) => store.frequencies("turns", { root, terms }),
  );
  for (const { asked, stored } of ways) {
    if (stored.length > 1 && !(await standTogether(store, root, stored))) continue;
    const written = (term: string): readonly string[] => {
      if (term === asked[0]) return stored;
      return asked.includes(term) ? [] : [term];
    };
    return {
      ...question,
      terms: question.terms.flatMap(({ term, loose }) =>
        written(term).map((one) => ({ term: one, loose })),
      ),
      telling: question.telling.flatMap(written),
    };
  }
  return undefined;
}

/** Do these words stand side by side in some turn? */
async function standTogether(
  store: Storage,
  root: string,
  stored: Otherwise["stored"],
): Promise<boolean> {
  const asked = stored.map((term) => ({ term, weight: 1 }));
  const stretches = await store.candidates("turns", { root, terms: asked, limit: LOOKED_IN });
  const keys = stretches.flatMap(({ number: stretch, places, lengths }) =>
    [...lengths.keys()]
      .filter((place) => places.every((held) => holdsAt(held, place)))
      .map((place) => ({ stretch, place })),
  );
  const together = stored.join(" ");
  return (await store.turns(root, keys)).some(({ text }) =>
    ` ${terms(text).join(" ")} `.includes(` ${together} `),
  );
}
