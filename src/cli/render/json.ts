/** What a terminal obeys, hides or turns round: controls, marks of direction, joiners, tags, and what is no character yet. */
const RAW = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const escaped = (char: string): string =>
  Array.from(
    { length: char.length },
    (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");

/** A value as JSON that reads the same to a program and cannot command the terminal it is shown in. */
export const json = (value: unknown, indent?: number): string =>
  JSON.stringify(value, undefined, indent).replace(RAW, escaped);
