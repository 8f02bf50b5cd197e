import { isDict } from "../../base/guards.ts";
import { digest } from "../../text/hash.ts";
import type { Message } from "../../model/request.ts";

/** Shorter data is cheaper in place than as a row of its own. */
const LEAST_MEDIA = 512;
/**
 * Members that hold media in the providers' blocks: `source.data`, `input_audio.data`,
 * `file.file_data`, data: URLs.
 */
const HOLDERS = new Set(["data", "file_data", "url"]);
const DATA_URL = /^data:[^,"\\]{0,200};base64,/i;

/** A text column gives these back as it took them; half of a surrogate pair it would not. */
const PLAIN = /^[\t\n\r\x20-\x7e]*$/;

/** Length of a digest. */
const HASH = 32;

const NONE: ReadonlyMap<string, string> = new Map();

/**
 * The JSON of a message with each piece of media replaced by its hash, so that an image sent a
 * hundred times is stored once. Where there is any, a line with the mark of such replacements
 * stands first; nothing else in the message holds it.
 */
export function pack(message: Message): { json: string; media: ReadonlyMap<string, string> } {
  // With a function that is asked of every member, writing takes four times as long.
  if (isWords(message)) return { json: JSON.stringify(message), media: NONE };
  for (let mark = "media:"; ;) {
    const media = new Map<string, string>();
    let replaced = 0;
    const json = JSON.stringify(message, (name, value: unknown) => {
      const found = mediaIn(name, value);
      if (found === undefined) return value;
      const { head, data } = found;
      const hash = digest(data);
      media.set(hash, data);
      replaced++;
      return `${mark}${hash}${head}`;
    });
    if (replaced === 0) return { json, media };
    if (json.split(mark).length - 1 === replaced) return { json: `${mark}\n${json}`, media };
    // A text that holds the mark cannot foresee one made from itself.
    mark = `media ${digest(json)}:`;
  }
}

/** A role and words: nothing in it could be media. */
function isWords({ role, content, ...others }: Message): boolean {
  if (typeof role !== "string" || Object.keys(others).length > 0) return false;
  return (
    typeof content === "string" ||
    (Array.isArray(content) &&
      content.every(
        (block: unknown) =>
          isDict(block) &&
          block.type === "text" &&
          typeof block.text === "string" &&
          Object.keys(block).length === 2,
      ))
  );
}

/** The bytes of a picture or a document, and what stands before them. */
export function mediaIn(name: string, value: unknown): { head: string; data: string } | undefined {
  if (typeof value !== "string" || value.length < LEAST_MEDIA || !HOLDERS.has(name))
    return undefined;
  const head = DATA_URL.exec(value)?.[0] ?? "";
  if (head === "" && name === "url") return undefined;
  const data = value.slice(head.length);
  return PLAIN.test(data) ? { head, data } : undefined;
}

/** The message again, deep-equal to what was packed. */
export function unpack(json: string, media: (hash: string) => string | undefined): Message {
  // An object's JSON begins with its brace, never with a mark.
  if (json.startsWith("{")) return JSON.parse(json) as Message;
  const end = json.indexOf("\n");
  const mark = json.slice(0, end);
  return JSON.parse(json.slice(end + 1), (_name, value: unknown) => {
    if (typeof value !== "string" || !value.startsWith(mark)) return value;
    const hash = value.slice(mark.length, mark.length + HASH);
    return value.slice(mark.length + HASH) + (media(hash) ?? "");
  }) as Message;
}
