import { dot, unit } from "../../core/vectors.ts";
import { weighed, writeMap } from "../../session/embedding.ts";
import { meanOf, vectorsOf } from "../eval/arms.ts";
import { EMBEDDERS, embeddersOf } from "../eval/embedders.ts";
import { type Pair, pairsOf, train } from "../eval/map-lessons.ts";
import { UsageError, type Verb } from "../input/flags.ts";
import { withWorkspace } from "../input/workspace-of-verb.ts";

/** Less is learnt by heart; a third of them is held out. */
const LEAST_PAIRS = 60;
/** Of a pair, the nearest answers that are not its own. */
const OTHERS = 8;

/** Learns a map over an embedder, and keeps it where it was better on what was held out. */
export const tune: Verb = {
  says: "fit an embedder to your pages and memories",
  flags: EMBEDDERS,
  examples: ["tidemark tune --embedder http://localhost:11434/v1 --model bge-m3"],
  async run(given, io) {
    const [embedder] = embeddersOf(given, io);
    if (embedder === undefined) throw new UsageError("tune needs --embedder URL and --model NAME.");
    const { workspace, identity } = given;
    const pairs = await withWorkspace(given, io, (one) => pairsOf(one, identity), { embed: false });
    if (pairs.length < LEAST_PAIRS) {
      const line =
        `Too little to learn from: ${pairs.length} pairs of a question and its answer in pages ` +
        `and memories, and ${LEAST_PAIRS} are needed.`;
      return { found: { pairs: pairs.length }, lines: [line] };
    }
    const texts = [...new Set(pairs.map(({ answer }) => answer))];
    const vectors = await vectorsOf(embedder, [...texts, ...pairs.map((one) => one.question)]);
    const vector = (text: string): Float32Array => vectors.get(text) ?? new Float32Array();
    // An answer that was learnt is not held out for another question.
    const isHeld = ({ answer }: Pair): boolean => texts.indexOf(answer) % 3 === 0;
    const [held, learnt] = [pairs.filter(isHeld), pairs.filter((one) => !isHeld(one))];

    const map = train(
      learnt.map(({ question, answer }) => {
        const asked = vector(question);
        const right = learnt.flatMap((one) => (one.question === question ? [one.answer] : []));
        const others = [...new Set(learnt.map((one) => one.answer)).difference(new Set(right))]
          .map((text) => ({ other: vector(text), near: dot(asked, vector(text)) }))
          .sort((one, other) => other.near - one.near)
          .slice(0, OTHERS)
          .map(({ other }) => other);
        return { question: asked, answer: vector(answer), others };
      }),
    );
    /** The mean of 1 ÷ the places of what was held out. */
    const judged = (see: typeof unit): number => {
      const answers = new Map(texts.map((text) => [text, unit(see(vector(text)))]));
      const places = held.map(({ question, answer }) => {
        const asked = see(vector(question));
        const near = (text: string): number => dot(asked, answers.get(text) ?? asked);
        return 1 + texts.filter((text) => near(text) > near(answer)).length;
      });
      return meanOf(places.map((place) => 1 / place));
    };
    const [before, after] = [judged((one) => one), judged((one) => weighed(map, one))];
    const file = after > before ? await writeMap(workspace, embedder, map) : undefined;
    const [from, to] = [before, after].map((one) => (100 * one).toFixed(1));
    const line =
      `Of ${held.length} pairs held out the MRR was ${from} and is ${to} with the map: ` +
      (file === undefined
        ? "nothing was written."
        : `it is in ${file}, and is used with ${embedder.model} from the next opening on.`);
    return {
      found: { pairs: pairs.length, heldOut: held.length, before, after, file },
      lines: [line],
    };
  },
};
