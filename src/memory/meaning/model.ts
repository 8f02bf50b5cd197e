import { isDict } from "../../base/guards.ts";
import type { VectorIndex } from "../../model/store.ts";
import { measureReach, RETOLD_MARK } from "./embedder-reach.ts";
import { calibrate, type Calibration, cosine } from "./calibration.ts";
import type { Embed } from "./embed-missing.ts";
import { FINGERPRINT, QUESTIONS_AND_FACTS } from "./texts.ts";

/** The list of texts calibrations were made on; notes with another mark are made anew. */
const MARK = 1;
/** The same text by the same model: rounding aside, the same vector. */
const SAME = 0.98;

const QUESTIONS = QUESTIONS_AND_FACTS.map(([question]) => question);
const FACTS = QUESTIONS_AND_FACTS.map(([, fact]) => fact);

interface Notes {
  readonly calibration: Calibration;
  readonly print: Float32Array;
  /** Null: the embedder has no say in what is one fact. Absent: not measured yet. */
  readonly reach?: number | null;
}

export type Model = Awaited<ReturnType<typeof recogniseModel>>;

/**
 * Puts the embedder's model in use and answers how it judges. A model is known again by the vector of one fixed text: a
 * provider that changes what stands behind a name, or another function without a name, is another model, never mixed.
 */
export async function recogniseModel(vectors: VectorIndex, name: string, embed: Embed) {
  const [print = new Float32Array(0)] = await embed([FINGERPRINT], "memory");
  for (let number = 1; ; number += 1) {
    const known = readNotes(
      await vectors.use({
        name: number === 1 ? name : `${name} (${number})`,
        dimensions: print.length,
      }),
    );
    if (known !== undefined && cosine(known.print, print) < SAME) continue;
    const notes = known ?? { print, calibration: await calibrationOf(embed) };
    if (known === undefined) await vectors.note(writeNotes(notes));
    return {
      calibration: notes.calibration,
      /** How far it is believed that two statements are one fact. Measured when it is first asked for; recall does without. */
      async reach(): Promise<number | undefined> {
        if (notes.reach !== undefined) return notes.reach ?? undefined;
        const reach = await measureReach(embed);
        await vectors.note(writeNotes({ ...notes, reach: reach ?? null }));
        return reach;
      },
    };
  }
}

async function calibrationOf(embed: Embed): Promise<Calibration> {
  const questions = await embed(QUESTIONS, "question");
  const facts = await embed(FACTS, "memory");
  return calibrate(questions.map((question) => facts.map((fact) => cosine(question, fact))));
}

const writeNotes = ({ calibration, print, reach }: Notes): string =>
  JSON.stringify({
    mark: MARK,
    ...calibration,
    alike: reach === undefined ? undefined : { mark: RETOLD_MARK, reach },
    print: Buffer.from(print.buffer, print.byteOffset, print.byteLength).toString("base64"),
  });

function readNotes(text: string | undefined): Notes | undefined {
  if (text === undefined) return undefined;
  const given: unknown = JSON.parse(text);
  if (!isDict(given) || given.mark !== MARK) return undefined;
  const { floor, spread, separation, print, alike } = given;
  if (
    typeof floor !== "number" ||
    typeof spread !== "number" ||
    typeof separation !== "number" ||
    typeof print !== "string"
  )
    return undefined;
  const { mark, reach } = isDict(alike) ? alike : {};
  const isKnown = mark === RETOLD_MARK && (typeof reach === "number" || reach === null);
  return {
    calibration: { floor, spread, separation },
    print: new Float32Array(new Uint8Array(Buffer.from(print, "base64")).buffer),
    reach: isKnown ? reach : undefined,
  };
}
