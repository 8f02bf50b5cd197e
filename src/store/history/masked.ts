import { type Message } from "../../model/request.ts";
import { type Mask } from "../../secrets/mask.ts";
import { mediaIn } from "./media.ts";

/** A message without the secrets in any of its texts, at any depth; the same object when there are none. */
export function maskedMessage(message: Message, mask: Mask): Message {
  // As it would be stored: what is no JSON (dates, maps) says there what it says here.
  const json = JSON.stringify(message) as string | undefined;
  if (json === undefined) return message;
  const plain: unknown = JSON.parse(json);
  const clean = cleaned("", plain, mask);
  return clean === plain ? message : (clean as Message);
}

function cleaned(name: string, value: unknown, mask: Mask): unknown {
  if (typeof value === "string")
    return mediaIn(name, value) === undefined ? textUnder(name, value, mask) : value;
  if (Array.isArray(value)) {
    const items = value.map((item) => cleaned(name, item, mask));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value);
  const clean = members.map(([key, member]) => [mask(key), cleaned(key, member, mask)] as const);
  return clean.some(([key, member], at) => key !== members[at]?.[0] || member !== members[at]?.[1])
    ? Object.fromEntries(clean)
    : value;
}

/** A member's name may be all that tells a secret from a word: { password: "…" }. */
function textUnder(name: string, text: string, mask: Mask): string {
  const alone = mask(text);
  if (alone !== text || name === "") return alone;
  const before = `${name}: `;
  const named = mask(before + text);
  return named.startsWith(before) ? named.slice(before.length) : text;
}
