import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Protocol Buffers by hand, as far as an ONNX file of one node needs it: varints and length-delimited fields. */
const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...varint(Math.floor(value / 128))];
const whole = (field: number, value: number): Buffer =>
  Buffer.from([...varint(field << 3), ...varint(value)]);
const bytes = (field: number, value: Buffer | string): Buffer => {
  const body = Buffer.from(value);
  return Buffer.concat([Buffer.from([...varint((field << 3) | 2), ...varint(body.length)]), body]);
};
const message = (field: number, ...parts: Buffer[]): Buffer => bytes(field, Buffer.concat(parts));

const FLOAT = 1;
const INT64 = 7;
const input = (
  field: number,
  name: string,
  type: number,
  shape: readonly (string | number)[],
): Buffer => {
  const sizes = shape.map((size) =>
    message(1, typeof size === "number" ? whole(1, size) : bytes(2, size)),
  );
  return message(
    field,
    bytes(1, name),
    message(2, message(1, whole(1, type), message(2, ...sizes))),
  );
};

const WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "tea", "coffee", "cat", "dog", "harbour"];
const SIZE = 4;
/** Tea and coffee point one way, cat and dog another. */
const TABLE = [
  [0, 0, 0, 0],
  [0, 0, 0, 0.1],
  [0, 0, 0, 0],
  [0, 0, 0, 0],
  [1, 0.1, 0, 0],
  [1, 0, 0.1, 0],
  [0, 1, 0, 0.1],
  [0, 1, 0.1, 0],
  [0, 0, 1, 0],
];

/**
 * A model folder that @huggingface/transformers can load: a vocabulary of nine words, and a network that looks each word's
 * vector up. It holds nothing but what stands here.
 */
export function writeTinyModel(folder: string): void {
  mkdirSync(join(folder, "onnx"), { recursive: true });
  const table = Buffer.from(Float32Array.from(TABLE.flat()).buffer);
  const graph = message(
    7,
    message(
      1,
      bytes(1, "words"),
      bytes(1, "input_ids"),
      bytes(2, "last_hidden_state"),
      bytes(3, "look up"),
      bytes(4, "Gather"),
      message(5, bytes(1, "axis"), whole(3, 0), whole(20, 2)),
    ),
    bytes(2, "tiny"),
    message(
      5,
      whole(1, WORDS.length),
      whole(1, SIZE),
      whole(2, FLOAT),
      bytes(8, "words"),
      bytes(9, table),
    ),
    input(11, "input_ids", INT64, ["batch", "length"]),
    input(11, "attention_mask", INT64, ["batch", "length"]),
    input(11, "token_type_ids", INT64, ["batch", "length"]),
    input(12, "last_hidden_state", FLOAT, ["batch", "length", SIZE]),
  );
  writeFileSync(
    join(folder, "onnx", "model.onnx"),
    Buffer.concat([whole(1, 8), graph, message(8, bytes(1, ""), whole(2, 13))]),
  );
  const json = (name: string, value: unknown): void =>
    writeFileSync(join(folder, name), JSON.stringify(value));
  json("config.json", {
    architectures: ["BertModel"],
    model_type: "bert",
    hidden_size: SIZE,
    vocab_size: WORDS.length,
    num_hidden_layers: 1,
    num_attention_heads: 1,
    intermediate_size: SIZE,
    max_position_embeddings: 64,
  });
  json("tokenizer_config.json", {
    tokenizer_class: "BertTokenizer",
    do_lower_case: true,
    model_max_length: 64,
    unk_token: "[UNK]",
    sep_token: "[SEP]",
    pad_token: "[PAD]",
    cls_token: "[CLS]",
  });
  json("tokenizer.json", {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: WORDS.slice(0, 4).map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: {
      type: "TemplateProcessing",
      single: [
        { SpecialToken: { id: "[CLS]", type_id: 0 } },
        { Sequence: { id: "A", type_id: 0 } },
        { SpecialToken: { id: "[SEP]", type_id: 0 } },
      ],
      pair: [],
      special_tokens: {
        "[CLS]": { id: "[CLS]", ids: [2], tokens: ["[CLS]"] },
        "[SEP]": { id: "[SEP]", ids: [3], tokens: ["[SEP]"] },
      },
    },
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
    },
  });
}
