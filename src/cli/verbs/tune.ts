import { dot, unit } from "../../core/vectors.ts";
import { mapped, writeMap } from "../../session/tuned-embedder.ts";
import { embeddedBefore } from "../eval/arms.ts";
import { estimate } from "../eval/chance.ts";
import { EMBEDDERS, embeddersOf } from "../eval/embedders.ts";
import { type Pair, pairsOf, withOthers } from "../eval/pairs.ts";
import { train } from "../eval/train.ts";
import { UsageError, type Verb } from "../input/flags.ts";
import { withWorkspace } from "../input/workspace-of-verb.ts";

/** Less is learnt by heart; a third of them is held out. */
const LEAST_PAIRS = 60;

/** Learns a map over an embedder, and keeps it where it was not worse on what was held out. */
export const tune: Verb = {
  says: "fit an embedder to your pages and memories",
  flags: EMBEDDERS,
  examples: ["tidemark tune --embedder http://localhost:11434/v1 --model bge-m3"],
  async run(given, io) {
    const [embedder] = embeddersOf(given, io);
    if (embedder === undefined) throw new UsageError("tune needs --embedder URL and --model NAME.");
    const { workspace, identity } = given;
    const pairs = await withWorkspace(given, io, (one) => pairsOf(one, identity), { embed: false });
    const texts = [...new Set(pairs.map(({ answer }) => answer))];
    // An answer that was learnt is not held out for another question.
    const isHeld = ({ answer }: Pair): boolean => texts.indexOf(answer) % 3 === 0;
    if (pairs.length < LEAST_PAIRS) {
      const line =
        `Too little to learn from: ${pairs.length} pairs of a question and its answer in pages ` +
        `and memories, and ${LEAST_PAIRS} are needed.`;
      return { found: { pairs: pairs.length }, lines: [line] };
    }
    const all = pairs.flatMap(({ question, answer }) => [{ text: question }, { text: answer }]);
    const { embed } = await embeddedBefore(embedder, all);
    const made = await embed(all.map(({ text }) => text.trim()));
    const vectors = new Map(
      all.map(({ text }, at) => [text, unit(Float32Array.from(made[at] ?? []))]),
    );
    const vector = (text: string): Float32Array => vectors.get(text) ?? new Float32Array(0);
    const map = train(
      withOthers(pairs.filter((pair) => !isHeld(pair))).map(({ question, answer, others }) => {
        return { question: vector(question), answer: vector(answer), others: others.map(vector) };
      }),
    );
    const judged = (see: (one: Float32Array) => Float32Array): number[] => {
      const answers = texts.map((text) => unit(see(vector(text))));
      return pairs.filter(isHeld).map(({ question, answer }) => {
        const asked = see(vector(question));
        const cosines = answers.map((one) => dot(one, asked));
        const own = cosines[texts.indexOf(answer)] ?? 0;
        return 1 / (1 + cosines.filter((other) => other > own).length);
      });
    };
    const [before, after] = [judged((one) => one), judged((one) => mapped(map, one))];
    const gain = estimate(after.map((one, at) => one - (before[at] ?? 0)));
    const file = gain.mean > 0 ? await writeMap(workspace, embedder, map) : undefined;
    const [from, to] = [before, after].map((one) => (100 * estimate(one).mean).toFixed(1));
    const line =
      `Of ${before.length} pairs held out the MRR was ${from} and is ${to} with the map: ` +
      (file === undefined
        ? "nothing was written."
        : `it is in ${file}, and is used with ${embedder.model} from the next opening on.`);
    return { found: { pairs: pairs.length, heldOut: before.length, gain, file }, lines: [line] };
  },
};
