import { isDict } from "../../base/guards.ts";
import { type Piece } from "./dialect.ts";
import { base64Source, dataUrl, mediaPiece, sealedPiece } from "./media.ts";
import { DEPTH } from "./reading.ts";

/** No text has an unbroken run of these characters as long as this; encoded bytes do. */
const BLOB = /^[A-Za-z0-9+/_-]{256,}={0,2}$/;
const SEALED = /^(encrypted_.*|signature)$/;

/** JSON of anything; "" for what has none (undefined, or nested deeper than the stack). */
export function jsonText(
  value: unknown,
  replacer?: (key: string, value: unknown) => unknown,
): string {
  try {
    return JSON.stringify(value, replacer) ?? "";
  } catch {
    return "";
  }
}

export const textPiece = (text: string): Piece[] => (text === "" ? [] : [{ kind: "text", text }]);

/** What a block we do not know weighs: its JSON, with encoded bytes taken out and weighed as what they are. */
export function weigh(value: unknown): Piece[] {
  const media: Piece[] = [];
  const json = jsonText(value, (key, member) => {
    if (key === "cache_control" || member === null) return undefined;
    if (typeof member === "string") {
      const bytes = dataUrl(member);
      if (bytes) media.push(mediaPiece(bytes));
      else if (member !== "" && (SEALED.test(key) || BLOB.test(member)))
        media.push(sealedPiece(member));
      else return member;
      return undefined;
    }
    if (!isDict(member)) return member;
    const bytes = base64Source(member);
    if (!bytes) return member;
    media.push(mediaPiece(bytes));
    return { ...member, data: undefined };
  });
  return [...textPiece(json), ...media];
}

type Cut = (text: string) => string;

/** A call's input, shorter: its strings cut, or where there are too many, one string of it all. Itself when short enough. */
export function cutInput(input: unknown, cut: Cut): unknown {
  const json = jsonText(input);
  const whole = cut(json);
  if (whole.length >= json.length) return input;
  const inside = cutStrings(input, cut);
  return jsonText(inside).length <= 2 * whole.length ? inside : { left_out: whole };
}

function cutStrings(value: unknown, cut: Cut, depth = 0): unknown {
  if (typeof value === "string") return cut(value);
  if (depth > DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => cutStrings(item, cut, depth + 1));
  return isDict(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, cutStrings(member, cut, depth + 1)]),
      )
    : value;
}
