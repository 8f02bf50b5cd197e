import { type Mask } from "../../secrets/mask.ts";

/** What is ours, or one of a closed list: no words of a conversation. */
const OURS = new Set(["id", "scope", "kind", "origin", "same"]);

/**
 * A draft, a patch, a fact or a question without the secrets in any of its texts: nothing of them reaches the journal, a database
 * or a file. A field that is new is masked unless it is named above.
 */
export function maskedTexts<T extends object>(given: T, mask: Mask): T {
  const masked = (value: unknown): unknown => {
    if (typeof value === "string") return mask(value);
    return Array.isArray(value) ? value.map(masked) : value;
  };
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, OURS.has(name) ? value : masked(value)]),
  ) as T;
}
