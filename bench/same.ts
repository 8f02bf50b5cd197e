// Which pairs of statements are taken for one fact: precision and recall on labelled pairs, beside shingles at their best.
//   npm run bench -- same
// The pairs are made of LoCoMo's observations (outside the repository; TIDEMARK_DATA names another folder) by rewordings that
// keep the fact and by edits that change it; those in Chinese are written by hand. Observations as they are, which do not
// repeat each other, are pairs of different facts too. With an embedder: one that knows the synonyms it is told, and one of letters.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  mayBeAlike,
  statement,
  wordShare,
  type Statement,
} from "../src/memory/sameness/rewording.ts";
import { canonical } from "../src/memory/sameness/canonical.ts";
import { cosine } from "../src/memory/meaning/calibration.ts";
import { leastCosine, measureReach } from "../src/memory/meaning/embedder-reach.ts";
import type { Embedder } from "../src/model/ports.ts";
import { fold, isStopword, queryTerms } from "../src/text/terms.ts";
import { record, round } from "./support.ts";
import { SYNONYMS, synonymEmbedder } from "../test/support/synonyms.ts";
import { CHINESE, type Context, EDITS, type Pair, REWORDINGS } from "./support/fact-pairs.ts";
import { LETTERS } from "./support/facts.ts";

interface Conversation {
  readonly conversation: { readonly speaker_a: string; readonly speaker_b: string };
  readonly observation: Readonly<
    Record<string, Readonly<Record<string, readonly (readonly [string, unknown])[]>>>
  >;
}
const file = join(process.env["TIDEMARK_DATA"] ?? "../shared/data/locomo", "locomo-dev5.json");
const conversations = JSON.parse(readFileSync(file, "utf8")) as Conversation[];

