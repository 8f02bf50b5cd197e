import { breaths } from "../../core/base.ts";
import type { Sql } from "./sql.ts";

/** Rows with signs: values and chunks of pages, by scope; turns, by root. */
type Signed = "memory" | "page_chunk" | "turn";

/**
 * Signs of so many rows of one owner lie in one block. 100,000 of 384 bits are read and compared in
 * 8 ms; sqlite-vec takes 15, by its `bit` column or row by row.
 */
export const BLOCK = 256;
/** Up to so many are all answered: to compare each vector takes no longer than to choose. */
const FEW = 2_000;

/** How many of 32 bits are set: counted in pairs, fours and bytes at once. */
export function ones(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** One bit a component: its sign. Vectors differ in about as many as their angle is wide. */
function signsOf(vector: Float32Array): Uint32Array {
  const signs = new Uint32Array(Math.ceil(vector.length / 32));
  vector.forEach((value, at) => {
    if (value > 0) signs[at >> 5] = (signs[at >> 5] ?? 0) | (1 << (at & 31));
  });
  return signs;
}

/** A row, and in how many signs its vector differs from the one that was asked about. */
interface Alike {
  readonly row: number;
  readonly differ: number;
}

interface Block {
  readonly block: number;
  /** Each row's place in the block, then its signs. */
  readonly entries: Buffer;
}

function wordsOf(entries: Buffer): Uint32Array {
  const { buffer, byteOffset, byteLength } = aligned(entries);
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/** A view needs its bytes at a multiple of four; where a database put them is its own affair. */
export const aligned = (bytes: Buffer): Uint8Array =>
  bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);

function entryOf(row: number, vector: Float32Array): Buffer {
  return Buffer.from(Uint32Array.of(row % BLOCK, ...signsOf(vector)).buffer);
}

/** The entries of other rows. */
function without(places: ReadonlySet<number>, entries: Buffer, width: number): Buffer {
  const words = wordsOf(entries);
  let kept = 0;
  for (let at = 0; at < words.length; at += width) {
    if (places.has(words[at] as number)) continue;
    words.copyWithin(kept, at, at + width);
    kept += width;
  }
  return Buffer.from(words.buffer, words.byteOffset, 4 * kept);
}

/** In how many signs the last of so many differs, the most alike first. */
const farOf = (found: readonly Alike[], most: number): number =>
  Uint32Array.from(found, ({ differ }) => differ).sort()[most - 1] ?? Infinity;

/** Entries that differ in at most `far` signs. */
function* nearer({ block, entries }: Block, asked: Uint32Array, far: number) {
  const words = wordsOf(entries);
  const width = 1 + asked.length;
  for (let at = 0; at < words.length; at += width) {
    let differ = 0;
    for (let sign = 0; sign < asked.length; sign += 1) {
      // Typed arrays hold numbers all over their length, which the compiler cannot know.
      differ += ones((words[at + 1 + sign] as number) ^ (asked[sign] as number));
    }
    if (differ <= far) yield { row: block * BLOCK + (words[at] as number), differ };
  }
}

/** A row whose signs are made anew; without a vector it has none any more. */
interface Signing {
  readonly row: number;
  readonly vector?: Float32Array;
}

interface AskedSigns {
  readonly of: Signed;
  readonly owners: readonly number[];
  readonly model: number;
  readonly vector: Float32Array;
  readonly most: number;
  readonly fits?: ReadonlySet<number> | undefined;
}

/** The signs of vectors, in blocks: what a question is compared with first. */
export function signBlocks({ lists, row, run, values }: Sql) {
  return {
    put(of: Signed, owner: number, given: readonly Signing[], model?: number): void {
      for (const [block, own] of Map.groupBy(given, (one) => Math.floor(one.row / BLOCK))) {
        const places = new Set(own.map((one) => one.row % BLOCK));
        const held = lists<[model: number, entries: Buffer, width: number]>`select model, entries,
             1 + (dimensions + 31) / 32 from signs join vector_model on number = model
           where of = ${of} and owner = ${owner} and block = ${block}`;
        const blocks = new Map(
          held.map(([by, entries, width]) => [by, without(places, entries, width)]),
        );
        const made = own.flatMap(({ row: at, vector }) => (vector ? [entryOf(at, vector)] : []));
        if (model !== undefined)
          blocks.set(model, Buffer.concat([blocks.get(model) ?? Buffer.alloc(0), ...made]));
        for (const [by, entries] of blocks)
          run`insert into signs (of, owner, block, model, entries)
              values (${of}, ${owner}, ${block}, ${by}, ${entries})
            on conflict (of, owner, block, model) do update set entries = excluded.entries`;
      }
    },

    /**
     * The rows whose signs are most like the vector's, some `most` of many; where `fits` is given,
     * of these rows alone.
     */
    async alike({ of, owners, model, vector, most, fits }: AskedSigns): Promise<Alike[]> {
      const asked = signsOf(vector);
      const pause = breaths();
      let found: Alike[] = [];
      let far = Infinity;
      for (const id of values`select id from signs
          where of = ${of} and owner in (select value from json_each(${owners}))
            and model = ${model}`) {
        const block = row<Block>`select block, entries from signs where id = ${id}`;
        if (block === undefined) continue;
        for (const one of nearer(block, asked, far))
          if (fits?.has(one.row) ?? true) found.push(one);
        if (found.length > FEW) {
          far = farOf(found, most);
          found = found.filter(({ differ }) => differ <= far);
        }
        await pause();
      }
      if (far < Infinity) far = farOf(found, most);
      return found.filter(({ differ }) => differ <= far);
    },
  };
}
