import { either, inOrder } from "../base/patterns.ts";
import { withoutSpeaker } from "./sentences.ts";
import { contentTerms } from "./terms.ts";

/** A sentence names what is no longer so behind one of these, up to the next stop. */
const WRONG = inOrder(
  either(
    /\b(?:is|are|was)n['’]t\b|\b(?:switched|moved|migrated|changed) from\b|\bnot\b/giu,
    /\bno longer\b|\binstead of\b|\brather than\b|\bdon['’]t (?:use|run|call)\b/giu,
  ),
  /([^.,;:!?]{1,80})/giu,
);
const RIGHT = /\bbut\b|\bto\b/iu;

/**
 * Of what is said to be wrong, the share that an earlier statement must hold; of the statement
 * itself, the share that must be about the same.
 */
const NAMED = 0.6;
const ABOUT = 0.5;
/**
 * With what is wrong, so much of the statement stands in the correction: else it may be about
 * another person.
 */
const REST = 0.7;
/** Words in which a statement may differ from the one that takes its place. */
const DIFFERS = 3;

const wordsOf = (text: string): Set<string> => new Set(contentTerms(withoutSpeaker(text)).terms);
const shared = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  one.intersection(other).size;

/** The terms that the correction says are wrong. */
function wrongIn(correction: string): Set<string> {
  const parts = [...correction.matchAll(WRONG)].map(([, part = ""]) => part.split(RIGHT)[0] ?? "");
  return wordsOf(parts.join(" . "));
}

/**
 * Does the correction make the earlier statement untrue? Either it names what is wrong and the
 * statement says that, or both are about the same and the statement has another value.
 */
export function corrects(correction: string, statement: string): boolean {
  const wrong = wrongIn(correction);
  const said = wordsOf(correction);
  const old = wordsOf(statement);
  const right = said.difference(wrong);
  if (old.size === 0) return false;
  if (wrong.size > 0)
    return (
      shared(wrong, old) >= NAMED * wrong.size &&
      shared(said, old) >= REST * old.size &&
      shared(right, old) < right.size
    );
  const differs = old.difference(right).size;
  return (
    differs > 0 &&
    differs <= DIFFERS &&
    shared(right, old) >= ABOUT * old.size &&
    shared(right, old) < right.size
  );
}
