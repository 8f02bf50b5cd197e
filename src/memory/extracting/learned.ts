import { AGAINST } from "./weights-against.ts";
import { FOR } from "./weights-for.ts";
import { CHANGE, NEED, TASTE, WISH } from "./weights-kinds.ts";

/** What a feature adds to the log odds, in tenths, and what stands before any is seen. */
interface Weights {
  readonly bias: number;
  readonly of: ReadonlyMap<string, number>;
}

/** The first line is the bias; the others are a weight, a space, and its features between bars. */
function read(text: string): Weights {
  const [bias = "", ...lines] = text.trim().split("\n");
  const entries = lines.flatMap((line) => {
    const space = line.indexOf(" ");
    const weight = Number(line.slice(0, space));
    return line
      .slice(space + 1)
      .split("|")
      .map((feature) => [feature, weight] as const);
  });
  return { bias: Number(bias), of: new Map(entries) };
}

/** The words of features: those of a message's form (L, H, M) have none. */
export const wordsOf = (features: Iterable<string>): Set<string> =>
  new Set(
    [...features]
      .filter((feature) => !/^[LHM]:/.test(feature))
      .flatMap((feature) => feature.replace(/^[ABFN]:/, "").split(" ")),
  );

interface Learned {
  readonly words: ReadonlySet<string>;
  readonly of: Record<Judgement, Weights>;
}
let learned: Learned | undefined;
function known(): Learned {
  if (learned !== undefined) return learned;
  const [kept, wish, need] = [read(FOR + AGAINST), read(WISH), read(NEED)];
  const of = { kept, wish, need, taste: read(TASTE), change: read(CHANGE) };
  return (learned = { words: wordsOf(kept.of.keys()), of });
}

/** Would a person keep it? Is it a wish that stands, a need, a taste, a change of what was told? */
type Judgement = "kept" | "wish" | "need" | "taste" | "change";

export const isKnownWord = (word: string): boolean => known().words.has(word);

/** The log odds that the answer is yes for a clause of these features. */
export function odds(question: Judgement, features: ReadonlySet<string>): number {
  const { bias, of } = known().of[question];
  let sum = bias;
  for (const feature of features) sum += of.get(feature) ?? 0;
  return sum / 10;
}
