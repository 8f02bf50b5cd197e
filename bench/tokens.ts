// Errors of the token estimate against exact o200k_base, and what counting costs.
//   npm run bench -- tokens [DATE]
// Transcripts lie outside the repository; TIDEMARK_DATA names another folder of them. Chinese, Russian, … are the real
// translations in the typescript package. The weights were fitted on about 5,000 texts of these and thirty other kinds,
// some from these very documents. Fitted on four fifths of the documents and measured on the fifth, five times over, the
// median and 95th percentile of the error were: chat 1.8 / 3.9 %, code 3.2 / 10.7, tool results 1.7 / 7.1, JSON compact 2.1 / 9.9, JSON pretty 1.3 / 5.3,
// Chinese mixed 2.8 / 6.7, Chinese only 3.9 / 6.9, base64 0.9 / 2.7.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { anthropic } from "../src/providers/anthropic/messages.ts";
import type { Message } from "../src/core/request.ts";

import { estimateTokens } from "../src/core/tokens/estimate.ts";
import { median, percentile, record, round } from "./support.ts";
import { exactTokens } from "../src/cli/replay/exact-tokens.ts";
import { createCounter } from "../src/core/tokens/message-cache.ts";

const DATA = process.env["TIDEMARK_DATA"] ?? "../shared/data";
const LENGTH = 2_000;
const PER_DOCUMENT = 40;
const date = process.argv[2];

type Kind = readonly [name: string, documents: readonly string[], targeted: boolean];

const read = (path: string): string => readFileSync(path, "utf8");
const parsed = (path: string): unknown => JSON.parse(read(path)) as unknown;
const under = (folder: string, pattern: RegExp): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => pattern.test(file))
        .sort()
        .map((file) => join(folder, file))
    : [];

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: string | readonly Block[];
}
const transcripts = under(join(DATA, "agents"), /\.anthropic\.json$/).map(
  (file) => (parsed(file) as { messages: { content: string | Block[] }[] }).messages,
);
const blocks = (content: string | readonly Block[]): readonly Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;
const textsOf = (type: "text" | "tool_result"): string[] =>
  transcripts.map((messages) =>
    messages
      .flatMap(({ content }) => blocks(content).filter((block) => block.type === type))
      .map((block) =>
        type === "text"
          ? (block.text ?? "")
          : blocks(block.content ?? "")
              .map(({ text }) => text ?? "")
              .join("\n"),
      )
      .join("\n\n"),
  );

interface Conversation {
  readonly conversation: Readonly<Record<string, unknown>>;
}
const locomo = under(join(DATA, "locomo"), /\.json$/).flatMap(
  (file) => parsed(file) as Conversation[],
);
const spoken = locomo.map(({ conversation }) =>
  Object.entries(conversation)
    .flatMap(([name, turns]) =>
      /^session_\d+$/.test(name) ? (turns as { speaker: string; text: string }[]) : [],
    )
    .map(({ speaker, text }) => `${speaker}: ${text}`)
    .join("\n"),
);

const json = ["package-lock.json", ...under("node_modules", /^[^/]+\/package\.json$/).slice(0, 60)]
  .map(parsed)
  .concat(transcripts);
const translated = (language: string): string =>
  Object.values(
    parsed(`node_modules/typescript/lib/${language}/diagnosticMessages.generated.json`) as Record<
      string,
      string
    >,
  ).join("\n");
const withoutAscii = (text: string): string => text.replace(/[ -~]+/g, "");

/** The same bytes each run (a linear congruence; its high bits are even enough for base64). */
function bytes(seed: number, count: number): Buffer {
  let state = seed;
  return Buffer.from(
    Array.from(
      { length: count },
      () => (state = (state * 1_103_515_245 + 12_345) & 0x7fffffff) >> 16,
    ),
  );
}
const encodings = (as: "base64" | "hex") =>
  Array.from({ length: 10 }, (_, seed) => bytes(seed + 1, 9_000).toString(as));

const kinds: Kind[] = [
  ["chat", [...spoken, ...textsOf("text")], true],
  [
    "code",
    [
      ...under("src", /\.ts$/),
      ...under("test", /\.ts$/),
      ...under(
        "node_modules",
        /^(typescript\/lib\/lib\.[^/]*|zod\/v4\/core\/[^/]*|yaml\/dist\/[^/]*|vite\/dist\/client\/[^/]*|acorn\/dist\/[^/]*)\.(d\.ts|m?js)$/,
      ),
    ].map(read),
    true,
  ],
  ["tool results", textsOf("tool_result"), true],
  ["JSON, compact", json.map((value) => JSON.stringify(value)), true],
  ["JSON, pretty", json.map((value) => JSON.stringify(value, null, 2)), true],
  ["Chinese, mixed", [translated("zh-cn")], true],
  ["Chinese, only", [withoutAscii(translated("zh-cn"))], true],
  ["Chinese, traditional", [translated("zh-tw"), withoutAscii(translated("zh-tw"))], false],
  ["base64", encodings("base64"), true],
  ["hex", encodings("hex"), false],
  ...["ja", "ko", "ru", "de", "fr", "pl", "tr"].map((language): Kind => [
    language,
    [translated(language)],
    false,
  ]),
];

