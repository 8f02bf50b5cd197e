// Random commands of Anthropic's memory tool, and what two directories make of them.
import fc from "fast-check";
import type { MemoryDirectory } from "../../src/adapters/anthropic.ts";

type Command = {
  readonly [Name in keyof MemoryDirectory]: Parameters<MemoryDirectory[Name]>[0] & {
    readonly command: Name;
  };
}[keyof MemoryDirectory];

const name = fc.constantFrom("a", "b", "c.md", "d.txt", "ä ö", "team", ".hidden", "node_modules");
const plain = fc
  .array(name, { minLength: 1, maxLength: 4 })
  .map((names) => `/memories/${names.join("/")}`);
/** Few names, so that commands meet; now and then a path that nothing good leads to. */
const path = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 2 })
      .map((names) => `/memories/${names.join("/")}`),
  },
  { weight: 8, arbitrary: plain },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "/memories",
      "/memories/",
      "/memories//a",
      "/memories/a/",
      "/memoriesa",
      "/memories/./a",
      "/memories/a/../b",
      "/memories/..",
      "/memories/../a",
      "/memories/a/../../../etc/passwd",
      "/etc/passwd",
      "memories/a",
      "",
      "/memories/a\\b",
      "/memories/%2e%2e/a",
    ),
  },
);
const line = fc.constantFrom("tea", "Tea is hot.", "", "$& and $1", "  two", "ä", "tea tea");
const text = fc.oneof(
  fc.array(line, { maxLength: 6 }).map((lines) => lines.join("\n")),
  fc.constantFrom("tea\r\nmilk\r\n", "\ufefftea", "x".repeat(3_000), "\n", "\ud83d"),
);
const at = fc.integer({ min: -2, max: 8 });

const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ command: fc.constant("view" as const), path }),
  fc.record({ command: fc.constant("view" as const), path: fc.constant("/memories") }),
  fc.record({ command: fc.constant("view" as const), path, view_range: fc.tuple(at, at) }),
  fc.record({ command: fc.constant("create" as const), path, file_text: text }),
  fc.record({ command: fc.constant("create" as const), path, file_text: text }),
  fc.record({ command: fc.constant("str_replace" as const), path, old_str: line, new_str: text }),
  fc.record({ command: fc.constant("insert" as const), path, insert_line: at, insert_text: text }),
  fc.record({ command: fc.constant("delete" as const), path }),
  fc.record({ command: fc.constant("rename" as const), old_path: path, new_path: path }),
);
export const commands = fc.array(command, { minLength: 1, maxLength: 14 });

/** The answer to each command, then all there is. `root`: what stands for the folder of machines. */
export async function answersOf(
  directory: { readonly [Name in keyof MemoryDirectory]: (command: never) => unknown },
  given: readonly Command[],
  root = "/memories",
): Promise<string[]> {
  const answers: string[] = [];
  const view = { command: "view", path: "/memories" } as const;
  for (const one of [...given, view]) {
    const work = directory[one.command].bind(directory) as (command: Command) => Promise<string>;
    const answer = await work(one).then(
      (said) => `said: ${said}`,
      (error: Error) => `refused: ${error.message}`,
    );
    answers.push(
      answer
        .replaceAll(root, "/memories")
        .replace(/^(?:said: )?[\d.]+[BKMG]\t(.*\/|\/memories[^\t]*)$/gm, "\t$1"),
    );
  }
  return answers;
}
