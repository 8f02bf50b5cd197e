// Which pairs of statements are taken for one fact: precision and recall on labelled pairs, beside shingles at their best.
//   npm run bench -- same
// The pairs are made of LoCoMo's observations (outside the repository; TIDEMARK_DATA names another folder) by rewordings that
// keep the fact and by edits that change it; those in Chinese are written by hand. Observations as they are, which do not
// repeat each other, are pairs of different facts too.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { canonical } from "../src/memory/sameness/canonical.ts";
import { isStopword } from "../src/text/terms.ts";
import { fold } from "../src/text/terms.ts";
import { record, round } from "./support.ts";
import { CHINESE, type Context, EDITS, type Pair, REWORDINGS } from "./support/fact-pairs.ts";

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

const pick = dice(7);
const made: Pair[] = [...CHINESE];
const unrelated: Pair[] = [];
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
  for (const fact of facts) {
    for (const [by, change] of Object.entries(REWORDINGS))
      add(fact, change(fact, context), { same: true, by });
    for (const [by, change] of Object.entries(EDITS))
      add(fact, change(fact, context), { same: false, by });
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

const show = (pairs: readonly Pair[]): readonly Pair[] => {
  if (process.argv.includes("--show"))
    for (const { one, other, by } of pairs.slice(0, 60)) console.log(`${by}\n  ${one}\n  ${other}`);
  return pairs;
};

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
  },
  canonical: judge(made, ours),
  observationsMerged: natural.length,
  rewordings: byKind(true),
  edits: byKind(false),
  shingles: Object.fromEntries(sweeps),
  microsecondsAText: microseconds,
});
