/** Deeper than any message is. */
const DEEPEST = 200;

/** Where a list of messages holds what no request can carry, and what that is; undefined: all of it is JSON. */
export function notJson(messages: readonly unknown[]): string | undefined {
  for (const [at, message] of messages.entries()) {
    const found = look(message, "", []);
    if (found !== undefined) return `message ${at + 1} ${found}`;
  }
  return undefined;
}

function look(value: unknown, path: string, above: readonly object[]): string | undefined {
  const at = path === "" ? "" : ` (${path})`;
  if (typeof value === "bigint") return `holds a BigInt${at}`;
  if (typeof value === "function" || typeof value === "symbol")
    return `holds a ${typeof value}${at}`;
  if (typeof value === "number" && !Number.isFinite(value)) return `holds the number ${value}${at}`;
  if (typeof value !== "object" || value === null) return undefined;
  if (above.includes(value)) return `holds itself${at}`;
  if (above.length >= DEEPEST) return `is nested more than ${DEEPEST} deep`;
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = look(member, path === "" ? name : `${path}.${name}`, [...above, value]);
    if (found !== undefined) return found;
  }
  return undefined;
}
