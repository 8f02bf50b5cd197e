/** One expression out of alternatives, each on a line that can be read. */
export const either = (...parts: readonly RegExp[]): RegExp => joined(parts, "|");

/** One expression out of parts that follow each other. */
export const inOrder = (...parts: readonly RegExp[]): RegExp => joined(parts, "");

const joined = (parts: readonly RegExp[], between: string): RegExp =>
  new RegExp(`(?:${parts.map(({ source }) => source).join(between)})`, parts[0]?.flags);