/** Whole texts of 2,000 characters, evenly spread over the document. */
function cut(text: string): string[] {
  const count = Math.min(PER_DOCUMENT, Math.floor(text.length / LENGTH));
  return Array.from({ length: count }, (_, index) => {
    const from = Math.floor((index * (text.length - LENGTH)) / Math.max(1, count - 1));
    return text.slice(from, from + LENGTH);
  });
}

async function errorsOf([kind, documents, targeted]: Kind) {
  const texts = documents.flatMap(cut);
  const errors: number[] = [];
  let exact = 0;
  for (const text of texts) {
    const tokens = exactTokens(text);
    exact += tokens;
    errors.push((100 * (estimateTokens(text) - tokens)) / tokens);
  }
  const sizes = errors.map(Math.abs);
  return {
    kind,
    documents: documents.length,
    texts: texts.length,
    "chars/token": round((texts.length * LENGTH) / exact),
    "bias %": round(errors.reduce((sum, error) => sum + error, 0) / errors.length),
    "median %": median(sizes),
    "p95 %": percentile(sizes, 0.95),
    ...(targeted ? { met: median(sizes) <= 4 && percentile(sizes, 0.95) <= 12 } : {}),
  };
}

const timed = (run: () => unknown, times: number): number[] =>
  Array.from({ length: times }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });

/** Milliseconds for a megabyte, the first time and at the median. */
function megabyte(unit: string) {
  const text = unit.repeat(Math.ceil(1_000_000 / unit.length)).slice(0, 1_000_000);
  const times = timed(() => estimateTokens(text), 9);
  return { first: round(times[0] ?? 0), median: median(times) };
}

/** 200 messages of about 150k tokens. Each round the two oldest go and two new ones come. */
function recounting() {
  const source = transcripts.flat();
  const take = (index: number) =>
    structuredClone(source[index % source.length]) as unknown as Message;
  const counter = createCounter();
  const count = (messages: readonly Message[]) =>
    messages.reduce(
      (sum, message) => sum + counter.message(message, () => anthropic.pieces(message)),
      0,
    );
  // The window on the transcripts whose size is nearest to 150k tokens.
  const sizes = source.map((_, index) => count([take(index)]));
  let first = 0;
  const sizeFrom = (index: number) =>
    sizes.slice(index, index + 200).reduce((sum, size) => sum + size, 0);
  for (let index = 0; index + 200 <= source.length; index += 10)
    if (Math.abs(sizeFrom(index) - 150_000) < Math.abs(sizeFrom(first) - 150_000)) first = index;
  let messages = Array.from({ length: 200 }, (_, index) => take(first + index));
  const tokens = count(messages);
  const twoNew: number[] = [];
  for (let turn = 0; turn < 200; turn += 1) {
    // New words in every turn, so that nothing but the messages that stayed is known.
    const fresh = [0, 1].map((offset): Message => ({
      role: "assistant",
      content: [
        {
          type: "text",
          text: `${turn}.${offset} ${spoken[0]?.slice(turn * 300, turn * 300 + 3_200)}`,
        },
      ],
    }));
    messages = [...messages.slice(2), ...fresh];
    twoNew.push(...timed(() => count(messages), 1));
  }
  const again = timed(() => count(messages), 200);
  const parsedAnew = Array.from({ length: 50 }, () => {
    const copy = JSON.parse(JSON.stringify(messages)) as Message[];
    return timed(() => count(copy), 1)[0] ?? 0;
  });
  return {
    messages: 200,
    tokens,
    "two new, of 3,200 characters": median(twoNew),
    "none new": median(again),
    "all parsed anew": median(parsedAnew),
  };
}

if (transcripts.length === 0)
  console.error(`No transcripts in ${DATA}: chat, tool results and recounting are left out.`);
const errors = [];
for (const kind of kinds)
  if (kind[1].some((text) => text.length >= LENGTH)) errors.push(await errorsOf(kind));
console.table(errors);
const speed = {
  "one character": megabyte("a"),
  spaces: megabyte(" "),
  "unbroken Chinese": megabyte("海上生明月天涯共此时数据结构与算法"),
  English: megabyte(`${(spoken[0] ?? read("README.md")).slice(0, 100_000)}\n`),
};
record("tokens", {
  ...(date === undefined ? {} : { date }),
  against: "o200k_base, texts of 2,000 characters",
  errors,
  "ms for 1 MB": speed,
  ...(transcripts.length > 0 ? { "recount, ms": recounting() } : {}),
});