/** The same numbers on every run. */
function dice(seed: number): (count: number) => number {
  let state = seed;
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

const [pick, pickAgain] = [dice(7), dice(8)];
const made: Pair[] = [...CHINESE];
const unrelated: Pair[] = [];
const terms = (text: string): string =>
  queryTerms(text)
    .map(({ term }) => term)
    .join(" ");
/** Reworded first, by words that an embedder may know, and then made another fact. */
const twice: Pair[] = [];
const mates = new Map(
  SYNONYMS.flatMap((words) =>
    words.map((word, at) => [word, words[(at + 1) % words.length] ?? word] as const),
  ),
);
const synonymous = (fact: string): string =>
  fact.replace(/\b[a-z]+\b/g, (word) => mates.get(word) ?? word);
for (const { conversation, observation } of conversations) {
  const facts = Object.values(observation).flatMap((session) =>
    Object.values(session).flatMap((list) => list.map(([text]) => text)),
  );
  const nouns = facts
    .flatMap((fact) => fact.match(/\b[a-z]{5,}\b/g) ?? [])
    .filter((word) => !/(?:ing|ed|ly)$/.test(word) && !isStopword(word));
  const context: Context = {
    speakers: [conversation.speaker_a, conversation.speaker_b],
    nouns,
    pick,
  };
  const again: Context = { ...context, pick: pickAgain };
  for (const fact of facts) {
    for (const [by, change] of Object.entries(REWORDINGS))
      add(fact, change(fact, context), { same: true, by });
    for (const [by, change] of Object.entries(EDITS))
      add(fact, change(fact, context), { same: false, by });
    for (const reworded of [REWORDINGS["other words for it"]?.(fact, again), synonymous(fact)]) {
      if (reworded === undefined || reworded === fact) continue;
      for (const [by, change] of Object.entries(EDITS)) {
        const other = change(reworded, again);
        // Of "went to the" a part is no fact.
        const idle = by === "a part left out" && terms(other ?? "") === terms(reworded);
        if (other !== undefined && other !== reworded && !idle)
          twice.push({ one: fact, other, same: false, by });
      }
    }
  }
  facts.forEach((one, at) =>
    facts
      .slice(at + 1)
      .forEach((other) =>
        unrelated.push({ one, other, same: false, by: "observations as they are" }),
      ),
  );
}
function add(
  one: string,
  other: string | undefined,
  { same, by }: { same: boolean; by: string },
): void {
  if (other !== undefined && other !== one) made.push({ one, other, same, by });
}

const ratio = (part: number, whole: number): number => (whole === 0 ? 1 : round(part / whole));

interface Judgement {
  readonly precision: number;
  readonly recall: number;
  readonly falsely: number;
}
function judge(pairs: readonly Pair[], merges: (pair: Pair) => boolean): Judgement {
  const merged = pairs.filter(merges);
  const rightly = merged.filter(({ same }) => same).length;
  return {
    precision: ratio(rightly, merged.length),
    recall: ratio(rightly, pairs.filter(({ same }) => same).length),
    falsely: merged.length - rightly,
  };
}

const forms = new Map<string, string>();
const formOf = (text: string): string => {
  const found = forms.get(text) ?? canonical(text);
  forms.set(text, found);
  return found;
};
const ours = ({ one, other }: Pair): boolean => formOf(one) === formOf(other);

const shingles = (units: readonly string[], size: number): Set<string> =>
  new Set(
    units.length < size
      ? [units.join(" ")]
      : units.slice(size - 1).map((_, at) => units.slice(at, at + size).join(" ")),
  );
const alike = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  const shared = [...one].filter((shingle) => other.has(shingle)).length;
  return shared / (one.size + other.size - shared || 1);
};
const words = (text: string): string[] => fold(text).match(/[\p{L}\p{N}']+/gu) ?? [];
const BASELINES: Readonly<Record<string, (text: string) => Set<string>>> = {
  "pairs of words": (text) => shingles(words(text), 2),
  "three characters": (text) => shingles([...words(text).join(" ")], 3),
};

const statements = new Map<string, Statement | undefined>();
const statementOf = (text: string): Statement | undefined => {
  if (!statements.has(text)) statements.set(text, statement(text));
  return statements.get(text);
};
const wordsAllow = ({ one, other }: Pair): boolean => {
  const [mine, theirs] = [statementOf(one), statementOf(other)];
  return mine !== undefined && theirs !== undefined && mayBeAlike(mine, theirs);
};
const allowed = {
  made: made.filter(wordsAllow),
  twice: twice.filter(wordsAllow),
  asTheyAre: unrelated.filter(wordsAllow),
};

const show = (pairs: readonly Pair[]): readonly Pair[] => {
  if (process.argv.includes("--show"))
    for (const { one, other, by } of pairs.slice(0, 60)) console.log(`${by}\n  ${one}\n  ${other}`);
  return pairs;
};

/** What an embedder adds: the pairs that words allow, judged by its vectors. */
async function withEmbedder({ embed }: Pick<Embedder, "embed">) {
  const vectorsOf = async (texts: readonly string[]) =>
    (await embed(texts)).map((vector) => Float32Array.from(vector));
  const reach = await measureReach(vectorsOf);
  const texts = [
    ...new Set(
      Object.values(allowed).flatMap((pairs) => pairs.flatMap(({ one, other }) => [one, other])),
    ),
  ];
  const vectors = new Map((await vectorsOf(texts)).map((vector, at) => [texts[at] ?? "", vector]));
  const none = new Float32Array(0);
  const merges = ({ one, other }: Pair): boolean => {
    const [mine, theirs] = [statementOf(one), statementOf(other)];
    return (
      reach !== undefined &&
      mine !== undefined &&
      theirs !== undefined &&
      cosine(vectors.get(one) ?? none, vectors.get(other) ?? none) >
        leastCosine(wordShare(mine, theirs), reach)
    );
  };
  const merged = new Set(allowed.made.filter(merges));
  const by = new Map<string, number>();
  for (const pair of merged) if (pair.same) by.set(pair.by, (by.get(pair.by) ?? 0) + 1);
  return {
    ...(reach === undefined
      ? { say: false }
      : {
          say: true,
          leastCosine: Object.fromEntries(
            [4, 8, 16].map((content) => [
              `of ${content} words of content`,
              round(leastCosine(1 / content, reach)),
            ]),
          ),
        }),
    ...judge(made, (pair) => ours(pair) || merged.has(pair)),
    foundBesides: Object.fromEntries(by),
    editsMerged: [...merged].filter(({ same }) => !same).length,
    rewordedAndEditedMerged: show(
      twice.filter((pair) => ours(pair) || (wordsAllow(pair) && merges(pair))),
    ).length,
    observationsMerged: allowed.asTheyAre.filter(merges).length,
  };
}

/** What a cosine alone would do, the same for every statement and without a guard in words. */
async function byCosine({ embed }: Pick<Embedder, "embed">) {
  const texts = [...new Set(made.flatMap(({ one, other }) => [one, other]))];
  const vectors = new Map(
    (await embed(texts)).map((vector, at) => [texts[at] ?? "", Float32Array.from(vector)]),
  );
  const none = new Float32Array(0);
  const cosines = new Map(
    made.map((pair) => [
      pair,
      cosine(vectors.get(pair.one) ?? none, vectors.get(pair.other) ?? none),
    ]),
  );
  return Object.fromEntries(
    [0.8, 0.9, 0.95, 0.98, 0.99].map((least) => [
      `≥ ${least}`,
      judge(made, (pair) => (cosines.get(pair) ?? 0) >= least),
    ]),
  );
}

const falsely = made.filter((pair) => !pair.same && ours(pair));
const natural = unrelated.filter(ours);
const byKind = (same: boolean) =>
  Object.fromEntries(
    [...new Set(made.filter((pair) => pair.same === same).map(({ by }) => by))].map((by) => {
      const pairs = made.filter((pair) => pair.by === by && pair.same === same);
      return [by, { pairs: pairs.length, [same ? "found" : "merged"]: pairs.filter(ours).length }];
    }),
  );
const sweeps = Object.entries(BASELINES).map(([name, cut]) => {
  const measured = made.map((pair) => ({ pair, likeness: alike(cut(pair.one), cut(pair.other)) }));
  const likeness = new Map(measured.map((entry) => [entry.pair, entry.likeness]));
  return [
    name,
    Object.fromEntries(
      [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1].map((least) => [
        `≥ ${least}`,
        judge(made, (pair) => (likeness.get(pair) ?? 0) >= least),
      ]),
    ),
  ];
});

const started = performance.now();
for (const { one } of made) canonical(one);
const microseconds = round(((performance.now() - started) * 1000) / made.length);

show([...falsely, ...natural]);
record("same", {
  pairs: {
    same: made.filter(({ same }) => same).length,
    different: made.filter(({ same }) => !same).length,
    asTheyAre: unrelated.length,
    rewordedAndEdited: twice.length,
  },
  canonical: judge(made, ours),
  observationsMerged: natural.length,
  wordsWouldAllow: {
    rewordings: allowed.made.filter(({ same }) => same).length,
    edits: allowed.made.filter(({ same }) => !same).length,
    rewordedAndEdited: allowed.twice.length,
    asTheyAre: allowed.asTheyAre.length,
  },
  embedders: {
    "knows synonyms": await withEmbedder(synonymEmbedder()),
    "knows them, blurred": await withEmbedder(synonymEmbedder({ blur: 0.5 })),
    "letters in threes": await withEmbedder(LETTERS),
  },
  aCosineAlone: {
    "knows synonyms": await byCosine(synonymEmbedder()),
    "letters in threes": await byCosine(LETTERS),
  },
  rewordings: byKind(true),
  edits: byKind(false),
  shingles: Object.fromEntries(sweeps),
  microsecondsAText: microseconds,
});
