import { type Memory } from "../../model/memory.ts";
import { type Tidemark } from "../../engine/options/types.ts";
import { wholeMark } from "../../workspace/page-line.ts";
import { wholeId } from "../input/failure.ts";
import { type Io } from "../render/io.ts";
import { ago } from "../render/numbers.ts";
import { padEnd, plain, width, wrap } from "../render/text.ts";

/** More than a person reads; ids are looked for among them. */
const ALL = 100_000;
/** Characters of a mark that a memory is shown with at least, as in MEMORY.md. */
const SHORTEST = 4;
const WIDEST = 100;

/** The memory that is meant by its mark in MEMORY.md, its id, or an end of it. */
export async function namedMemory(
  word: string,
  { memory }: Pick<Tidemark, "memory">,
): Promise<Memory> {
  const all = await memory.list({ limit: ALL });
  const marked = all.filter(({ id }) => word.length >= SHORTEST && wholeMark(id).startsWith(word));
  const id =
    marked.length === 1 && marked[0] !== undefined
      ? marked[0].id
      : wholeId(
          word,
          all.map((one) => one.id),
          { one: "memory", lists: "list" },
        );
  const found = all.find((one) => one.id === id);
  if (found === undefined) throw new Error(`memory ${id} is gone`);
  return found;
}

/** The marks of these memories, as short as tells them apart. */
export function marksFor(memories: readonly Memory[]): Map<string, string> {
  const whole = memories.map(({ id }) => wholeMark(id));
  let length = SHORTEST;
  while (length < 25 && new Set(whole.map((mark) => mark.slice(0, length))).size < whole.length)
    length += 1;
  return new Map(memories.map(({ id }, at) => [id, whole[at]?.slice(0, length) ?? ""]));
}

/** Each with its mark, and below it where it belongs and how old it is. */
export function memoryLines(
  memories: readonly Memory[],
  { paint, columns }: Pick<Io, "paint" | "columns">,
  now: number,
): string[] {
  const marks = marksFor(memories);
  const indent = Math.max(SHORTEST, ...[...marks.values()].map(width)) + 3;
  const room = Math.min(WIDEST, columns) - indent;
  return memories.flatMap((memory) => {
    const [first = "", ...more] = wrap(plain(memory.content), room, 3);
    const about = [
      memory.category,
      ...(memory.scope === "agent:default" ? [] : [memory.scope]),
      ago(memory.updatedAt, now),
    ].map(plain);
    return [
      `  ${paint.cyan(padEnd(marks.get(memory.id) ?? "", indent - 3))} ${first}`,
      ...[...more, ...wrap(about.join(" · "), room).map((line) => paint.dim(line))].map(
        (line) => `${" ".repeat(indent)}${line}`,
      ),
    ];
  });
}
