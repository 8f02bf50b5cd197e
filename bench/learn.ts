// What of a user's words is worth keeping, learnt without a model: from messages that people labelled (bench/said), each set by
// another writer. Says first how well it does on each set where that was left out, beside the package as it was built before;
// then writes the weights of src/memory/extracting. `unseen` is never learnt from.
//   npm run bench -- learn [NAME …]: with names it only says how well these sets do, and writes nothing.
import { writeFileSync } from "node:fs";
import { wordsOf } from "../src/memory/extracting/learned.ts";
import { record, round } from "./support.ts";
import { counted, fitted, type Weights, weightiest } from "./support/logistic.ts";
import {
  commonWords,
  featuresIn,
  type Kind,
  type Read,
  reading,
  readLabelled,
} from "./support/labelled.ts";

const SETS = (
  "home software office hobbies wishes prompts services agents talks voices frames lives trades " +
  "judge persons plain two changes obvious sessions cases"
).split(" ");
const [WORDS, KEPT, KINDS] = [12, 5_000, 500];
const SETTINGS = { l1: 1.5e-2, epochs: 24, least: 3 };
/** The log odds from which a clause is kept: also in src/memory/extracting/statements.ts. */
const BORDERS = [0.6, 0.9, 1.2, 1.5];

interface Learned {
  readonly words: ReadonlySet<string>;
  readonly kept: Weights;
}

/** Twice the weightiest features are chosen, so that words of none of them count by their kind. */
function learn(messages: readonly Read[]): Learned {
  const wanted = messages.flatMap(({ kinds }) => kinds.map((kind) => kind !== undefined));
  let words = commonWords(messages, WORDS);
  let chosen: ReadonlySet<string> | undefined;
  const rows = (): string[][] =>
    messages.flatMap((message) =>
      featuresIn(message, words).map((row) => [...row].filter((one) => chosen?.has(one) ?? true)),
    );
  for (const most of [2 * KEPT, KEPT]) {
    const now = rows();
    chosen = weightiest(fitted(now, wanted, SETTINGS), counted(now), most);
    words = words.intersection(wordsOf(chosen));
  }
  return { words, kept: fitted(rows(), wanted, { ...SETTINGS, l1: SETTINGS.l1 / 3 }) };
}

/** Is the clause of the kind? Told by its own words alone, so that it can be asked of a sentence. */
function learnKind(messages: readonly Read[], words: ReadonlySet<string>, kind: Kind): Weights {
  const rows = messages.flatMap((message) =>
    featuresIn(message, words).map((row) => [...row].filter((one) => !/^[ABMN]:/.test(one))),
  );
  const wanted = messages.flatMap(({ kinds }) => kinds.map((one) => one === kind));
  const chosen = weightiest(fitted(rows, wanted, SETTINGS), counted(rows), KINDS);
  const left = rows.map((row) => row.filter((one) => chosen.has(one)));
  return fitted(left, wanted, { ...SETTINGS, l1: SETTINGS.l1 / 3 });
}

const oddsOf = ({ bias, of }: Weights, row: ReadonlySet<string>): number =>
  [...row].reduce((sum, one) => sum + (of.get(one) ?? 0), bias);

/** Of a hundred clauses that are to be kept, and of a hundred messages that are not: kept. */
function figures(messages: readonly Read[], { words, kept }: Learned): Record<string, string> {
  const told = messages.map((message) =>
    featuresIn(message, words).map((row) => oddsOf(kept, row)),
  );
  const share = (all: readonly boolean[]): string =>
    `${round((100 * all.filter(Boolean).length) / Math.max(1, all.length)).toFixed(1)}`;
  return Object.fromEntries(
    BORDERS.map((border) => {
      const isKept = (at: number): boolean[] => (told[at] ?? []).map((one) => one > border);
      const wanted = messages.flatMap(({ kinds }, at) =>
        isKept(at).filter((_, clause) => kinds[clause] !== undefined),
      );
      const noise = messages.flatMap(({ label }, at) =>
        label.keep.length === 0 ? isKept(at).includes(true) : [],
      );
      return [`from ${border}`, `${share(wanted)} of what is said, ${share(noise)} of noise`];
    }),
  );
}

function lines({ of }: Weights, isTold = (_tenths: number): boolean => true): string[] {
  const byWeight = new Map<number, string[]>();
  for (const [name, weight] of of) {
    const tenths = Math.round(10 * weight);
    if (tenths !== 0 && isTold(tenths))
      byWeight.set(tenths, [...(byWeight.get(tenths) ?? []), name]);
  }
  return [...byWeight]
    .sort(([one], [other]) => other - one)
    .flatMap(([weight, names]) => wrapped(String(weight), names.sort()));
}
const bias = (weights: Weights): string => String(Math.round(10 * weights.bias));
function wrapped(weight: string, names: readonly string[]): string[] {
  const told: string[] = [];
  for (const name of names) {
    const last = told.at(-1);
    if (last !== undefined && last.length + name.length < 99) told[told.length - 1] += `|${name}`;
    else told.push(`${weight} ${name}`);
  }
  return told;
}

/** A file of weights, each under its name: they are read where that is first asked for. */
function write(file: string, texts: Readonly<Record<string, readonly string[]>>): void {
  const parts = Object.entries(texts).map(
    ([name, text]) => `export const ${name} = \`\n${text.join("\n")}\`;\n`,
  );
  const head =
    "/** Made by `npm run bench -- learn`: tenths that a feature adds to the log odds. */\n";
  writeFileSync(`src/memory/extracting/weights-${file}.ts`, head + parts.join("\n"));
}

const asked = process.argv.slice(2);
const sets = new Map(SETS.map((name) => [name, readLabelled(name).map(reading)]));
if (asked.length > 0) {
  const learned = learn([...sets].flatMap(([name, set]) => (asked.includes(name) ? [] : set)));
  for (const name of asked)
    console.log(name, figures(sets.get(name) ?? readLabelled(name).map(reading), learned));
} else {
  const leftOut = process.env.QUICK
    ? {}
    : Object.fromEntries(
        [...sets].map(([name, set]) => {
          const others = [...sets].flatMap(([other, one]) => (other === name ? [] : one));
          return [name, figures(set, learn(others))];
        }),
      );
  const all = [...sets.values()].flat();
  const learned = learn(all);
  const { kept, words } = learned;
  const kinds = (["wish", "need", "taste", "change"] as const).map((kind) => {
    const weights = learnKind(all, words, kind);
    return [kind.toUpperCase(), [bias(weights), ...lines(weights)]] as const;
  });
  write("for", { FOR: [bias(kept), ...lines(kept, (tenths) => tenths > 0)] });
  write("against", { AGAINST: lines(kept, (tenths) => tenths < 0) });
  write("kinds", Object.fromEntries(kinds));
  record("learn", {
    messages: all.length,
    leftOut,
    unseen: figures(readLabelled("unseen").map(reading), learned),
  });
}
