import { expect, it } from "vitest";
import {
  AT_ONCE,
  bareWords,
  bareWordsSlowly,
  mayBeSame,
} from "../../src/conversations/read-messages.ts";

const long = (unit: string): string => unit.repeat(Math.ceil((3 * AT_ONCE) / unit.length));

it.each([
  ["prose", long("Ada: it’s <b>not</b> the ﬁrst boat, isn&#39;t it?  ")],
  ["one line of values", long("17,ada@acme.io,Lisbon,")],
  ["one long word", long("aB")],
  ["words without blanks", long("港口船")],
  ["thinking", `<think>${long("hm ")}</think>${long("Yes.\n")}`],
  ["a name before it", `[10:04] Ada: ${long("well then ")}`],
  ["no words", long(",;|")],
])("a long text has the same words when they are read with breaths: %s", async (_, text) => {
  expect(await bareWordsSlowly(text)).toBe(bareWords(text).join(" "));
});

it("only what is many times as long is another text unread", () => {
  expect(mayBeSame("hello", long("hello "))).toBe(false);
  expect(mayBeSame(long("hello "), long("hello, "))).toBe(true);
  expect(mayBeSame("Yes.", `<think>${"hm ".repeat(200)}</think>Yes.`)).toBe(true);
});
