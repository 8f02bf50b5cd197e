import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32, createDeflateRaw, deflateRawSync } from "node:zlib";

const WORDS = (
  "harbour lamp ferry crane tide rope anchor pilot buoy gull chart deck winch mast pier keel " +
  "invoice server budget garden recipe novel violin ticket passport engine router ledger"
).split(" ");

/** Numbers that look like chance and are the same in each run. */
function dice(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648);
}

function sentence(next: () => number, words: number): string {
  const said = Array.from({ length: words }, () => {
    const one = WORDS[(next() >> 8) % WORDS.length] ?? "";
    return (next() >> 9) % 3 === 0 ? `${one}${(next() >> 7) % 9_973}` : one;
  });
  return `${said.join(" ")}.`;
}

const BEGAN = Date.UTC(2025, 0, 1) / 1_000;

/** A node of a conversation in ChatGPT's export. */
export const node = (
  id: string,
  parent: string | null,
  role: string,
  words: string,
  more: object = {},
): [string, object] => [
  id,
  {
    ...{ id, parent, children: [] },
    message: {
      ...{ id, author: { role }, create_time: BEGAN, recipient: "all", weight: 1, metadata: {} },
      content: { content_type: "text", parts: [words] },
      ...more,
    },
  },
];

/** A conversation of ChatGPT with so many messages of so many words. */
export function chatGptConversation(nth: number, messages: number, words: number): object {
  const next = dice(nth + 1);
  const nodes = Array.from({ length: messages }, (_, at) =>
    node(
      `${nth}-${at}`,
      at === 0 ? "root" : `${nth}-${at - 1}`,
      at % 2 === 0 ? "user" : "assistant",
      sentence(next, words),
    ),
  );
  return {
    ...{ title: `Chat ${nth}`, conversation_id: `chat-${nth}`, create_time: BEGAN + nth },
    current_node: `${nth}-${messages - 1}`,
    mapping: Object.fromEntries([["root", { id: "root", message: null, parent: null }], ...nodes]),
  };
}

/** The list of an export of at least so many bytes, in pieces. */
export function* chatGptExport(bytes: number): Generator<string> {
  let made = 1;
  yield "[";
  for (let nth = 0; made < bytes; nth += 1) {
    const text = JSON.stringify(chatGptConversation(nth, 30, 120));
    yield nth === 0 ? text : `,${text}`;
    made += text.length;
  }
  yield "]";
}

interface Entry {
  readonly name: string;
  readonly packed: number;
  readonly size: number;
  readonly sum: number;
  /** Bit 0: encrypted. */
  readonly flags?: number;
}

function header({ name, packed, size, sum, flags = 0 }: Entry, at?: number): Buffer {
  const isCentral = at !== undefined;
  const bytes = Buffer.alloc(isCentral ? 46 : 30);
  let to = bytes.writeUInt32LE(isCentral ? 0x02014b50 : 0x04034b50, 0);
  if (isCentral) to = bytes.writeUInt16LE(20, to);
  for (const value of [20, flags, 8, 0, 0]) to = bytes.writeUInt16LE(value, to);
  for (const value of [sum, packed, size]) to = bytes.writeUInt32LE(value, to);
  to = bytes.writeUInt16LE(Buffer.byteLength(name), to);
  if (isCentral) bytes.writeUInt32LE(at, 42);
  return Buffer.concat([bytes, Buffer.from(name)]);
}

function directory(entries: readonly (Entry & { at: number })[], from: number): Buffer {
  const headers = Buffer.concat(entries.map((entry) => header(entry, entry.at)));
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(headers.length, 12);
  end.writeUInt32LE(from, 16);
  return Buffer.concat([headers, end]);
}

/** A ZIP of small files. */
export function zipOf(files: Readonly<Record<string, string>>, told: Partial<Entry> = {}): Buffer {
  const parts: Buffer[] = [];
  const entries: (Entry & { at: number })[] = [];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const packed = deflateRawSync(text);
    const size = Buffer.byteLength(text);
    const entry = { name, packed: packed.length, size, sum: crc32(text), ...told };
    const whole = Buffer.concat([header(entry), packed]);
    parts.push(whole);
    entries.push({ ...entry, at });
    at += whole.length;
  }
  return Buffer.concat([...parts, directory(entries, at)]);
}

/** A ZIP of one file however large, written as it is made. */
export async function writeZip(path: string, name: string, text: Iterable<string>): Promise<void> {
  const file = createWriteStream(path);
  const local = header({ name, packed: 0, size: 0, sum: 0 });
  file.write(local);
  let [size, sum, packed] = [0, 0, 0];
  const told = function* (): Generator<Buffer> {
    for (const piece of text) {
      const bytes = Buffer.from(piece);
      size += bytes.length;
      sum = crc32(bytes, sum);
      yield bytes;
    }
  };
  await pipeline(
    Readable.from(told()),
    createDeflateRaw({ level: 1 }),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        packed += chunk.length;
        yield chunk;
      }
      yield directory([{ name, packed, size, sum, at: 0 }], local.length + packed);
    },
    file,
  );
}
