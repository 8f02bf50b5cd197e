/** src/store/vectors/dots.wat, assembled: sixteen components at once, more than ten times as fast as the loop below, the copying reckoned in. */
export const CODE =
  "AGFzbQEAAAABCQFgBX9/f39/AAIQAQRyb29tBm1lbW9yeQIAAQMCAQAHCAEEZG90cwAACq8BAawBAgJ/A3sgBCADQQJ0aiEFAkADQCAEIAVPDQH9DAAAAAAAAAAAAAAAAAAAAAAhB0EAIQYDQCAAIAZq/QAEACEIIAEg" +
  "Bmr9AAQAIQkgByAI/YcBIAn9hwH9ugEgCP2IASAJ/YgB/boB/a4B/a4BIQcgBkEQaiEGIAYgAkkNAAsgBCAH/RsAIAf9GwFqIAf9GwIgB/0bA2pqNgIAIAEgAmohASAEQQRqIQQMAAsLCw==";

/** Components compared in one step. */
const STEP = 16;
const PAGE = 65_536;

/**
 * The products of a question with vectors that lie one behind the other, one byte a component, each as long as the question.
 * What it answers is overwritten by the next call.
 */
type Dots = (question: Int8Array, vectors: Uint8Array) => Int32Array;

type Assembled = (
  question: number,
  vectors: number,
  size: number,
  count: number,
  out: number,
) => void;
interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): void;
}
/** What is called of it: Node has it, Node's types do not. */
interface Assembler {
  readonly Memory: new (size: { initial: number }) => Memory;
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { room: { memory: Memory } },
  ) => { readonly exports: { readonly dots: Assembled } };
}

/** Undefined where WebAssembly is switched off. */
export function assembledDots(): Dots | undefined {
  try {
    const { Memory, Module, Instance } = (globalThis as unknown as { WebAssembly: Assembler })
      .WebAssembly;
    const memory = new Memory({ initial: 1 });
    const { dots: run } = new Instance(new Module(Buffer.from(CODE, "base64")), {
      room: { memory },
    }).exports;
    let bytes = new Uint8Array(memory.buffer);
    return (question, vectors) => {
      const [size, count] = [question.length, Math.floor(vectors.length / question.length)];
      // The question is filled up with zeros, which also meet what is read behind the last vector.
      const out = Math.ceil(size / STEP) * STEP;
      const from = out + Math.ceil((4 * count) / STEP) * STEP;
      const missing = from + vectors.length + STEP - bytes.length;
      if (missing > 0) {
        memory.grow(Math.ceil(missing / PAGE));
        bytes = new Uint8Array(memory.buffer);
      }
      bytes.fill(0, size, out);
      bytes.set(new Uint8Array(question.buffer, question.byteOffset, size));
      bytes.set(vectors, from);
      run(0, from, size, count, out);
      return new Int32Array(memory.buffer, out, count);
    };
  } catch {
    return undefined;
  }
}

export const loopedDots: Dots = (question, vectors) => {
  const size = question.length;
  const signed = new Int8Array(vectors.buffer, vectors.byteOffset, vectors.length);
  return Int32Array.from({ length: Math.floor(vectors.length / size) }, (_, vector) => {
    let sum = 0;
    // Inside its length a typed array holds no hole, which the compiler cannot know.
    for (let at = 0; at < size; at += 1)
      sum += (question[at] as number) * (signed[vector * size + at] as number);
    return sum;
  });
};

let best: Dots | undefined;
/** One for the process: it needs memory of its own. */
export const dots: Dots = (question, vectors) =>
  (best ??= assembledDots() ?? loopedDots)(question, vectors);
