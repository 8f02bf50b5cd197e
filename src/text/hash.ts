import { hash } from "node:crypto";

/**
 * 128 bits of SHA-256 in hex: enough that no two histories meet by chance, short enough to index.
 */
export const digest = (...parts: readonly string[]): string =>
  // The length stands before each part, so that ("ab", "c") and ("a", "bc") differ. Cut as bytes: a
  // slice of the hex text would keep all of it in memory. Joined, because an object to hash with
  // takes longer, but for megabytes.
  hash("sha256", parts.map((part) => `${part.length}:${part}`).join(""), "buffer").toString(
    "hex",
    0,
    16,
  );

/**
 * JSON with sorted keys; undefined members left out. The same value always gives the same bytes.
 */
export function stableJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => stableJson(item)).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => `${JSON.stringify(name)}:${stableJson(member)}`);
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}
