import { type Mask } from "../../text/secrets/mask.ts";
import { count } from "../render/numbers.ts";
import { type Check, look, well } from "./check.ts";

/** Secrets in pages: the file, the line and the kind, never the secret. */
export function checksOfSecrets(texts: ReadonlyMap<string, string>, mask: Mask): Check[] {
  const found = [...texts].flatMap(([path, text]) => {
    if (mask(text) === text) return [];
    const kinds = text
      .split("\n")
      .flatMap((line, at) => kindsIn(line, mask).map((kind) => `line ${at + 1}: ${kind}`));
    // Keys of several lines are found in the whole text only.
    return [{ path, kinds: kinds.length > 0 ? kinds : kindsIn(text, mask) }];
  });
  if (found.length === 0) return [well("no secret was found in any page")];
  return found.map(({ path, kinds }) =>
    look(
      `${path} holds ${count(kinds.length, "secret")} (${kinds.slice(0, 3).join(", ")}${kinds.length > 3 ? ", …" : ""})`,
      "take it out by hand, and have a new one made where it came from: it has been readable",
    ),
  );
}

const MARK = /\[([^[\],]+), masked\]/g;
const marks = (text: string): string[] => [...text.matchAll(MARK)].map(([, kind = ""]) => kind);

function kindsIn(text: string, mask: Mask): string[] {
  const before = marks(text);
  return marks(mask(text)).filter((kind) => {
    const at = before.indexOf(kind);
    if (at >= 0) before.splice(at, 1);
    return at < 0;
  });
}
