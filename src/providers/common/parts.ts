import { asText, type Dict } from "../../core/base.ts";
import type { Message } from "../../core/request.ts";
import { createSeen } from "../../core/tokens/message-cache.ts";
import { asMessage, type Cut, isEmptyText, itemsOf, mapWithin, same } from "./dialect.ts";
import { dataUrl } from "./pieces.ts";

/** Remembers how a message reads in the words of another API, which are only read. */
export function viewing(seen: (message: Message) => Message) {
  const views = createSeen<Message>();
  return (given: Message | undefined): Message => {
    const message = asMessage(given);
    return views.of(message, () => seen(message));
  };
}

/** Cuts the text of a part that is one. */
export const inText =
  (cut: Cut) =>
  (part: Dict): Dict =>
    part.type === "text" ? mapWithin(part, "text", cut, same) : part;

/** A picture or document in the words of Messages, which is given by its address or as base64. */
export function mediaBlock(given: unknown, kind: unknown, more: Dict = {}): Dict {
  const text = asText(given);
  const bytes = dataUrl(text) ?? { data: text, mediaType: asText(kind) };
  const isAddress = bytes.data === text && /^\w+:/.test(text);
  const source = isAddress
    ? { type: "url", url: text }
    : { type: "base64", media_type: bytes.mediaType, data: bytes.data };
  const isImage = /^image/.test(asText(kind) || asText(bytes.mediaType));
  return { type: isImage ? "image" : "document", source, ...more };
}

/** A message with a text behind all its parts. */
export const withTextPart = (message: Message, text: string): Message => ({
  ...message,
  content: [...itemsOf(message.content), { type: "text", text }],
});

/** A provider refuses a message without content. */
const LEFT_OUT: Dict = { type: "text", text: "(thinking left out)" };

/** The message without its thoughts, and with `change` made of what stays. */
export function withoutParts(
  message: Message,
  isThought: (part: unknown) => boolean,
  change: (part: unknown) => unknown = same,
): Message {
  const items = itemsOf(asMessage(message).content);
  const left = items.filter((part) => !isThought(part)).map(change);
  if (left.length === items.length) return message;
  return { ...message, content: left.every(isEmptyText) ? [LEFT_OUT] : left };
}
