import { digest } from "../text/hash.ts";
import { type Message } from "../model/request.ts";

/** Shorter base64 than this is cheaper in place than as a row of its own. */
const LEAST = 512;
const KEY = "tidemark:media";

const isBase64 = (text: string): boolean => text.length >= LEAST && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text.slice(0, 256)) && !/[\s"\\]/.test(text);
/** Members that hold media in the providers' blocks: `source.data`, `input_audio.data`, `file.file_data`, data: URLs. */
const HOLDERS = new Set(["data", "file_data", "url"]);
const DATA_URL = /^data:[a-z0-9.+/-]+;base64,/i;

/** The JSON of a message with each piece of media replaced by its hash, so that an image sent a hundred times is stored once. */
export function pack(message: Message): { json: string; media: Map<string, string> } {
  const media = new Map<string, string>();
  const json = JSON.stringify(message, (name, value: unknown) => {
    if (typeof value !== "string" || !HOLDERS.has(name) || value.length < LEAST) return value;
    const head = DATA_URL.exec(value)?.[0] ?? "";
    const data = value.slice(head.length);
    if (!isBase64(data)) return value;
    const hash = digest(data);
    media.set(hash, data);
    return { [KEY]: hash, head };
  });
  return { json, media };
}

/** The message again, deep-equal to what was packed. */
export function unpack(json: string, media: (hash: string) => string | undefined): Message {
  if (!json.includes(KEY)) return JSON.parse(json) as Message;
  return JSON.parse(json, (_name, value: unknown) => {
    if (typeof value !== "object" || value === null || !(KEY in value)) return value;
    const { [KEY]: hash, head } = value as { [KEY]: unknown; head?: unknown };
    const data = typeof hash === "string" && typeof head === "string" ? media(hash) : undefined;
    // A caller's own object that happens to bear our key has no such row: it is given back as it is.
    return data === undefined ? value : `${String(head)}${data}`;
  }) as Message;
}
